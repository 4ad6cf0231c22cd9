import Identifiers
import PubNubProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Names and users of the access manager (rules PV-110 and PV-137)")
struct PubNubIdentityTests {
    /// Two spellings of one word, which Swift takes for equal.
    static let composed = "caf\u{E9}"
    static let decomposed = "cafe\u{301}"

    static func history(_ channel: String) -> String { "/v2/history/sub-key/demo/channel/" + PercentEncoding.encode(channel) }

    @Test("A grant of version 2 opens the channel, group and auth key with its bytes, and no other spelling")
    func grants() async throws {
        let fixture = PubNubAccessTests.fixture()
        _ = try await PubNubGrantTests.grant(fixture, ["channel": Self.composed, "auth": Self.composed, "r": "1"])
        let auth = "?auth=" + PercentEncoding.encode(Self.composed)
        #expect(try await fixture.ask(Self.history(Self.composed) + auth).status == 200)
        #expect(try await fixture.ask(Self.history(Self.decomposed) + auth).status == 403)
        #expect(
            try await fixture.ask(Self.history(Self.composed) + "?auth=" + PercentEncoding.encode(Self.decomposed)).status == 403)
        _ = try await PubNubGrantTests.grant(fixture, ["channel": Self.decomposed, "auth": Self.composed, "w": "1"])
        // Neither grant has replaced the other.
        #expect(try await fixture.ask(Self.history(Self.composed) + auth).status == 200)
        let audit = try await PubNubGrantTests.grant(fixture, ["channel": Self.composed, "auth": Self.composed], audit: true)
        #expect(audit.contains(Self.composed) && audit.utf8.count { $0 == 0xCC } == 0)
        _ = try await PubNubGrantTests.grant(fixture, ["channel-group": Self.composed, "r": "1"])
        func group(_ name: String) async throws -> Int {
            try await fixture.ask("/v1/channel-registration/sub-key/demo/channel-group/" + PercentEncoding.encode(name)).status
        }
        #expect(try await group(Self.composed) == 200)
        #expect(try await group(Self.decomposed) == 403)
    }

    @Test("A token opens what it names byte for byte, by name and by pattern; both spellings may be granted")
    func tokens() async throws {
        let fixture = PubNubAccessTests.fixture()
        let named = try await PubNubAccessTests.token(
            fixture, #"{"resources":{"channels":{"\#(Self.composed)":1}},"patterns":{"channels":{"room-\#(Self.composed)":1}}}"#)
        func status(_ channel: String, _ token: String) async throws -> Int {
            try await fixture.ask(Self.history(channel) + "?auth=" + token).status
        }
        #expect(try await status(Self.composed, named) == 200)
        #expect(try await status(Self.decomposed, named) == 403)
        #expect(try await status("room-" + Self.composed, named) == 200)
        #expect(try await status("room-" + Self.decomposed, named) == 403)
        let both = try await PubNubAccessTests.token(
            fixture, #"{"resources":{"channels":{"\#(Self.composed)":1,"\#(Self.decomposed)":2}},"patterns":{}}"#)
        #expect(try await status(Self.composed, both) == 200)
        #expect(try await status(Self.decomposed, both) == 403)
        let token = try PubNubAccessToken(parsing: both)
        #expect(token.resources.channels.keys.map { Array($0.utf8) } == [Array(Self.composed.utf8), Array(Self.decomposed.utf8)])
    }

    @Test("A token of one user is of no use under another spelling of its name")
    func users() async throws {
        let fixture = PubNubAccessTests.fixture()
        let token = try await PubNubAccessTests.token(
            fixture, #"{"resources":{"channels":{"room":3}},"patterns":{},"uuid":"\#(Self.composed)"}"#)
        func status(_ user: String) async throws -> Int {
            try await fixture.ask(PubNubAccessTests.history + "?auth=\(token)&uuid=" + PercentEncoding.encode(user)).status
        }
        #expect(try await status(Self.composed) == 200)
        #expect(try await status(Self.decomposed) == 403)
    }

    @Test("Grants that a server reads after a restart are told apart by their bytes")
    func restoring() async throws {
        try await AccessRestartTests.restart { fixture in
            for name in [Self.composed, Self.decomposed] {
                _ = try await PubNubGrantTests.grant(fixture, ["channel": name, "r": "1"])
            }
        } then: { (again: PubNubRESTFixture) async throws -> Void in
            #expect(again.application.grants.grants(at: PubNubRESTFixture.start).count == 2)
        }
    }

    @Test("The token of a user acts for no other one, whichever call it is and wherever the user is named")
    func otherUsers() async throws {
        let fixture = PubNubAccessTests.fixture()
        let token = try await PubNubAccessTests.token(
            fixture, #"{"resources":{"channels":{"room":255},"groups":{"g":255}},"patterns":{},"uuid":"me"}"#)
        let presence = "/v2/presence/sub-key/demo/channel/room"
        let state = "data?state=%7B%22x%22%3A1%7D"
        let actions = "/v1/message-actions/demo/channel/room/message/5"
        let calls: [(method: String, target: (String) -> String, body: String)] = [
            ("GET", { "\(presence)/heartbeat?uuid=\($0)" }, ""), ("GET", { "\(presence)/leave?uuid=\($0)" }, ""),
            ("GET", { "\(presence)/uuid/\($0)/\(state)&uuid=\($0)" }, ""),
            ("GET", { "\(presence)/uuid/\($0)/\(state)&uuid=me" }, ""),
            ("POST", { "\(actions)?uuid=\($0)" }, #"{"type":"t","value":"v"}"#),
            ("DELETE", { "\(actions)/action/1?uuid=\($0)" }, ""),
        ]
        for (method, target, body) in calls {
            let (own, other) = (
                try await fixture.ask(target("me") + "&auth=" + token, method: method, body: body),
                try await fixture.ask(target("other") + "&auth=" + token, method: method, body: body)
            )
            #expect(own.status != 403, "\(target("me")) \(own)")
            #expect(other.status == 403 && other.body.contains("Forbidden"), "\(target("other")) \(other)")
        }
        #expect(fixture.application.withState { $0.occupancy.state(of: "other", on: "room") } == nil)
        // Reading another's state is what presence is for.
        #expect(try await fixture.ask("\(presence)/uuid/other?uuid=me&auth=" + token).status == 200)
        for target in [
            "/publish/demo/demo/0/room/0/1", "/signal/demo/demo/0/room/0/1", "/subscribe/demo/room/0/0",
            "/v2/subscribe/demo/room/0", "/v1/files/publish-file/demo/demo/0/room/0/%22x%22",
        ] {
            #expect(try await fixture.ask(target + "?uuid=other&auth=" + token).status == 403, "\(target)")
        }
    }
}
