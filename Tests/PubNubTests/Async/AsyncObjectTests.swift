import Foundation
import Testing

@testable import PubNub

/// App Context by async functions (rules PL-95 and PL-96), with the answers of ``ObjectsTests``.
struct AsyncObjectTests {
    private struct Level: Codable {
        var level: Int
    }

    private static let one = #"{"status":200,"data":\#(ObjectsTests.user)}"#
    private static let channel = #"{"status":200,"data":\#(ObjectsTests.channel)}"#
    private static let base = ObjectsTests.base

    private func body(_ fixture: Fixture) -> String {
        String(decoding: fixture.calls.sent.last?.body ?? [], as: UTF8.self)
    }

    @Test func `a user is set, fetched, listed and removed`() async throws {
        let fixture = Fixture.answering(
            Self.one, Self.one, #"{"status":200,"data":[\#(ObjectsTests.user)],"totalCount":9,"next":"MQ"}"#,
            #"{"status":200,"data":null}"#)
        let set = try await fixture.client.setUserMetadata(PNUserFields(name: "N", custom: Level(level: 1)))
        #expect(fixture.line() == "PATCH \(Self.base)/uuids/me?include=custom")
        #expect(body(fixture) == #"{"name":"N","custom":{"level":1}}"#)
        #expect(set.uuid == "u" && set.name == "N" && set.externalId == "e" && set.custom?["k"] as? Int == 1)
        #expect(try await fixture.client.userMetadata(of: "u", include: []).name == "N")
        #expect(fixture.lastLine == "GET \(Self.base)/uuids/u")
        let page = try await fixture.client.allUserMetadata(
            PNObjectsQuery(sort: ["name"], filter: "name LIKE 'A*'", start: "MA", limit: 5, includesCount: true))
        #expect(
            fixture.lastLine
                == "GET \(Self.base)/uuids?count=1&filter=name%20LIKE%20%27A%2A%27&sort=name&limit=5&start=MA")
        #expect(page.elements.map(\.uuid) == ["u"] && page.totalCount == 9 && page.next == "MQ" && page.previous == nil)
        try await fixture.client.removeUserMetadata(of: "u")
        #expect(fixture.lastLine == "DELETE \(Self.base)/uuids/u")
    }

    @Test func `a channel is set, fetched, listed and removed`() async throws {
        let fixture = Fixture.answering(
            Self.channel, Self.channel, #"{"status":200,"data":[\#(ObjectsTests.channel)]}"#, #"{"status":200,"data":null}"#)
        let set = try await fixture.client.setChannelMetadata(PNChannelInfo(name: "C", information: "D"), of: "c")
        #expect(fixture.line() == "PATCH \(Self.base)/channels/c?include=custom")
        #expect(body(fixture) == #"{"description":"D","name":"C"}"#)
        #expect(set.channel == "c" && set.information == "D")
        #expect(try await fixture.client.channelMetadata(of: "c").name == "C")
        #expect(try await fixture.client.allChannelMetadata().elements.count == 1)
        #expect(fixture.lastLine == "GET \(Self.base)/channels?limit=100")
        try await fixture.client.removeChannelMetadata(of: "c")
        #expect(fixture.lastLine == "DELETE \(Self.base)/channels/c")
    }

    @Test func `memberships are set, removed, changed and fetched`() async throws {
        let listed =
            #"{"status":200,"data":[{"channel":{"id":"c"},"custom":{"k":1},"updated":"2020-06-04T19:39:57Z","eTag":"B"}]}"#
        let fixture = Fixture.answering(listed)
        let set = try await fixture.client.setMemberships(in: ["c", PNRelation("d", custom: Level(level: 2))])
        #expect(fixture.line() == "PATCH \(Self.base)/uuids/me/channels?limit=100")
        #expect(body(fixture) == #"{"set":[{"channel":{"id":"c"}},{"channel":{"id":"d"},"custom":{"level":2}}]}"#)
        #expect(set.elements.map(\.channel) == ["c"])
        try await fixture.client.removeMemberships(in: ["e"], of: "u")
        #expect(body(fixture) == #"{"delete":[{"channel":{"id":"e"}}]}"#)
        try await fixture.client.manageMemberships(setting: ["a"], removing: ["b"], include: .membershipCustomField)
        #expect(fixture.lastLine == "PATCH \(Self.base)/uuids/me/channels?include=custom&limit=100")
        #expect(body(fixture) == #"{"set":[{"channel":{"id":"a"}}],"delete":[{"channel":{"id":"b"}}]}"#)
        #expect(try await fixture.client.memberships().elements.count == 1)
        #expect(fixture.lastLine == "GET \(Self.base)/uuids/me/channels?limit=100")
    }

    @Test func `members are set, removed, changed and fetched`() async throws {
        let listed = #"{"status":200,"data":[{"uuid":{"id":"u"},"updated":"2020-06-04T19:39:57Z","eTag":"B"}]}"#
        let fixture = Fixture.answering(listed)
        #expect(try await fixture.client.setMembers(["u"], of: "c").elements.map(\.uuid) == ["u"])
        #expect(fixture.line() == "PATCH \(Self.base)/channels/c/uuids?limit=100")
        #expect(body(fixture) == #"{"set":[{"uuid":{"id":"u"}}]}"#)
        try await fixture.client.removeMembers(["u"], of: "c")
        #expect(body(fixture) == #"{"delete":[{"uuid":{"id":"u"}}]}"#)
        try await fixture.client.manageMembers(setting: ["u"], removing: ["v"], of: "c")
        #expect(body(fixture) == #"{"set":[{"uuid":{"id":"u"}}],"delete":[{"uuid":{"id":"v"}}]}"#)
        #expect(try await fixture.client.members(of: "c").elements.count == 1)
        #expect(fixture.lastLine == "GET \(Self.base)/channels/c/uuids?limit=100")
    }

    @Test func `arguments are refused before anything is sent`() async {
        let fixture = Fixture.answering(Self.one)
        let client = fixture.client
        let nested = PNUserFields(custom: ["a": ["b": 1]])
        await #expect(throws: PNCallError.self) { try await client.setUserMetadata(nested) }
        await #expect(throws: PNCallError.self) { try await client.setUserMetadata(PNUserFields(custom: 3)) }
        await #expect(throws: PNCallError.self) { try await client.setMemberships(in: []) }
        await #expect(throws: PNCallError.self) { try await client.setMembers([""], of: "c") }
        await #expect(throws: PNCallError.self) { try await client.allUserMetadata(PNObjectsQuery(limit: 0)) }
        #expect(fixture.calls.sent.isEmpty)
    }

    @Test func `cancelling the task ends the request`() async {
        let fixture = Fixture(calls: ScriptedCalls(.never))
        let task = Task { () async throws(PNCallError) in try await fixture.client.members(of: "c").elements.count }
        while fixture.calls.sent.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: PNCallError.self) { _ = try await task.value }
        #expect(error?.category == .PNCancelledCategory && fixture.calls.cancelled == 1)
    }
}
