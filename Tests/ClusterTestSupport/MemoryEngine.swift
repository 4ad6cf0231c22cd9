import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster

/// A store in memory for nodes of one process: the model of the simulation, and a way for messages between the nodes.
package final class MemoryServer: Sendable {
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var model = ModelRedis()
        /// The engines that hear messages, by the incarnation of their node.
        var engines: [UInt64: MemoryEngine] = [:]
    }

    package init() {}

    /// Performs something, and sends what it has published to the nodes.
    package func perform<Value: Sendable>(_ body: (inout ModelRedis) -> Value) -> Value {
        state.withLockedValue { state in
            let value = body(&state.model)
            for (channel, message) in state.model.published {
                let event = StoreEvent(message)
                switch channel {
                case .log: for engine in state.engines.values { engine.report(event) }
                case .requests(let incarnation), .answers(let incarnation): state.engines[incarnation]?.report(event)
                }
            }
            state.model.published = []
            return value
        }
    }

    fileprivate func send(_ requests: ClusterRequests, to node: ClusterNode) {
        state.withLockedValue { $0.engines[node.incarnation] }?.report(.requests(requests))
    }

    fileprivate func has(_ node: ClusterNode) -> Bool { state.withLockedValue { $0.engines[node.incarnation] != nil } }
    fileprivate func add(_ engine: MemoryEngine) { state.withLockedValue { $0.engines[engine.node.incarnation] = engine } }
    fileprivate func remove(_ node: ClusterNode) { state.withLockedValue { $0.engines[node.incarnation] = nil } }
}

/// A store engine without Redis. It knows nothing of services, and no machine or service knows of it.
package final class MemoryEngine: StoreEngine {
    package let node: ClusterNode
    private let server: MemoryServer
    package let eventLoop: any EventLoop
    private let events = NIOLockedValueBox<(@Sendable (StoreEvent) -> Void)?>(nil)

    package init(
        _ node: ClusterNode, _ server: MemoryServer, eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    ) {
        self.node = node
        self.server = server
        self.eventLoop = eventLoop
    }

    package var collections: any ClusterStore { Collections(server: server) }

    /// Events come in their order, because an event loop keeps the order of its tasks.
    fileprivate func report(_ event: StoreEvent) {
        eventLoop.execute { [events] in events.withLockedValue { $0 }?(event) }
    }

    /// Performs something, and answers behind the events that it causes.
    private func perform<Value: Sendable>(
        _ completion: @escaping @Sendable (Value) -> Void, _ body: (inout ModelRedis) -> Value
    ) {
        let value = server.perform(body)
        eventLoop.execute { completion(value) }
    }

    package func start(events: @escaping @Sendable (StoreEvent) -> Void) {
        self.events.withLockedValue { $0 = events }
        server.add(self)
        for lane in StoreLane.allCases { report(.trouble(lane, nil)) }
        report(.restored)
    }

    package func elect(_ candidacy: Candidacy, completion: @escaping @Sendable (ElectionOutcome) -> Void) {
        perform(completion) {
            $0.elect(
                candidacy.mode, candidacy.node, generation: candidacy.generation, seen: candidacy.seen,
                successor: candidacy.successor)
        }
    }

    package func countListeners(of leader: ClusterNode, completion: @escaping @Sendable (Int?) -> Void) {
        let count = server.has(leader) ? 1 : 0
        eventLoop.execute { completion(count) }
    }

    package func readPosition(completion: @escaping @Sendable (Result<ClusterLeaderRecord?, StoreFailure>) -> Void) {
        perform(completion) { .success($0.kept.record?.asRead) }
    }

    package func readLog(
        after position: ClusterPosition, within limit: Duration,
        completion: @escaping @Sendable (Result<LogPage, StoreFailure>) -> Void
    ) {
        perform(completion) { .success(LogPage($0.log(after: position), isAll: true)) }
    }

    package func commit(_ commit: ClusterCommit, completion: @escaping @Sendable (CommitOutcome) -> Void) {
        perform(completion) { $0.commit(commit) }
    }

    package func publish(_ requests: ClusterRequests, to leader: ClusterNode) { server.send(requests, to: leader) }

    package func answer(_ answers: ClusterAnswers, to node: ClusterNode, completion: @escaping @Sendable (Bool) -> Void) {
        perform(completion) { !$0.answer(answers, to: node) }
    }

    package func watch(_ nodes: [ClusterNode]?) { report(.versions([:])) }

    package func close(completion: @escaping @Sendable () -> Void) {
        server.remove(node)
        eventLoop.execute { [events] in
            events.withLockedValue { $0 = nil }
            completion()
        }
    }

    private struct Collections: ClusterStore {
        let server: MemoryServer

        func key(_ name: String) -> StoreKey { StoreKey(name) }

        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            server.perform { $0.kept.collections.answer(question) }
        }

        func perform(_ write: StoreWrite) async throws(StoreFailure) {
            server.perform { $0.kept.collections.perform(write) }
        }

        func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
            server.perform { model in
                guard case .nothing = model.kept.collections.answer(.value(key)) else { return false }
                model.kept.collections.perform(.setFor(milliseconds: Int64(seconds) * 1_000, key, .bytes(value)))
                return true
            }
        }
    }
}

extension StoreEvent {
    fileprivate init(_ message: ModelRedis.Message) {
        switch message {
        case .batch(let batch): self = .batch(batch)
        case .resigned: self = .resigned
        case .requests(let requests): self = .requests(requests)
        case .answers(let answers): self = .answers(answers)
        }
    }
}
