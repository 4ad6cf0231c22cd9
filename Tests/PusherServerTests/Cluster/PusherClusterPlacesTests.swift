import PusherProtocol
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite("The limit of an application's connections on several nodes (CP-31, CP-32, CP-61, CP-62)", .timeLimit(.minutes(1)))
struct PusherClusterPlacesTests {
    private func limited(to limit: Int, _ clock: ManualClock? = nil) -> (inout ServerConfiguration) -> Void {
        { configuration in
            var application = quietApplication
            application.limits.connections = limit
            configuration.applications = InMemoryApplicationRegistry([application])
            if let clock { configuration.clock = clock.withTimeOfDay }
        }
    }

    /// Nil when the connection is greeted, otherwise the code of the error that it gets instead.
    private func verdict(of client: TestClient) async throws -> Int? {
        guard case .message(let first) = try await client.next() else { return 0 }
        return first.event == PusherEventName.connectionEstablished ? nil : PusherErrorData(parsing: first.data).code
    }

    @Test("CP-31: Of clients that connect to three nodes at once exactly so many are admitted as the limit allows")
    func race() async throws {
        try await withPusherCluster(3, limited(to: 10)) { cluster in
            for _ in 0..<3 {
                let clients = try await withThrowingTaskGroup(of: TestClient.self) { group in
                    for number in 0..<30 {
                        let port = cluster[number % 3].port
                        group.addTask { try await TestClient.open(port: port) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                var codes: [Int?] = []
                for client in clients { codes.append(try await verdict(of: client)) }
                #expect(codes.filter { $0 == nil }.count == 10)
                #expect(codes.filter { $0 == 4004 }.count == 20)
                for client in clients { await client.closeSocket() }
                for node in cluster.nodes {
                    await eventually { node.channels.connections(of: quietApplication) == 0 }
                }
            }
        }
    }

    @Test("CP-61: A place that gets free at one node can be taken at another one at once")
    func free() async throws {
        try await withPusherCluster(2, limited(to: 1)) { cluster in
            for number in 0..<20 {
                let client = try await cluster[number % 2].connect()
                await client.closeSocket()
                await eventually { cluster[number % 2].context.admission.withLockedValue(\.connections) == 0 }
                await cluster.cluster.settle()
            }
        }
    }

    @Test("CP-32: Without a leader a connection waits for its place, and is closed with 4100 when the time is over")
    func leaderless() async throws {
        let clock = ManualClock()
        try await withPusherCluster(1, limited(to: 1, clock)) { cluster in
            await cluster.cluster.loseLeader()
            let early = try await TestClient.open(port: cluster[0].port)
            await eventually { cluster[0].context.admission.withLockedValue(\.connections) == 1 }
            await cluster.cluster.settle()
            clock.advance(by: 61)
            #expect(try await early.expectFarewell() == 4100)
            let gone = try await TestClient.open(port: cluster[0].port)
            await eventually { cluster[0].context.admission.withLockedValue(\.connections) == 1 }
            await gone.closeSocket()
            await eventually { cluster[0].context.admission.withLockedValue(\.connections) == 0 }
            let late = try await TestClient.open(port: cluster[0].port)
            try await cluster.lead()
            // Neither of those who have gone has the only place.
            #expect(try await verdict(of: late) == nil)
            let second = try await TestClient.open(port: cluster[0].port)
            #expect(try await verdict(of: second) == 4004)
        }
    }

    @Test(
        "CP-62: A new leader knows the places of nodes that have not announced themselves, until they are given up",
        .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func newLeader() async throws {
        try await withPusherCluster(2, isKept: true, limited(to: 2)) { cluster in
            // The first node announces itself before the second one has.
            let first = try await cluster[0].connect()
            let other = try await cluster[1].connect()
            await cluster.cluster.loseLeader()
            let third = try await TestClient.open(port: cluster[0].port)
            await eventually { cluster[0].context.admission.withLockedValue(\.connections) == 2 }
            await cluster.cluster.settle()
            try await cluster.lead()
            #expect(try await verdict(of: third) == 4004)
            await cluster.cluster.loseLeader()
            await cluster.kill(1)
            try await cluster.lead()
            await cluster.cluster.settle()
            let fourth = try await cluster[0].connect()
            for client in [first, fourth] { try await client.subscribe("a") }
            await other.closeSocket()
        }
    }
}
