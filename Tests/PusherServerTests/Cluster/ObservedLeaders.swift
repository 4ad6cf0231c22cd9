import NIOConcurrencyHelpers
import NIOCore
import ServerCluster

@testable import PusherServer

/// Makes leaders whose requests of the HTTP API are recorded, and which can be of the version before.
final class ObservedLeaders: ClusterLeaderFactory {
    private let factory: PusherClusterLeaderFactory
    /// Whether the leaders cannot read encoded events.
    private let isFormer: Bool
    private let seen = NIOLockedValueBox<[String]>([])

    init(_ factory: PusherClusterLeaderFactory, isFormer: Bool = false) {
        self.factory = factory
        self.isFormer = isFormer
    }

    /// The requests so far, by their kind.
    var requests: [String] { seen.withLockedValue { $0 } }

    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        Leader(try await factory.makeLeader(context), isFormer: isFormer) { [seen] kind in
            seen.withLockedValue { $0.append(kind) }
        }
    }

    private final class Leader: ClusterLeader {
        private let leader: any ClusterLeader
        private let isFormer: Bool
        private let note: @Sendable (String) -> Void

        init(_ leader: any ClusterLeader, isFormer: Bool, _ note: @escaping @Sendable (String) -> Void) {
            self.leader = leader
            self.isFormer = isFormer
            self.note = note
        }

        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
            switch try? PusherRequest(decoding: request) {
            case .events:
                note("encoded events")
                // As a leader answers whatever it cannot read (rule CP-1).
                if isFormer { return reply(ByteBuffer()) }
            case .http(let request): note("\(request.method) \(request.target.rawPath)")
            case .partition(.events): note("plain events")
            default: break
            }
            leader.handle(request, from: node, reply: reply)
        }

        func announced(_ requests: [ByteBuffer], by node: ClusterNode) { leader.announced(requests, by: node) }
        func left(_ node: ClusterNode) { leader.left(node) }
        var restoredNodes: [ClusterNode] { leader.restoredNodes }
        func prepareToResign() async { await leader.prepareToResign() }
        func close() async { await leader.close() }
    }
}
