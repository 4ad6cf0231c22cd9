import NIOConcurrencyHelpers
import PusherProtocol
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// What a leader knows of nodes that have not announced themselves to it, or that hold something it cannot serve.
@Suite(.timeLimit(.minutes(1))) struct UnannouncedNodeTests {
    /// Ordinary, with members, and with a cached event.
    private static let channels = ["room", "presence-x", "cache-x", "presence-cache-x"]

    private func publish(_ data: String, to channels: [String], at node: PusherNode) async throws -> Int {
        let list = channels.map { #""\#($0)""# }.joined(separator: ",")
        return try await node.post("/apps/1001/events", #"{"name":"e","channels":[\#(list)],"data":"\#(data)"}"#).status
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func `CP-50: events reach subscribers whose node has not announced itself to the new leader`() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let plain = try await cluster[1].connect()
            let recovering = try await TestClient.connect(port: cluster[1].port, recovers: true)
            for channel in Self.channels {
                let user = channel.hasPrefix("presence-") ? "ann" : nil
                for client in [plain, recovering] {
                    try await client.subscribe(channel, user: user)
                    if channel.contains("cache") { try await client.expect("pusher:cache_miss") }
                }
            }
            // The leader dies right after the confirmations, without a word.
            await cluster.cluster.loseLeader()
            try await cluster.lead(isAnnounced: false)
            #expect(try await publish("1", to: Self.channels, at: cluster[0]) == 200)
            await cluster.cluster.announce()
            #expect(try await publish("2", to: Self.channels, at: cluster[0]) == 200)
            for (client, isRecovering) in [(plain, false), (recovering, true)] {
                var found: [String: [String]] = [:]
                for _ in 0..<2 * Self.channels.count {
                    let event = try await client.expect("e")
                    found[event.channel ?? "", default: []].append(event.data ?? "")
                    #expect((event.position != nil) == isRecovering)
                }
                for channel in Self.channels { #expect(found[channel] == ["1", "2"], "\(channel)") }
                try await client.expectSilence()
            }
            #expect(try await cluster[0].get("/apps/1001/channels/presence-x/users").body == #"{"users":[{"id":"ann"}]}"#)
        }
    }

    /// Applications that can be taken away for a while.
    private final class ChangingApplications: ApplicationRegistry {
        private let all = NIOLockedValueBox([quietApplication])

        func set(_ applications: [Application]) { all.withLockedValue { $0 = applications } }
        func application(id: String) -> Application? { all.withLockedValue { $0 }.first { $0.id == id } }
        func application(key: String) -> Application? { all.withLockedValue { $0 }.first { $0.key == key } }
    }

    @Test(arguments: [false, true])
    func `CP-80: connections of an application that a leader gets to know later are closed, and no others`(
        isSignedIn: Bool
    ) async throws {
        var second = quietApplication
        (second.id, second.key) = ("1002", "key-2")
        let (registry, other) = (ChangingApplications(), second)
        registry.set([quietApplication, other])
        try await withPusherCluster(2, { $0.applications = registry }) { cluster in
            let client = try await cluster[1].connect()
            if isSignedIn { try await client.signIn("ann") } else { try await client.subscribe("room") }
            // The next leader's configuration does not have the application yet.
            registry.set([other])
            let leader = try await cluster.lead()
            leader.applicationsChanged()
            await cluster.cluster.settle()
            try await client.expectSilence()
            registry.set([quietApplication, other])
            leader.applicationsChanged()
            #expect(try await client.expectFarewell() == 4200)
            let back = try await cluster[1].connect()
            try await back.subscribe("room")
            // It is told once.
            leader.applicationsChanged()
            #expect(try await publish("1", to: ["room"], at: cluster[0]) == 200)
            #expect(try await back.expect("e").data == "1")
            try await back.expectSilence()
        }
    }

    @Test func `CP-80: so are those that sign in before their leader knows the application`() async throws {
        var other = quietApplication
        (other.id, other.key) = ("1002", "key-2")
        let (registry, second) = (ChangingApplications(), other)
        try await withPusherCluster(1, { $0.applications = registry }) { cluster in
            let client = try await cluster[0].connect()
            registry.set([second])
            let leader = try await cluster.lead()
            let userData = #"{"id":"ann"}"#
            let auth = PusherSignature.userAuth(
                socketID: await client.socketID, userData: userData, key: "app-key", secret: "app-secret")
            try await client.send(PusherClientFrames.signin(auth: auth, userData: userData))
            // The leader has taken the request, and nobody answers it.
            try await client.expectSilence()
            await cluster.cluster.settle()
            registry.set([quietApplication, second])
            leader.applicationsChanged()
            #expect(try await client.expectFarewell() == 4200)
        }
    }
}
