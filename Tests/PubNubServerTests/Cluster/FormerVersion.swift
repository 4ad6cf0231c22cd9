import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerStorage

@testable import PubNubServer

/// Makes leaders of the version before: they announce nothing, and do not know the requests of nodes that keep messages of their own
/// subscriptions only.
final class FormerLeaders: ClusterLeaderFactory {
    private let factory: PubNubClusterLeaderFactory
    private let refused = NIOLockedValueBox(0)

    init(_ factory: PubNubClusterLeaderFactory) {
        self.factory = factory
    }

    /// The number of requests that the leaders could not read.
    var refusedCount: Int { refused.withLockedValue { $0 } }

    func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
        let context = ClusterLeaderContext(
            output: Output(context.output), store: context.store, log: context.log, generation: context.generation,
            former: context.former, hasLost: context.hasLost, eventLoop: context.eventLoop, partition: context.partition)
        return Leader(try await factory.makeLeader(context)) { [refused] in refused.withLockedValue { $0 += 1 } }
    }

    private final class Output: ClusterOutput {
        private let output: any ClusterOutput

        init(_ output: any ClusterOutput) {
            self.output = output
        }

        func emit(
            _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
            completion: (@Sendable (Bool) -> Void)?
        ) {
            let known = fact.flatMap { (try? PubNubFact.decode($0).fact) == .answersMissed ? nil : $0 }
            output.emit(known, of: service, to: audience, writes: writes, completion: completion)
        }

        func perform(_ body: @escaping @Sendable () -> Void) { output.perform(body) }
    }

    private final class Leader: ClusterLeader {
        private let leader: any ClusterLeader
        private let refuse: @Sendable () -> Void

        init(_ leader: any ClusterLeader, refuse: @escaping @Sendable () -> Void) {
            self.leader = leader
            self.refuse = refuse
        }

        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
            switch try? PubNubClusterRequest(decoding: request) {
            case .missed, .stateWithoutMessages:
                refuse()
                // As a leader answers whatever it cannot read.
                reply(ByteBuffer())
            default: leader.handle(request, from: node, reply: reply)
            }
        }

        func announced(_ requests: [ByteBuffer], by node: ClusterNode) { leader.announced(requests, by: node) }
        func left(_ node: ClusterNode) { leader.left(node) }
        var restoredNodes: [ClusterNode] { leader.restoredNodes }
        func prepareToResign() async { await leader.prepareToResign() }
        func close() async { await leader.close() }
    }
}

/// What a node of the version before does with the state of the development keyset: it takes the messages of the state, reports a gap
/// before it, and requests nothing else.
final class FormerNode: ClusterMember {
    private struct State {
        var incoming: MessageStreams<Int>?
        var streams: MessageStreams<Int>?
    }

    let bus: InProcessBus
    private let state = NIOLockedValueBox(State())

    /// Joins the bus. The cluster has to know it before it receives facts.
    init(_ bus: InProcessBus) {
        self.bus = bus
        bus.attach(self, of: .pubnub)
    }

    /// The copy of the keyset; nil until the state is complete.
    var streams: MessageStreams<Int>? { state.withLockedValue(\.streams) }

    func announcement() -> [ByteBuffer] { [PubNubClusterRequest.cursors([("demo", nil)]).encoded()] }
    func interrupted() {}

    func apply(_ bytes: ByteBuffer) {
        guard let (key, fact) = try? PubNubFact.decode(bytes), key == "demo" else { return }
        switch fact {
        case .restart:
            bus.request(
                PubNubClusterRequest.state(subscribeKey: key).encoded(), of: .pubnub, within: nil, isRepeatable: true
            ) { _ in }
        case .stateAt(let snapshot, let since, true):
            state.withLockedValue { $0.incoming = MessageStreams(startingAt: since, forgotten: since) }
            read(snapshot, 0)
        default: break
        }
    }

    private func read(_ snapshot: UInt64, _ index: UInt32) {
        bus.query(
            PubNubClusterRequest.piece(snapshot: snapshot, index: index).encoded(), of: .pubnub, within: nil, isRepeatable: true
        ) { [self] result in
            guard case .success(let bytes) = result, let (_, fact) = try? PubNubFact.decode(bytes) else { return }
            switch fact {
            case .stateMessages(let messages):
                state.withLockedValue { state in
                    for message in messages { _ = state.incoming?.append(message, Int(message.timetoken)) }
                }
            case .stateDropped(let dropped):
                state.withLockedValue { state in
                    for item in dropped { state.incoming?.noteDropped(item.timetoken, from: item.channel) }
                }
            case .stateEnds(let visible):
                return state.withLockedValue { state in
                    state.incoming?.advance(to: visible)
                    state.streams = state.incoming
                }
            default: break
            }
            read(snapshot, index + 1)
        }
    }
}
