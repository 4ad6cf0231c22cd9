import Foundation
import Testing

@testable import PubNub

/// App Context by the Cocoa SDK's methods and builders (rules PL-52 to PL-54, PL-78).
struct ObjectsTests {
    static let user = #"""
        {"id":"u","name":"N","externalId":"e","profileUrl":null,"email":null,"custom":{"k":1},
        "updated":"2020-06-04T19:39:57.722354Z","eTag":"Acu9"}
        """#
    static let channel = #"{"id":"c","name":"C","description":"D","custom":null,"updated":"2020-06-04T19:39:57Z","eTag":"B"}"#
    static let base = "/v2/objects/sub"

    private func body(_ fixture: Fixture) -> String {
        String(decoding: fixture.calls.sent.last?.body ?? [], as: UTF8.self)
    }

    @Test func `a user is set, fetched and removed`() throws {
        let fixture = Fixture.answering(
            #"{"status":200,"data":\#(Self.user)}"#, #"{"status":200,"data":\#(Self.user)}"#, #"{"status":200,"data":null}"#)
        let set = Heard<PNSetUUIDMetadataStatus>()
        let request = PNSetUUIDMetadataRequest(uuid: nil)
        request.name = "N"
        request.custom = ["k": 1]
        fixture.client.setUUIDMetadataWith(request) { set.add($0) }
        #expect(fixture.line() == "PATCH \(Self.base)/uuids/me?include=custom")
        #expect([#"{"name":"N","custom":{"k":1}}"#, #"{"custom":{"k":1},"name":"N"}"#].contains(body(fixture)))
        let metadata = try #require(set.last?.data.metadata)
        #expect(metadata.uuid == "u" && metadata.name == "N" && metadata.externalId == "e" && metadata.email == nil)
        #expect(metadata.custom?["k"] as? Int == 1 && metadata.eTag == "Acu9")
        #expect(abs(metadata.updated.timeIntervalSince1970 - 1_591_299_597.722_354) < 0.001)

        let fetched = Outcomes<PNFetchUUIDMetadataResult>()
        fixture.client.objects().uuidMetadata().uuid("u").includeFields([]).performWithCompletion { fetched.add(($0, $1)) }
        #expect(fixture.lastLine == "GET \(Self.base)/uuids/u")
        #expect(fetched.last?.result?.data.metadata?.name == "N")

        let removed = Heard<PNAcknowledgmentStatus>()
        fixture.client.removeUUIDMetadata(with: PNRemoveUUIDMetadataRequest(uuid: "u")) { removed.add($0) }
        #expect(fixture.lastLine == "DELETE \(Self.base)/uuids/u")
        #expect(removed.last?.category == .PNAcknowledgmentCategory)
    }

    @Test func `users are listed in parts`() throws {
        let fixture = Fixture.answering(#"{"status":200,"data":[\#(Self.user)],"totalCount":9,"next":"MQ"}"#)
        let heard = Outcomes<PNFetchAllUUIDMetadataResult>()
        let request = PNFetchAllUUIDMetadataRequest()
        request.sort = ["name", "updated:desc"]
        request.filter = "name LIKE 'A*'"
        request.limit = 5
        request.start = "MA"
        fixture.client.allUUIDMetadata(with: request) { heard.add(($0, $1)) }
        #expect(
            fixture.line()
                == "GET \(Self.base)/uuids?count=1&filter=name%20LIKE%20%27A%2A%27&sort=name%2Cupdated%3Adesc&limit=5&start=MA")
        let data = try #require(heard.last?.result).data
        #expect(data.metadata.map(\.uuid) == ["u"] && data.totalCount == 9 && data.next == "MQ" && data.prev == nil)
    }

    @Test func `a channel is set, fetched, listed and removed`() throws {
        let one = #"{"status":200,"data":\#(Self.channel)}"#
        let fixture = Fixture.answering(one, one, #"{"status":200,"data":[\#(Self.channel)]}"#, #"{"status":200,"data":null}"#)
        let set = Heard<PNSetChannelMetadataStatus>()
        fixture.client.objects().setChannelMetadata("c").information("D").performWithCompletion { set.add($0) }
        #expect(fixture.line() == "PATCH \(Self.base)/channels/c?include=custom" && body(fixture) == #"{"description":"D"}"#)
        #expect(set.last?.data.metadata?.information == "D" && set.last?.data.metadata?.custom == nil)
        let fetched = Outcomes<PNFetchChannelMetadataResult>()
        fixture.client.channelMetadata(with: PNFetchChannelMetadataRequest(channel: "c")) { fetched.add(($0, $1)) }
        #expect(fetched.last?.result?.data.metadata?.channel == "c")
        let all = Outcomes<PNFetchAllChannelsMetadataResult>()
        fixture.client.objects().allChannelsMetadata().includeCount(false).limit(3).performWithCompletion { all.add(($0, $1)) }
        #expect(fixture.lastLine == "GET \(Self.base)/channels?limit=3")
        #expect(all.last?.result?.data.metadata.map(\.name) == ["C"])
        fixture.client.objects().removeChannelMetadata("c").performWithCompletion(nil)
        #expect(fixture.lastLine == "DELETE \(Self.base)/channels/c")
    }

    @Test func `memberships are set, removed and fetched`() throws {
        let list = #"{"status":200,"data":[{"channel":{"id":"c"},"custom":null,"updated":"2020-06-04T19:39:57Z","eTag":"AY"}]}"#
        let fixture = Fixture.answering(list)
        let changed = Heard<PNManageMembershipsStatus>()
        fixture.client.setMembershipsWith(
            PNSetMembershipsRequest(uuid: "u", channels: [["channel": "c", "custom": ["r": "w"]]])
        ) { changed.add($0) }
        #expect(fixture.line() == "PATCH \(Self.base)/uuids/u/channels?count=1&limit=100")
        #expect(body(fixture).contains(#""set":[{"#) && body(fixture).contains(#""channel":{"id":"c"}"#))
        #expect(body(fixture).contains(#""custom":{"r":"w"}"#))
        #expect(changed.last?.operation == .setMembershipsOperation)
        #expect(changed.last?.data.memberships.map(\.channel) == ["c"])
        fixture.client.objects().removeMemberships().channels(["c"]).performWithCompletion { changed.add($0) }
        #expect(fixture.lastLine.hasPrefix("PATCH \(Self.base)/uuids/me/channels"))
        #expect(body(fixture) == #"{"delete":[{"channel":{"id":"c"}}]}"#)
        let fetched = Outcomes<PNFetchMembershipsResult>()
        let request = PNFetchMembershipsRequest(uuid: "u")
        request.includeFields = [.membershipCustomField, .membershipChannelField, .membershipChannelCustomField]
        fixture.client.memberships(with: request) { fetched.add(($0, $1)) }
        #expect(
            fixture.lastLine == "GET \(Self.base)/uuids/u/channels?include=custom%2Cchannel%2Cchannel.custom&limit=100")
    }

    @Test func `members are set, removed and fetched`() throws {
        let list =
            #"{"status":200,"data":[{"uuid":\#(Self.user),"custom":{"r":1},"updated":"2020-06-04T19:39:57Z","eTag":"AY"}]}"#
        let fixture = Fixture.answering(list)
        let changed = Heard<PNManageChannelMembersStatus>()
        fixture.client.objects().manageChannelMembers("c").set([["uuid": "u"]]).remove(["v"]).performWithCompletion {
            changed.add($0)
        }
        #expect(fixture.line() == "PATCH \(Self.base)/channels/c/uuids?count=1&limit=100")
        let member = try #require(changed.last?.data.members.first)
        #expect(member.uuid == "u" && member.metadata?.name == "N" && member.custom?["r"] as? Int == 1)
        let fetched = Outcomes<PNFetchChannelMembersResult>()
        fixture.client.objects().channelMembers("c").includeFields(.memberUUIDField).performWithCompletion {
            fetched.add(($0, $1))
        }
        #expect(fixture.lastLine == "GET \(Self.base)/channels/c/uuids?include=uuid&limit=100")
        #expect(fetched.last?.result?.data.members.count == 1)
    }

    @Test func `what App Context does not take is refused`() {
        let fixture = Fixture.answering("{}")
        let heard = Heard<PNAcknowledgmentStatus>()
        fixture.client.objects().setUUIDMetadata().custom(["k": ["nested"]]).performWithCompletion { heard.add($0) }
        fixture.client.objects().setMemberships().performWithCompletion { heard.add($0) }
        fixture.client.objects().setMemberships().channels([["custom": [:] as [String: Any]]]).performWithCompletion {
            heard.add($0)
        }
        fixture.client.objects().removeChannelMetadata("").performWithCompletion { heard.add($0) }
        #expect(heard.count == 4 && heard.all.allSatisfy { $0.category == .PNBadRequestCategory })
        #expect(fixture.calls.sent.isEmpty)
    }

    @Test func `a missing object is told in the service's words`() {
        let body = #"{"status":404,"error":{"message":"Requested object was not found.","source":"objects"}}"#
        let fixture = Fixture(calls: ScriptedCalls(.status(404, body)))
        let heard = Outcomes<PNFetchChannelMetadataResult>()
        fixture.client.objects().channelMetadata("c").performWithCompletion { heard.add(($0, $1)) }
        #expect(heard.last?.status?.errorData.information == "Requested object was not found.")
        #expect(heard.last?.status?.statusCode == 404)
    }
}
