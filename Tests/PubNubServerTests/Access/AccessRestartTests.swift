import Foundation
import HubStorage
import Identifiers
import PubNubProtocol
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What is granted and revoked outlives a restart (rule PV-87)")
struct AccessRestartTests {
    static let history = "/v2/history/sub-key/demo/channel/"

    /// Two servers, one after the other, with one data directory.
    static func restart(
        _ body: @escaping (PubNubRESTFixture) async throws -> Void,
        then check: @escaping (PubNubRESTFixture) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for body in [body, check] {
            let store = try SQLiteMessageStore(
                directory: directory, now: { UInt64(PubNubRESTFixture.start) * TimetokenClock.ticksPerSecond })
            let restored = try await store.restore()
            try await body(PubNubRESTFixture(PubNubAccessTests.guarded, store: store, restored: restored))
            await store.close()
        }
    }

    @Test("A revoked token stays revoked, another one stays good")
    func revocations() async throws {
        var tokens: [String] = []
        let permissions = #"{"resources":{"channels":{"room":1}},"patterns":{}}"#
        try await Self.restart { server in
            for ttl in [15, 16] { tokens.append(try await PubNubAccessTests.token(server, permissions, ttl: ttl)) }
            _ = try await server.body(
                server.signed("/v3/pam/demo/grant/" + tokens[0].replacing("=", with: "%3D"), method: "DELETE"), method: "DELETE")
        } then: { (server: PubNubRESTFixture) async throws -> Void in
            #expect(
                try await server.body(Self.history + "room?auth=" + tokens[0])
                    == #"403 {"error":true,"status":403,"service":"Access Manager","message":"Token is revoked"}"#)
            #expect(try await server.body(Self.history + "room?auth=" + tokens[1]) == "[[],0,0]")
        }
    }

    @Test("Grants come back as they were, the last one for the same thing counts")
    func grants() async throws {
        try await Self.restart { server in
            _ = try await PubNubGrantTests.grant(server, ["channel": "a,b", "auth": "k", "r": "1", "ttl": "5"])
            _ = try await PubNubGrantTests.grant(server, ["channel": "b", "auth": "k", "r": "0", "ttl": "5"])
            _ = try await PubNubGrantTests.grant(server, ["channel-group": "g", "r": "1", "ttl": "0"])
            _ = try await PubNubGrantTests.grant(server, ["target-uuid": "u", "auth": "k", "g": "1", "ttl": "5"])
        } then: { (server: PubNubRESTFixture) async throws -> Void in
            #expect(try await server.ask(Self.history + "a?auth=k").status == 200)
            #expect(try await server.ask(Self.history + "b?auth=k").status == 403)
            #expect(try await server.ask("/v1/channel-registration/sub-key/demo/channel-group/g").status == 200)
            let audit = try await PubNubGrantTests.grant(server, ["target-uuid": "u", "auth": "k"], audit: true)
            #expect(audit.contains(#""uuids":{"u":{"auths":{"k":{"r":0,"w":0,"m":0,"d":0,"g":1,"u":0,"j":0}}}}"#))
            server.pass(seconds: 300)
            #expect(try await server.ask(Self.history + "a?auth=k").status == 403)
            #expect(try await server.ask("/v1/channel-registration/sub-key/demo/channel-group/g").status == 200)
        }
    }

    @Test("Many grants come back in their order")
    func many() async throws {
        let keys = (0..<1100).map { AccessEntry.Key(.channel, Identifier("c\($0)")) }
        try await Self.restart { server in
            for part in [keys[..<700], keys[700...], keys[5..<6]] {
                try await PubNubREST(application: server.application).keep(part.map { AccessEntry($0, rights: 1) })
            }
        } then: { (server: PubNubRESTFixture) async throws -> Void in
            #expect(server.application.grants.grants(at: 0).map(\.key) == keys)
        }
    }

    @Test("What cannot be stored is not granted, but revoked all the same")
    func failingStore() async throws {
        let server = PubNubRESTFixture(PubNubAccessTests.guarded, store: FailingStore())
        let unavailable = #"503 {"message":"Service Unavailable","error":true,"service":"Access Manager","status":503}"#
        #expect(try await PubNubGrantTests.grant(server, ["channel": "a", "r": "1"]) == unavailable)
        #expect(try await server.ask(Self.history + "a").status == 403)
        let token = try await PubNubAccessTests.token(server, #"{"resources":{"channels":{"room":1}},"patterns":{}}"#)
        let path = "/v3/pam/demo/grant/" + token.replacing("=", with: "%3D")
        #expect(try await server.body(server.signed(path, method: "DELETE"), method: "DELETE") == unavailable)
        let answer = try await server.body(Self.history + "room?auth=" + token)
        #expect(answer.contains("Token is revoked"))
    }
}
