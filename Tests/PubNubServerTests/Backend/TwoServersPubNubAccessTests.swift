import PubNubProtocol
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

// Grants and revoked tokens of servers on one backend.
extension TwoServersPubNubTests {
    @Test("A token that is revoked through one server ends the poll that the other holds", arguments: [1, 2])
    func revocation(servers: Int) async throws {
        let clock = ManualClock()
        try await withGuardedServers(servers, clock) { here, there in
            let reader = try await PollClient.connect(there)
            var token = PubNubAccessToken(
                issued: clock.clock.unixSeconds(), ttl: 10, resources: PubNubGrants(channels: ["room": [.read, .write]]))
            token.sign(with: PubNubAccessTests.guarded.secretKey.revealed)
            let cursor = try await reader.get("/v2/subscribe/demo/room/0?tt=0&auth=\(token.text)").cursor
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&auth=\(token.text)")
            try await there.holds(1)
            let path = "/v3/pam/demo/grant/" + PercentEncoding.encode(token.text)
            let answer = try await here.request("DELETE", PubNubHeldAccessTests.signed(path, method: "DELETE", at: clock))
            #expect(answer.status == 200, "\(answer.body)")
            let reply = try await reader.reply()
            #expect(reply.status == 403 && reply.packed.contains("Tokenisrevoked"))
            #expect(try await reader.get("/v2/subscribe/demo/room/0?tt=0&auth=\(token.text)").status == 403)
        }
    }

    @Test("A grant holds on both servers, and its end ends the polls of both", arguments: [1, 2])
    func grant(servers: Int) async throws {
        let clock = ManualClock()
        try await withGuardedServers(servers, clock) { here, there in
            let target = "/v2/subscribe/demo/room/0?auth=k&tt="
            let readers = [try await PollClient.connect(here), try await PollClient.connect(there)]
            for reader in readers { #expect(try await reader.get(target + "0").status == 403) }
            let rights = ["channel": "room", "auth": "k", "r": "1", "ttl": "1"]
            let answer = try await here.request(
                "GET", PubNubHeldAccessTests.signed("/v2/auth/grant/sub-key/demo", rights, at: clock))
            #expect(answer.status == 200, "\(answer.body)")
            for reader in readers {
                let reply = try await reader.get(target + "0")
                #expect(reply.status == 200)
                try await reader.send(target + reply.cursor)
            }
            try await here.holds(servers == 1 ? 2 : 1)
            try await there.holds(servers == 1 ? 2 : 1)
            clock.advance(by: 60)
            for reader in readers { #expect(try await reader.reply().status == 403) }
        }
    }

    private func withGuardedServers(
        _ count: Int, _ clock: ManualClock, _ body: (_ here: LifelineServer, _ there: LifelineServer) async throws -> Void
    ) async throws {
        try await withSharedServers(
            count,
            {
                $0.keysets = [PubNubAccessTests.guarded]
                $0.clock = clock.clock
            }, body)
    }
}
