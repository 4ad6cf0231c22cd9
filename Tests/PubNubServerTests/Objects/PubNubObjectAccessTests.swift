import PubNubProtocol
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Which rights App Context needs (rule PO-20)")
struct PubNubObjectAccessTests {
    private static let set = #"{"set":[{"channel":{"id":"a"}},{"channel":{"id":"b"}}]}"#

    /// What each call needs on which resource.
    static let needs: [(method: String, path: String, body: String, needs: [(kind: String, name: String, bits: Int)])] = [
        ("GET", "uuids", "", [("uuids", "*", 32)]), ("GET", "channels", "", [("channels", "*", 32)]),
        ("GET", "uuids/u", "", [("uuids", "u", 32)]), ("PATCH", "uuids/u", "{}", [("uuids", "u", 64)]),
        ("DELETE", "uuids/u", "", [("uuids", "u", 8)]), ("GET", "channels/c", "", [("channels", "c", 32)]),
        ("PATCH", "channels/c", "{}", [("channels", "c", 64)]), ("DELETE", "channels/c", "", [("channels", "c", 8)]),
        ("GET", "uuids/u/channels", "", [("uuids", "u", 32)]),
        ("PATCH", "uuids/u/channels", set, [("uuids", "u", 64), ("channels", "a", 128), ("channels", "b", 128)]),
        ("GET", "channels/c/uuids", "", [("channels", "c", 32)]),
        ("PATCH", "channels/c/uuids", #"{"set":[{"uuid":{"id":"u"}}]}"#, [("channels", "c", 4)]),
    ]

    @Test("A token with exactly these rights allows a call, and one that lacks any of them does not", arguments: needs.indices)
    func tokens(index: Int) async throws {
        let fixture = PubNubAccessTests.fixture()
        let call = Self.needs[index]
        func ask(_ rights: [(kind: String, name: String, bits: Int)]) async throws -> PubNubRESTFixture.Answer {
            var token = PubNubAccessToken(issued: fixture.application.clock.unixSeconds(), ttl: 10)
            for right in rights {
                // What stands for everything is granted by a pattern.
                let bits = PubNubRights(rawValue: right.bits)
                switch (right.kind, right.name) {
                case ("uuids", "*"): token.patterns.users[".*"] = bits
                case ("channels", "*"): token.patterns.channels[".*"] = bits
                case ("uuids", let name): token.resources.users[.init(name)] = bits
                case (_, let name): token.resources.channels[.init(name)] = bits
                }
            }
            token.sign(with: PubNubAccessTests.guarded.secretKey.revealed)
            return try await fixture.ask(
                "/v2/objects/demo/\(call.path)?uuid=me&auth=\(token.text)", method: call.method, body: call.body)
        }
        let allowed = try await ask(call.needs)
        #expect(allowed.status == 200 || allowed.status == 404, "\(allowed.body)")
        for (missing, need) in call.needs.enumerated() {
            var rights = call.needs
            rights[missing].bits = 255 & ~need.bits
            let refused = try await ask(rights)
            let payload = #"{"message":"Forbidden","payload":{"\#(need.kind)":["\#(need.name)"]},"error":true,"#
            #expect(refused.status == 403 && refused.body.hasPrefix(payload), "\(refused.body)")
        }
    }

    @Test("A token for one user is of no use to another, and a grant of the second version counts for users too")
    func identities() async throws {
        let fixture = PubNubAccessTests.fixture()
        let token = try await PubNubAccessTests.token(fixture, #"{"resources":{"uuids":{"ann":96}},"patterns":{},"uuid":"ann"}"#)
        func ask(_ query: String, _ user: String = "ann", method: String = "GET") async throws -> Int {
            try await fixture.ask("/v2/objects/demo/uuids/\(user)?\(query)", method: method, body: "{}").status
        }
        #expect(try await ask("uuid=ann&auth=" + token, method: "PATCH") == 200)
        #expect(try await ask("uuid=ann&auth=" + token) == 200)
        #expect(try await ask("uuid=bob&auth=" + token) == 403)
        #expect(try await ask("uuid=ann&auth=" + token, "bob") == 403)
        #expect(try await ask("uuid=ann&auth=k") == 403)
        _ = try await PubNubGrantTests.grant(fixture, ["target-uuid": "ann", "auth": "k", "g": "1", "ttl": "5"])
        #expect(try await ask("uuid=bob&auth=k") == 200)
        #expect(try await ask("uuid=bob&auth=k", method: "PATCH") == 403)
        #expect(try await fixture.ask(fixture.signed("/v2/objects/demo/uuids")).status == 200)
    }
}
