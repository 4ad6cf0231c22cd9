import PubNubProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The access manager of PubNub's API (rules PV-80 to PV-89)")
struct PubNubAccessTests {
    static let guarded = PubNubRESTFixture.guarded

    static func fixture() -> PubNubRESTFixture { PubNubRESTFixture(guarded) }

    static let history = "/v2/history/sub-key/demo/channel/room"
    static let forbidden =
        #"403 {"message":"Forbidden","payload":{"channels":["room"]},"error":true,"service":"Access Manager","status":403}"#

    /// A token for what `permissions` says, granted by a signed request.
    static func token(_ fixture: PubNubRESTFixture, _ permissions: String, ttl: Int = 15) async throws -> String {
        let body = #"{"ttl":\#(ttl),"permissions":\#(permissions)}"#
        let answer = try await fixture.body(
            fixture.signed("/v3/pam/demo/grant", method: "POST", body: body), method: "POST", body: body)
        return try #require(JSONValue(parsing: answer)["data"]?["token"]?.string, "\(answer)")
    }

    @Test("Without a grant everything is denied that needs one, and only what was denied is named")
    func denied() async throws {
        let fixture = Self.fixture()
        #expect(try await fixture.body(Self.history) == Self.forbidden)
        #expect(try await fixture.ask(Self.history).contentType == "text/javascript; charset=UTF-8")
        let token = try await Self.token(fixture, #"{"resources":{"channels":{"a":1},"groups":{"g":1}},"patterns":{}}"#)
        let target = "/v2/presence/sub-key/demo/channel/a,room,a-pnpres,room/heartbeat?uuid=me&channel-group=g,h&auth=" + token
        #expect(
            try await fixture.body(target)
                == #"403 {"message":"Forbidden","payload":{"channels":["room","a-pnpres"],"channel-groups":[":h"]},"error":true,"#
                + #""service":"Access Manager","status":403}"#)
        #expect(try await fixture.body("/v2/presence/sub-key/demo/uuid/me").hasPrefix(#"{"status": 200"#))
    }

    @Test("A token allows what it names and what its patterns fit, for its time and its user")
    func tokens() async throws {
        let fixture = Self.fixture()
        let token = try await Self.token(
            fixture,
            #"{"resources":{"channels":{"exact":1}},"patterns":{"channels":{"^room-[0-9]+$":9},"groups":{":g.*":4}},"meta":{"a":1},"uuid":"me"}"#
        )
        func ask(_ target: String, method: String = "GET") async throws -> Int {
            try await fixture.ask(target + (target.contains("?") ? "&" : "?") + "auth=" + token, method: method).status
        }
        func history(_ channel: String) -> String { "/v3/history/sub-key/demo/channel/\(channel)?uuid=me" }
        #expect(try await ask(history("exact")) == 200)
        #expect(try await ask(history("room-7")) == 200)
        #expect(try await ask(history("room-x")) == 403)
        #expect(try await ask(history("room-7,exact,other")) == 403)
        #expect(try await ask(history("room-7"), method: "DELETE") == 200)
        #expect(try await ask(history("exact"), method: "DELETE") == 403)
        let group = "/v1/channel-registration/sub-key/demo/channel-group/g1"
        #expect(try await ask(group + "?uuid=me&add=x") == 200)
        #expect(try await ask(group + "?uuid=me") == 403)
        #expect(try await ask("/v3/history/sub-key/demo/channel/exact?uuid=other") == 403)
        #expect(try await ask("/v3/history/sub-key/demo/channel/exact") == 403)
        fixture.pass(seconds: 15 * 60)
        #expect(
            try await fixture.body(history("exact") + "&auth=" + token)
                == #"403 {"error":true,"status":403,"service":"Access Manager","message":"Token is expired."}"#)
    }

    @Test("A comma divides a list whatever is beside it, so that no pattern lets more than one name through (HB-84)")
    func joinedComma() async throws {
        let fixture = Self.fixture()
        let token = try await Self.token(fixture, #"{"patterns":{"channels":{"^ok.*$":1}},"resources":{}}"#)
        // U+0600 makes one Character of itself and the comma, U+0301 of the comma and itself.
        for (list, denied) in [
            ("ok%D8%80,secret", "secret"), ("ok%D8%80%2Csecret", "secret"), ("ok,%CC%81secret", "\u{301}secret"),
        ] {
            for target in [
                "/v2/subscribe/demo/\(list)/0?tt=0&uuid=me", "/v2/presence/sub-key/demo/channel/\(list)/heartbeat?uuid=me",
                "/v3/history/sub-key/demo/channel/\(list)?uuid=me",
            ] {
                let answer = try await fixture.body(target + "&auth=" + token)
                #expect(answer.hasPrefix("403 ") && answer.contains(#""channels":["\#(denied)"]"#), "\(target): \(answer)")
            }
        }
    }

    @Test("Repeated parameters are all checked, however their names are spelled")
    func repeatedParameters() async throws {
        let fixture = Self.fixture()
        let token = try await Self.token(
            fixture, #"{"resources":{"channels":{"a":1},"groups":{"g":1}},"patterns":{},"uuid":"me"}"#)
        func status(_ query: String) async throws -> Int {
            try await fixture.ask("/v2/presence/sub-key/demo/channel/a/heartbeat?auth=\(token)&\(query)").status
        }
        #expect(try await status("uuid=me&channel-group=g") == 200)
        for query in [
            "uuid=me&channel-group=secret&channel%2Dgroup=g", "uuid=me&channel-group=g&channel-group=secret",
            "uuid=other&uuid=me", "uuid=me&uu%69d=other",
        ] { #expect(try await status(query) == 403, "\(query)") }
    }

    @Test("A token that somebody else signed, or changed, is no token")
    func forged() async throws {
        let fixture = Self.fixture()
        var forged = PubNubAccessToken(
            issued: PubNubRESTFixture.start, ttl: 15, resources: PubNubGrants(channels: ["room": .all]))
        forged.sign(with: "another secret")
        #expect(try await fixture.body(Self.history + "?auth=" + forged.text) == Self.forbidden)
        forged.sign(with: "demo-secret")
        #expect(try await fixture.body(Self.history + "?auth=" + forged.text) == "[[],0,0]")
        forged.ttl = 16
        #expect(try await fixture.body(Self.history + "?auth=" + forged.text) == Self.forbidden)
    }

    @Test("A revoked token is refused, however it is spelled")
    func revoking() async throws {
        let fixture = Self.fixture()
        let token = try await Self.token(fixture, #"{"resources":{"channels":{"room":1}},"patterns":{}}"#)
        #expect(try await fixture.body(Self.history + "?auth=" + token) == "[[],0,0]")
        func revoke(_ token: String) async throws -> String {
            let path = "/v3/pam/demo/grant/" + PercentEncoding.encode(token)
            return try await fixture.body(fixture.signed(path, method: "DELETE"), method: "DELETE")
        }
        #expect(try await revoke(token) == #"{"data":{"message":"Success"},"service":"Access Manager","status":200}"#)
        let revoked = #"403 {"error":true,"status":403,"service":"Access Manager","message":"Token is revoked"}"#
        #expect(try await fixture.body(Self.history + "?auth=" + token) == revoked)
        #expect(try await fixture.body(Self.history + "?auth=" + token.prefix { $0 != "=" }) == revoked)
        func invalid(_ detail: String) -> String {
            #"400 {"error":{"details":[{"location":"token","locationType":"path","message":"\#(detail)"}],"message":"Invalid token","#
                + #""source":"revoke"},"service":"Access Manager","status":400}"#
        }
        #expect(try await revoke("nonsense") == invalid("Token is invalid."))
        fixture.pass(seconds: 15 * 60)
        #expect(try await revoke(token) == invalid("Token is expired."))
    }

    @Test("Grants are signed within a minute, and refused with the reason otherwise")
    func signatures() async throws {
        let fixture = PubNubRESTFixture()
        let body = #"{"ttl":1,"permissions":{"resources":{"channels":{"a":1}},"patterns":{}}}"#
        func refusal(_ status: Int, _ message: String) -> String {
            "\(status) {\"message\":\"\(message)\",\"error\":true,\"service\":\"Access Manager\",\"status\":\(status)}"
        }
        func grant(_ target: String, _ body: String) async throws -> String {
            try await fixture.body(target, method: "POST", body: body)
        }
        let target = fixture.signed("/v3/pam/demo/grant", method: "POST", ["uuid": "me", "pnsdk": "Test/1.0 ~"], body: body)
        #expect(try await grant(target, body).hasPrefix(#"{"data":{"message":"Success","token":""#))
        #expect(try await grant(target, body + " ") == refusal(403, "Invalid Signature"))
        #expect(try await grant("/v3/pam/demo/grant", body) == refusal(403, "Invalid Signature"))
        fixture.pass(seconds: 61)
        #expect(try await grant(target, body) == refusal(400, "Invalid Timestamp"))
    }

    @Test(
        "Grants that make no sense are refused",
        arguments: [
            (
                #"{"ttl":0,"permissions":{"resources":{"channels":{"a":1}}}}"#,
                #"{"error":{"message":"Invalid ttl","source":"grant","details":[{"message":"Range should be 1 to 43200 minute(s).","#
                    + #""location":"ttl","locationType":"body"}]},"service":"Access Manager","status":400}"#
            ),
            (
                #"{"ttl":5,"permissions":{"resources":{"channels":{}},"patterns":{},"meta":{}}}"#,
                #"{"error":{"message":"This grant contains no permissions","source":"grant","details":[{"message":"What are you granting?","#
                    + #""location":"permissions","locationType":"body"}]},"service":"Access Manager","status":400}"#
            ),
            (
                #"{"ttl":5,"permissions":{"resources":{"channels":{"a":"1"}}}}"#,
                #"{"message":"Could Not Parse Request","error":true,"service":"Access Manager","status":400}"#
            ),
            ("nonsense", #"{"message":"Could Not Parse Request","error":true,"service":"Access Manager","status":400}"#),
            (
                #"{"ttl":5,"permissions":{"patterns":{"channels":{"(":1}}}}"#,
                #"{"error":{"message":"Invalid pattern","source":"grant","details":[{"message":"The pattern is not a supported regular expression.","#
                    + #""location":"permissions.patterns","locationType":"body"}]},"service":"Access Manager","status":400}"#
            ),
        ])
    func refusedGrants(body: String, expected: String) async throws {
        let fixture = PubNubRESTFixture()
        let target = fixture.signed("/v3/pam/demo/grant", method: "POST", body: body)
        let answer = try await fixture.ask(target, method: "POST", body: body)
        #expect(answer == .init(status: 400, contentType: "text/javascript; charset=UTF-8", body: expected))
    }

    @Test(
        "A token is not granted to everybody because its user is no string (PV-185)",
        arguments: ["5", "true", "{}", #"["me"]"#])
    func userThatIsNoString(user: String) async throws {
        let fixture = Self.fixture()
        func grant(_ user: String) async throws -> PubNubRESTFixture.Answer {
            let body = #"{"ttl":5,"permissions":{"resources":{"channels":{"room":1}},"patterns":{},"uuid":\#(user)}}"#
            let target = fixture.signed("/v3/pam/demo/grant", method: "POST", body: body)
            return try await fixture.ask(target, method: "POST", body: body)
        }
        let answer = try await grant(user)
        #expect(answer.status == 400 && answer.body.contains(#""message":"Invalid uuid""#), "\(answer.body)")
        #expect(try await grant("null").status == 200)
    }

    @Test("A request that is signed may do everything, and a wrong signature nothing")
    func signedRequests() async throws {
        let fixture = Self.fixture()
        #expect(try await fixture.body(fixture.signed(Self.history)) == "[[],0,0]")
        #expect(try await fixture.ask(Self.history + "?signature=v2.x&timestamp=\(PubNubRESTFixture.start)").status == 403)
    }
}
