import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster
import ServerRuntime
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("What a node asks of the leader for its polls")
struct PubNubRelayTests {
    /// A way to a leader that there is not: keeps how long each request may take.
    private final class SilentBus: ClusterBus {
        let node = ClusterNode(name: "a", incarnation: 1)
        let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let store: any ClusterStore = InProcessCluster.Store()
        let limits = NIOLockedValueBox<[Duration?]>([])

        func attach(_ member: any ClusterMember, of service: ClusterServiceID) {}

        func request(
            _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
            completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
        ) {
            limits.withLockedValue { $0.append(limit) }
        }

        func query(
            _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
            completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
        ) {}
    }

    @Test("Joins wait for a leader however long there is none, but ten thousand at most (CB-31)")
    func waitingJoins() throws {
        let bus = SilentBus()
        let configuration = ServerConfiguration()
        let streams = ClusterStreams(
            configuration.pubnub, clock: configuration.clock, names: MetricNames(), bus: bus, leading: nil)
        let application = try #require(streams.applications.first)
        let touch = PubNubClusterRequest.PresenceTouch(
            user: OccupancyUser(id: "ann", connection: "1"), timeout: nil, places: [.init(channel: "room", state: nil)])
        for _ in 0...10_000 {
            streams.relay.touch(touch, TouchedRequest(sources: [], timeout: nil, state: [:]), of: application)
        }
        let limits = bus.limits.withLockedValue { $0 }
        #expect(limits.count == 10_001)
        #expect(limits.dropLast().allSatisfy { $0 == nil })
        #expect(limits.last == .seconds(3))
    }
}
