import PubNubProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Presence of PubNub's API (rules PV-50 to PV-56)")
struct PubNubPresenceRESTTests {
    static let base = "/v2/presence/sub-key/demo"
    static let ok = #"{"status": 200, "message": "OK", "service": "Presence"}"#

    @Test("A heartbeat joins, a leave leaves, and both spell their answers as recorded")
    func heartbeatAndLeave() async throws {
        let fixture = PubNubRESTFixture()
        #expect(try await fixture.body(Self.base + "/channel/a,b-pnpres/heartbeat?heartbeat=300&uuid=me") == Self.ok)
        #expect(try await fixture.body(Self.base + "/channel/a/heartbeat?uuid=me") == Self.ok)
        #expect(
            try await fixture.body("/v2/presence/sub_key/demo/channel/a/leave?uuid=me")
                == #"{"status": 200, "action": "leave", "message": "OK", "service": "Presence"}"#)
        let events = fixture.delivered(on: "a-pnpres")
        #expect(events.count == 2)
        #expect(events.first?.contains(#""d":{"action":"join","uuid":"me","timestamp":1580000000,"occupancy":1}"#) == true)
        #expect(events.last?.contains(#""d":{"action":"leave","uuid":"me","timestamp":1580000000,"occupancy":0}"#) == true)
        #expect(fixture.delivered(on: "b-pnpres").isEmpty && fixture.delivered(on: "b-pnpres-pnpres").isEmpty)
    }

    @Test("One channel is told by itself, with users, with state, or with the number alone")
    func hereNowOne() async throws {
        let fixture = PubNubRESTFixture()
        _ = try await fixture.ask(Self.base + "/channel/a/heartbeat?uuid=x")
        _ = try await fixture.ask(
            Self.base + "/channel/a/heartbeat?uuid=y&state=%7B%22a%22%3A%7B%22mood%22%3A%20%22good%22%7D%7D")
        let path = Self.base + "/channel/a"
        func here(_ rest: String) -> String {
            #"{"status": 200, "message": "OK", "occupancy": 2\#(rest), "service": "Presence"}"#
        }
        #expect(try await fixture.body(path) == here(#", "uuids": ["x", "y"]"#))
        #expect(
            try await fixture.body(path + "?state=1&disable_uuids=0")
                == here(#", "uuids": [{"uuid": "x"}, {"uuid": "y", "state": {"mood": "good"}}]"#))
        #expect(try await fixture.body(path + "?disable_uuids=1&state=0") == here(""))
        #expect(try await fixture.body(path + "?limit=0") == here(""))
        #expect(try await fixture.body(path + "?limit=1") == here(#", "uuids": ["x"]"#))
        #expect(try await fixture.body(path + "?limit=1&offset=1") == here(#", "uuids": ["y"]"#))
        #expect(
            try await fixture.body(Self.base + "/channel/nobody")
                == #"{"status": 200, "message": "OK", "occupancy": 0, "uuids": [], "service": "Presence"}"#)
    }

    @Test("Several channels, groups and everything are told by name, occupied ones only")
    func hereNowMany() async throws {
        let fixture = PubNubRESTFixture()
        _ = try await fixture.ask("/v1/channel-registration/sub-key/demo/channel-group/g?add=b,c")
        _ = try await fixture.ask(Self.base + "/channel/a/heartbeat?uuid=x")
        _ = try await fixture.ask(Self.base + "/channel/,/heartbeat?uuid=y&channel-group=g")
        func many(_ channels: String, _ count: Int) -> String {
            #"{"status": 200, "message": "OK", "payload": {"channels": {\#(channels)}, "total_channels": \#(count), "#
                + #""total_occupancy": \#(count)}, "service": "Presence"}"#
        }
        let a = #""a": {"occupancy": 1, "uuids": ["x"]}"#
        let b = #""b": {"occupancy": 1, "uuids": ["y"]}"#
        let c = #""c": {"occupancy": 1, "uuids": ["y"]}"#
        #expect(try await fixture.body(Self.base + "/channel/a,empty") == many(a, 1))
        #expect(try await fixture.body(Self.base + "/channel/,?channel-group=g") == many("\(b), \(c)", 2))
        #expect(try await fixture.body(Self.base + "/channel/a,b?channel-group=g") == many("\(a), \(b), \(c)", 3))
        #expect(try await fixture.body(Self.base) == many("\(a), \(b), \(c)", 3))
        #expect(
            try await fixture.body(Self.base + "?disable_uuids=1")
                == many(#""a": {"occupancy": 1}, "b": {"occupancy": 1}, "c": {"occupancy": 1}"#, 3))
        #expect(try await fixture.body(Self.base + "/channel/x,y") == many("", 0))
    }

    @Test("Where a user is")
    func whereNow() async throws {
        let fixture = PubNubRESTFixture()
        _ = try await fixture.ask(Self.base + "/channel/b,a/heartbeat?uuid=x%20y")
        func channels(_ list: String) -> String {
            #"{"status": 200, "message": "OK", "payload": {"channels": [\#(list)]}, "service": "Presence"}"#
        }
        #expect(try await fixture.body(Self.base + "/uuid/x%20y") == channels(#""a", "b""#))
        #expect(try await fixture.body(Self.base + "/uuid/nobody") == channels(""))
    }

    @Test("State is set, told, and read back from one channel or several")
    func state() async throws {
        let fixture = PubNubRESTFixture()
        _ = try await fixture.ask(Self.base + "/channel/a,b/heartbeat?uuid=me")
        #expect(
            try await fixture.body(Self.base + "/channel/a/uuid/me/data?state=%7B%22k%22%3A1%7D")
                == #"{"status": 200, "message": "OK", "payload": {"k":1}, "service": "Presence"}"#)
        #expect(
            fixture.delivered(on: "a-pnpres").last?.contains(
                #""d":{"action":"state-change","uuid":"me","timestamp":1580000000,"data":{"k":1},"occupancy":1}"#) == true)
        #expect(
            try await fixture.body(Self.base + "/channel/a/uuid/me")
                == #"{"status":200,"uuid":"me","service":"Presence","message":"OK","payload":{"k":1},"channel":"a"}"#)
        #expect(
            try await fixture.body(Self.base + "/channel/a,b/uuid/me")
                == #"{"status":200,"uuid":"me","service":"Presence","message":"OK","payload":{"channels":{"a":{"k":1},"b":{}}}}"#)
    }

    @Test("What is malformed is refused in the service's words")
    func refusals() async throws {
        let fixture = PubNubRESTFixture()
        func refusal(_ message: String) -> PubNubRESTFixture.Answer {
            .init(
                status: 400, contentType: "text/javascript; charset=\"UTF-8\"",
                body: #"{"status": 400, "error": 1, "message": "\#(message)", "service": "Presence"}"#)
        }
        #expect(try await fixture.ask(Self.base + "/channel/a/uuid/me/data") == refusal("No state specified."))
        #expect(try await fixture.ask(Self.base + "/channel/a/uuid/me/data?state=%5B1%5D") == refusal("Invalid JSON"))
        #expect(try await fixture.ask(Self.base + "/channel/a/heartbeat?uuid=me&state=%7B") == refusal("Invalid JSON"))
        #expect(try await fixture.ask(Self.base + "/channel/a/heartbeat") == refusal("Invalid uuid parameter."))
        #expect(try await fixture.ask(Self.base + "/channel/a/leave?uuid=") == refusal("Invalid uuid parameter."))
    }
}
