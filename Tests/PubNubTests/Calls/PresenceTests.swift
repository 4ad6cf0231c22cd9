import ConnectionEngine
import Foundation
import Testing

@testable import PubNub

/// Presence, state and groups by the Cocoa SDK's methods (rules PL-60 to PL-63, PL-71).
struct PresenceTests {
    static let one = #"{"status":200,"occupancy":2,"uuids":["a",{"uuid":"b","state":{"k":1}}],"service":"Presence"}"#
    static let many = #"""
        {"status":200,"payload":{"channels":{"x":{"occupancy":2,"uuids":["a","b"]}},"total_channels":1,"total_occupancy":2}}
        """#
    static let path = "GET /v2/presence/sub-key/sub"

    @Test func `who is on a channel comes with state, by name or by number`() throws {
        let fixture = Fixture.answering(Self.one)
        let heard = Outcomes<PNPresenceChannelHereNowResult>()
        fixture.client.hereNowForChannel("c") { heard.add(($0, $1)) }
        #expect(fixture.line() == Self.path + "/channel/c?disable_uuids=0&state=1")
        let data = try #require(heard.last?.result).data
        #expect(data.occupancy == 2 && data.channels == nil)
        let users = try #require(data.uuids as? [[String: Any]])
        #expect(users[0]["uuid"] as? String == "a" && users[0]["state"] == nil)
        #expect((users[1]["state"] as? [String: Any])?["k"] as? Int == 1)
        fixture.client.hereNowForChannel("c", withVerbosity: .UUID) { heard.add(($0, $1)) }
        #expect(heard.last?.result?.data.uuids as? [String] == ["a", "b"])
        fixture.client.hereNowForChannel("c", withVerbosity: .occupancy) { heard.add(($0, $1)) }
        #expect(fixture.lastLine == Self.path + "/channel/c?disable_uuids=1&state=0")
        #expect(heard.last?.result?.data.uuids == nil)
    }

    @Test func `who is in groups and anywhere comes by channel`() throws {
        let fixture = Fixture.answering(Self.many)
        let groups = Outcomes<PNPresenceChannelGroupHereNowResult>()
        fixture.client.hereNowForChannelGroup("g", withVerbosity: .UUID) { groups.add(($0, $1)) }
        #expect(fixture.line() == Self.path + "/channel/,?channel-group=g&disable_uuids=0&state=0")
        let data = try #require(groups.last?.result).data
        #expect(data.totalChannels == 1 && data.totalOccupancy == 2)
        #expect(data.channels["x"]?["occupancy"] as? NSNumber == 2)
        #expect(data.channels["x"]?["uuids"] as? [String] == ["a", "b"])
        let global = Outcomes<PNPresenceGlobalHereNowResult>()
        fixture.client.hereNowWithCompletion { global.add(($0, $1)) }
        #expect(fixture.lastLine == Self.path + "?disable_uuids=0&state=1")
        #expect(global.last?.result?.operation == .hereNowGlobalOperation)
        let several = Outcomes<PNPresenceChannelHereNowResult>()
        fixture.client.presence().hereNow().channels(["x", "y"]).verbosity(.UUID).performWithCompletion { several.add(($0, $1)) }
        #expect(fixture.lastLine == Self.path + "/channel/x,y?disable_uuids=0&state=0")
        #expect(several.last?.result?.data.totalOccupancy == 2)
        #expect(several.last?.result?.data.channels?["x"]?["uuids"] as? [String] == ["a", "b"])
        #expect(several.last?.result?.data.uuids == nil)
    }

    @Test func `where somebody is`() throws {
        let fixture = Fixture.answering(#"{"status":200,"payload":{"channels":["x"]}}"#)
        let heard = Outcomes<PNPresenceWhereNowResult>()
        fixture.client.whereNowUUID("them") { heard.add(($0, $1)) }
        #expect(heard.last?.result?.data.channels == ["x"])
        #expect(fixture.line() == Self.path + "/uuid/them")
        fixture.client.presence().whereNow().performWithCompletion { heard.add(($0, $1)) }
        #expect(fixture.lastLine == Self.path + "/uuid/me")
    }

    @Test func `own state is set, and sent again with later subscriptions`() throws {
        let fixture = Fixture.answering(#"{"status":200,"payload":{"k":1},"service":"Presence"}"#)
        let heard = Heard<PNClientStateUpdateStatus>()
        fixture.client.setState(["k": 1], forUUID: "me", onChannel: "c") { heard.add($0) }
        #expect(fixture.line() == Self.path + "/channel/c/uuid/me/data?state=%7B%22k%22%3A1%7D")
        #expect(try #require(heard.last).data.state["k"] as? Int == 1)
        #expect(fixture.engine.log == [#"state c={"k":1}"#])
        fixture.client.setState(["k": 1], forUUID: "them", onChannelGroup: "g") { heard.add($0) }
        #expect(fixture.lastLine == Self.path + "/channel/,/uuid/them/data?channel-group=g&state=%7B%22k%22%3A1%7D")
        #expect(fixture.engine.log.count == 1)
    }

    @Test func `state that is taken away is forgotten`() {
        let fixture = Fixture.answering(#"{"status":200,"payload":{},"service":"Presence"}"#)
        fixture.client.setState(nil, forUUID: "me", onChannel: "c")
        #expect(fixture.line() == Self.path + "/channel/c/uuid/me/data?state=%7B%7D")
        #expect(fixture.engine.log == ["state c=-"])
    }

    @Test func `state that was refused is not kept`() throws {
        let fixture = Fixture(calls: ScriptedCalls(.status(400, #"{"status":400,"error":1,"message":"No state specified."}"#)))
        let heard = Heard<PNClientStateUpdateStatus>()
        fixture.client.setState(["k": 1], forUUID: "me", onChannel: "c") { heard.add($0) }
        #expect(heard.last?.category == .PNBadRequestCategory)
        #expect(heard.last?.errorData.information == "No state specified.")
        #expect(fixture.engine.log.isEmpty)
    }

    @Test func `state is read from a channel, a group and both`() throws {
        let single = #"{"status":200,"uuid":"u","payload":{"k":1},"channel":"c"}"#
        let many = #"{"status":200,"payload":{"channels":{"a":{"x":1}}}}"#
        let fixture = Fixture.answering(single, many, many)
        let one = Outcomes<PNChannelClientStateResult>()
        fixture.client.stateForUUID("u", onChannel: "c") { one.add(($0, $1)) }
        #expect(one.last?.result?.data.state["k"] as? Int == 1)
        let group = Outcomes<PNChannelGroupClientStateResult>()
        fixture.client.stateForUUID("u", onChannelGroup: "g") { group.add(($0, $1)) }
        #expect(group.last?.result?.data.channels["a"]?["x"] as? Int == 1)
        let both = Outcomes<PNClientStateGetResult>()
        fixture.client.state().audit().channels(["a"]).channelGroups(["g"]).performWithCompletion { both.add(($0, $1)) }
        #expect(both.last?.result?.data.channels["a"]?["x"] as? Int == 1)
        #expect(fixture.lastLine == Self.path + "/channel/a/uuid/me?channel-group=g")
    }

    @Test func `groups are read, changed and removed`() throws {
        let ok = #"{"status": 200, "message": "OK", "service": "channel-registry", "error": false}"#
        let fixture = Fixture.answering(
            #"{"status":200,"payload":{"channels":["c1"],"group":"g"},"error":false}"#,
            #"{"status":200,"payload":{"namespace":"","groups":["g1"]},"error":false}"#, ok)
        let client = fixture.client
        let path = "GET /v1/channel-registration/sub-key/sub/channel-group"
        let channels = Outcomes<PNChannelGroupChannelsResult>()
        client.channelsForGroup("g") { channels.add(($0, $1)) }
        #expect(channels.last?.result?.data.channels == ["c1"])
        let groups = Outcomes<PNChannelGroupsResult>()
        client.channelGroupsWithCompletion { groups.add(($0, $1)) }
        #expect(groups.last?.result?.data.groups == ["g1"])
        let changes = Heard<PNAcknowledgmentStatus>()
        client.addChannels(["a", "b"], toGroup: "g") { changes.add($0) }
        #expect(fixture.lastLine == path + "/g?add=a%2Cb")
        client.removeChannels(["a"], fromGroup: "g") { changes.add($0) }
        #expect(fixture.lastLine == path + "/g?remove=a")
        client.removeChannelsFromGroup("g") { changes.add($0) }
        #expect(fixture.lastLine == path + "/g/remove")
        #expect(
            changes.all.map(\.operation) == [
                .addChannelsToGroupOperation, .removeChannelsFromGroupOperation, .removeGroupOperation,
            ])
        #expect(changes.all.allSatisfy { $0.category == .PNAcknowledgmentCategory })
        client.stream().remove().channelGroup("g").performWithCompletion { changes.add($0) }
        #expect(fixture.lastLine == path + "/g/remove")
        client.stream().add().channelGroup("g").performWithCompletion { changes.add($0) }
        #expect(changes.last?.errorData.information == "The request names no channel to add. Pass at least one channel.")
    }
}
