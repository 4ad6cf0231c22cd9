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

@Suite("Rights that end while a poll is held (rule PV-138)", .timeLimit(.minutes(1)))
struct PubNubHeldAccessTests {
    private static let revoked = #"{"error":true,"status":403,"service":"Access Manager","message":"Token is revoked"}"#
    private static let expired = #"{"error":true,"status":403,"service":"Access Manager","message":"Token is expired."}"#
    private static let forbidden =
        #"{"message":"Forbidden","payload":{"channels":["room"]},"error":true,"service":"Access Manager","status":403}"#

    private func withGuardedServer(
        _ clock: ManualClock = ManualClock(), _ body: (LifelineServer, PollClient, PollClient) async throws -> Void
    ) async throws {
        try await withServer(
            quietApplication,
            {
                $0.keysets = [PubNubAccessTests.guarded]
                $0.clock = clock.clock
            }
        ) { server in
            try await body(server, try await PollClient.connect(server), try await PollClient.connect(server))
        }
    }

    /// The target of a signed request.
    static func signed(
        _ path: String, method: String = "GET", _ parameters: [String: String] = [:], body: String = "", at clock: ManualClock
    ) -> String {
        let keyset = PubNubAccessTests.guarded
        let all = PubNubSignature.signed(
            method: method, path: path, parameters: parameters.map { PubNubRequest.Parameter($0.key, $0.value) },
            body: Array(body.utf8), publishKey: keyset.publishKey, subscribeKey: keyset.subscribeKey,
            secretKey: keyset.secretKey.revealed, timestamp: clock.clock.unixSeconds())
        return path + "?" + PubNubSignature.query(all) + "&signature=" + (all.last?.value ?? "")
    }

    private func token(_ clock: ManualClock, minutes: Int = 10) -> PubNubAccessToken {
        var token = PubNubAccessToken(
            issued: clock.clock.unixSeconds(), ttl: minutes, resources: PubNubGrants(channels: ["room": [.read, .write]]))
        token.sign(with: PubNubAccessTests.guarded.secretKey.revealed)
        return token
    }

    @Test(
        "A token that is revoked ends its poll; the connection goes on, and other polls do",
        arguments: ["", "&filter-expr=a%3D%3D1"])
    func revoking(filter: String) async throws {
        let clock = ManualClock()
        try await withGuardedServer(clock) { server, reader, other in
            let (token, own) = (token(clock).text, token(clock, minutes: 11).text)
            let cursor = try await reader.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(token)").cursor
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&auth=\(token)\(filter)")
            try await other.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=v&auth=\(own)")
            try await server.holds(2)
            let path = "/v3/pam/demo/grant/" + PercentEncoding.encode(token)
            let answer = try await server.request("DELETE", Self.signed(path, method: "DELETE", at: clock))
            #expect(answer.status == 200, "\(answer.body)")
            let reply = try await reader.reply()
            #expect(reply.status == 403 && reply.body == Self.revoked && reply.head.contains("connection: keep-alive"))
            try await server.holds(1)
            #expect(try await reader.get("/time/0").status == 200)
            let writer = try await PollClient.connect(server)
            #expect(try await writer.get("/publish/demo/demo/0/room/0/1?auth=\(own)").status == 200)
            #expect(try await other.reply().payloads == ["1"])
        }
    }

    @Test("A token that ends takes its poll with it")
    func expiry() async throws {
        let clock = ManualClock()
        try await withGuardedServer(clock) { server, reader, _ in
            let token = token(clock, minutes: 1).text
            let cursor = try await reader.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(token)").cursor
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&auth=\(token)")
            try await server.holds(1)
            clock.advance(by: 60)
            let reply = try await reader.reply()
            #expect(reply.status == 403 && reply.body == Self.expired)
        }
    }

    @Test("A grant of version 2 that ends, or is taken back, ends the polls that need it")
    func grants() async throws {
        let clock = ManualClock()
        try await withGuardedServer(clock) { server, reader, other in
            for (client, auth, minutes) in [(reader, "a", "1"), (other, "b", "0")] {
                let parameters = ["channel": "room", "auth": auth, "r": "1", "ttl": minutes]
                let target = Self.signed("/v2/auth/grant/sub-key/demo", parameters, at: clock)
                #expect(try await server.request("GET", target).status == 200)
                let cursor = try await client.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(auth)").cursor
                try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=\(auth)&auth=\(auth)")
            }
            try await server.holds(2)
            clock.advance(by: 60)
            let ended = try await reader.reply()
            #expect(ended.status == 403 && ended.body == Self.forbidden)
            try await server.holds(1)
            let target = Self.signed("/v2/auth/grant/sub-key/demo", ["channel": "room", "auth": "b", "r": "0"], at: clock)
            #expect(try await server.request("GET", target).status == 200)
            let taken = try await other.reply()
            #expect(taken.status == 403 && taken.body == Self.forbidden)
        }
    }

    @Test("A poll is looked at again only when rights may have changed")
    func versions() {
        let book = AccessGrants()
        var access = HeldAccess([], auth: nil, end: 100, version: book.version(at: 1))
        func mayHaveEnded(at now: Int) -> Bool { access.mayHaveEnded(at: now, version: book.version(at: now)) }
        #expect(!mayHaveEnded(at: 1))
        book.set(AccessEntry(.init(.channel, "c"), rights: 1, ttl: 1, expires: 60))
        #expect(mayHaveEnded(at: 2))
        #expect(!mayHaveEnded(at: 59))
        // The grant ends.
        #expect(mayHaveEnded(at: 60))
        #expect(!mayHaveEnded(at: 99))
        book.set(AccessEntry(.init(.revokedToken, "01"), expires: 200))
        #expect(mayHaveEnded(at: 99))
        #expect(!mayHaveEnded(at: 99))
        // The token ends, without a change of the book.
        #expect(mayHaveEnded(at: 100))
    }
}
