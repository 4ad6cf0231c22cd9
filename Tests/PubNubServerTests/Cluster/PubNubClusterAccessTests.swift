import PubNubProtocol
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Rights are those of all nodes of a cluster (CB-23)", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterAccessTests {
    @Test("A token that is revoked through one node ends the poll that the other holds")
    func revocation() async throws {
        let clock = ManualClock()
        try await withGuardedCluster(clock) { here, there in
            let reader = try await there.connect()
            var token = PubNubAccessToken(
                issued: clock.clock.unixSeconds(), ttl: 10, resources: PubNubGrants(channels: ["room": [.read, .write]]))
            token.sign(with: PubNubAccessTests.guarded.secretKey.revealed)
            let cursor = try await reader.get("/v2/subscribe/demo/room/0?tt=0&auth=\(token.text)").cursor
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&auth=\(token.text)")
            try await there.holds(1)
            let writer = try await here.connect()
            #expect(try await writer.get("/publish/demo/demo/0/other/0/1?auth=\(token.text)").status == 403)
            let path = "/v3/pam/demo/grant/" + PercentEncoding.encode(token.text)
            let answer = try await writer.delete(PubNubHeldAccessTests.signed(path, method: "DELETE", at: clock))
            #expect(answer.status == 200, "\(answer.body)")
            let reply = try await reader.reply()
            #expect(reply.status == 403 && reply.packed.contains("Tokenisrevoked"))
            #expect(try await reader.get("/v2/subscribe/demo/room/0?tt=0&auth=\(token.text)").status == 403)
            #expect(try await reader.get("/publish/demo/demo/0/room/0/1?auth=\(token.text)").status == 403)
        }
    }

    @Test("A grant holds on all nodes, and its end ends the polls of all")
    func grant() async throws {
        let clock = ManualClock()
        try await withGuardedCluster(clock) { here, there in
            let target = "/v2/subscribe/demo/room/0?auth=k&tt="
            let readers = [try await here.connect(), try await there.connect()]
            for reader in readers { #expect(try await reader.get(target + "0").status == 403) }
            let rights = ["channel": "room", "auth": "k", "r": "1", "ttl": "1"]
            let answer = try await readers[1].get(
                PubNubHeldAccessTests.signed("/v2/auth/grant/sub-key/demo", rights, at: clock))
            #expect(answer.status == 200, "\(answer.body)")
            for reader in readers {
                let reply = try await reader.get(target + "0")
                #expect(reply.status == 200)
                try await reader.send(target + reply.cursor)
            }
            try await here.holds(1)
            try await there.holds(1)
            clock.advance(by: 60)
            for reader in readers { #expect(try await reader.reply().status == 403) }
        }
    }

    private func withGuardedCluster(
        _ clock: ManualClock, _ body: (_ here: PubNubNode, _ there: PubNubNode) async throws -> Void
    ) async throws {
        try await withPubNubCluster(
            2,
            {
                $0.keysets = [PubNubAccessTests.guarded]
                $0.clock = clock.clock
            }
        ) { try await body($0.nodes[0], $0.nodes[1]) }
    }
}
