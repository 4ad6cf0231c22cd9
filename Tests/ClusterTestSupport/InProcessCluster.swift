import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerCluster

/// A cluster without Redis, in one process: the nodes' buses, and one leader, whose emissions reach every node in order. Leaders can be
/// changed, and nodes can go.
///
/// Everything happens on one event loop. Writes are handed to `store`, and kept in order; without one they are kept nowhere.
package final class InProcessCluster: Sendable {
    package let eventLoop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    fileprivate let store: (any InProcessStore)?
    private let log = FactLog()
    private let given = NIOLockedValueBox<[ByteBuffer]>([])

    /// The answers of leaders, which pass through Redis in a cluster of several processes.
    package var answers: [ByteBuffer] { given.withLockedValue { $0 } }

    fileprivate struct Pending {
        var number: UInt64
        var service: ClusterServiceID
        var payload: ByteBuffer
        var isRepeatable: Bool
        var completion: @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    }

    fileprivate struct Seat {
        var members: [ClusterServiceID: any ClusterMember] = [:]
        var pending: [Pending] = []
        var numbers: UInt64 = 0
    }

    fileprivate struct State {
        var seats: [ClusterNode: Seat] = [:]
        /// In the order in which they joined.
        var order: [ClusterNode] = []
        var generation: UInt64 = 0
        /// The generation of the last leader.
        var former: UInt64 = 0
        var leaders: [ClusterServiceID: any ClusterLeader] = [:]
        /// Whom the last leader knew.
        var known: Set<ClusterNode> = []
    }

    package init(store: (any InProcessStore)? = nil, eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()) {
        self.eventLoop = eventLoop
        self.store = store
        state = .makeBoxSendingValue(State(), eventLoop: eventLoop)
    }

    /// A node of the cluster. It hears facts once it has joined.
    package func bus(_ name: String) -> InProcessBus {
        InProcessBus(cluster: self, node: ClusterNode(name: name, incarnation: .random(in: 1 ... .max)), eventLoop: eventLoop)
    }

    /// Has a node take part: it announces itself if there is a leader.
    package func join(_ bus: InProcessBus) async {
        try? await eventLoop.submit { [state] in
            let members = bus.members.withLockedValue { $0 }
            state.value.seats[bus.node] = Seat(members: members)
            state.value.order.append(bus.node)
            self.announce(bus.node)
        }.get()
    }

    /// Ends a node without a word; the leader notices at once.
    package func kill(_ bus: InProcessBus) async {
        try? await eventLoop.submit { [state] in
            guard let seat = state.value.seats.removeValue(forKey: bus.node) else { return }
            state.value.order.removeAll { $0 == bus.node }
            // A leader to come hears of it if there is none.
            if !state.value.leaders.isEmpty { state.value.known.remove(bus.node) }
            for request in seat.pending { request.completion(.failure(.closed)) }
            for leader in state.value.leaders.values { leader.left(bus.node) }
        }.get()
    }

    /// Makes new leaders, after the old ones were closed. Nodes that went while there was no leader are reported to the new ones.
    ///
    /// - Parameters:
    ///   - hasLost: whether they are told that data was lost.
    ///   - isAnnounced: whether the nodes announce themselves at once; otherwise they do so with ``announce()``.
    package func lead(
        by factories: [ClusterServiceID: any ClusterLeaderFactory], hasLost: Bool = false, isAnnounced: Bool = true
    ) async throws {
        for leader in try await eventLoop.submit({ [state] in Array(state.value.leaders.values) }).get() {
            await leader.prepareToResign()
        }
        let (former, last, generation) = try await eventLoop.submit { [state] in
            defer {
                state.value.leaders = [:]
                state.value.generation += 1
                state.value.former = state.value.generation
            }
            return (Array(state.value.leaders.values), state.value.former, state.value.generation + 1)
        }.get()
        for leader in former { await leader.close() }
        var leaders: [ClusterServiceID: any ClusterLeader] = [:]
        for (service, factory) in factories {
            leaders[service] = try await factory.makeLeader(
                ClusterLeaderContext(
                    output: Output(cluster: self, generation: generation), store: Store(store: store), log: log,
                    generation: generation, former: last, hasLost: hasLost, eventLoop: eventLoop))
        }
        let made = leaders
        try await eventLoop.submit { [state] in
            state.value.leaders = made
            let gone = state.value.known.union(made.values.flatMap(\.restoredNodes)).subtracting(state.value.order)
            if isAnnounced { for node in state.value.order { self.announce(node) } }
            for node in gone.sorted() { for leader in made.values { leader.left(node) } }
            state.value.known = Set(state.value.order)
        }.get()
    }

    /// Has all nodes announce themselves.
    package func announce() async {
        try? await eventLoop.submit { [state] in for node in state.value.order { self.announce(node) } }.get()
    }

    /// Ends the leader without a word: requests wait.
    package func loseLeader() async {
        let former = try? await eventLoop.submit { [state] in
            defer {
                state.value.leaders = [:]
                state.value.generation += 1
            }
            return Array(state.value.leaders.values)
        }.get()
        for leader in former ?? [] { await leader.close() }
    }

    /// Waits until everything that was sent so far has had its turn.
    package func settle() async {
        for _ in 0..<8 { try? await eventLoop.submit {}.get() }
    }

    // MARK: On the loop

    private func announce(_ node: ClusterNode) {
        guard !state.value.leaders.isEmpty, let seat = state.value.seats[node] else { return }
        state.value.known.insert(node)
        for (service, leader) in state.value.leaders {
            leader.announced(seat.members[service]?.announcement() ?? [], by: node)
        }
        let waiting = seat.pending
        for request in waiting { hand(request, of: node) }
    }

    fileprivate func send(_ request: Pending, of node: ClusterNode) {
        guard state.value.seats[node] != nil else { return request.completion(.failure(.closed)) }
        state.value.seats[node]?.numbers += 1
        var request = request
        request.number = state.value.seats[node]?.numbers ?? 0
        state.value.seats[node]?.pending.append(request)
        hand(request, of: node)
    }

    private func hand(_ request: Pending, of node: ClusterNode) {
        guard let leader = state.value.leaders[request.service] else { return }
        let generation = state.value.generation
        leader.handle(request.payload, from: node) { [self] answer in
            given.withLockedValue { $0.append(answer) }
            run(of: generation) {
                self.then {
                    guard let index = self.state.value.seats[node]?.pending.firstIndex(where: { $0.number == request.number }),
                        let pending = self.state.value.seats[node]?.pending.remove(at: index)
                    else { return }
                    pending.completion(.success(answer))
                }
            }
        }
    }

    /// Runs something on the loop unless another leader has begun.
    private func run(of generation: UInt64, _ body: @escaping @Sendable () -> Void) {
        eventLoop.execute { [state] in
            guard state.value.generation == generation else { return }
            body()
        }
    }

    /// Behind what the store has been given so far, and behind the facts that were emitted before.
    private func then(_ body: @escaping @Sendable () -> Void) {
        guard let store else { return eventLoop.execute(body) }
        store.write([]) { [eventLoop] _ in eventLoop.execute(body) }
    }

    private func emit(
        _ fact: ByteBuffer?, _ service: ClusterServiceID, _ audience: ClusterAudience, _ writes: [StoreWrite],
        _ completion: (@Sendable (Bool) -> Void)?
    ) {
        // As in Redis, a fact is in the log with the writes that belong to it or not at all.
        if let fact { log.append(fact, service) }
        let finish: @Sendable (Bool) -> Void = { [self] isKept in
            eventLoop.execute { [self] in
                completion?(isKept)
                guard isKept, let fact else { return }
                for node in state.value.order where audience.contains(node) {
                    state.value.seats[node]?.members[service]?.apply(fact)
                }
            }
        }
        guard let store else { return finish(true) }
        store.write(writes, completion: finish)
    }

    private final class Output: ClusterOutput {
        let cluster: InProcessCluster
        let generation: UInt64

        init(cluster: InProcessCluster, generation: UInt64) {
            self.cluster = cluster
            self.generation = generation
        }

        func emit(
            _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
            completion: (@Sendable (Bool) -> Void)?
        ) {
            cluster.run(of: generation) { [cluster] in cluster.emit(fact, service, audience, writes, completion) }
        }
    }

    /// Forgets the oldest facts, as a log does that is full.
    ///
    /// - Parameter count: how many stay.
    package func trimLog(to count: Int) { log.trim(to: count) }

    private final class FactLog: ClusterLog {
        private let entries = NIOLockedValueBox<[(ClusterServiceID, ByteBuffer)]>([])

        func append(_ fact: ByteBuffer, _ service: ClusterServiceID) { entries.withLockedValue { $0.append((service, fact)) } }
        func trim(to count: Int) { entries.withLockedValue { $0.removeFirst(max($0.count - count, 0)) } }

        func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure) {
            for (owner, fact) in entries.withLockedValue({ $0 }) where owner == service { body(fact) }
        }
    }

    /// What a test's store has; nothing without one.
    package struct Store: ClusterStore {
        private let store: (any InProcessStore)?

        package init(store: (any InProcessStore)? = nil) {
            self.store = store
        }

        package func key(_ name: String) -> StoreKey { StoreKey("{test}:" + name) }

        package func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            guard let store else { return .nothing }
            return try await store.read(question)
        }

        package func perform(_ write: StoreWrite) async throws(StoreFailure) {
            guard let store else { return }
            let isKept = await withCheckedContinuation { continuation in
                store.write([write]) { continuation.resume(returning: $0) }
            }
            if !isKept { throw .unanswered }
        }

        package func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool {
            guard let store else { return true }
            return try await store.create(value, as: key, seconds: seconds)
        }
    }
}

extension ClusterAudience {
    fileprivate func contains(_ node: ClusterNode) -> Bool {
        switch self {
        case .all: true
        case .node(let only): only == node
        case .others(let one): one != node
        }
    }
}

/// The store engine of an in-process cluster: ``MemoryStore``, or a Redis of the test's own.
package protocol InProcessStore: Sendable {
    /// Performs writes behind all that came before; `completion` comes in the order of the calls.
    func write(_ writes: [StoreWrite], completion: @escaping @Sendable (Bool) -> Void)
    func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer
    /// See ``ClusterStore/create(_:as:seconds:)``.
    func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool
}

/// A node of an in-process cluster.
package final class InProcessBus: ClusterBus {
    package let node: ClusterNode
    package let eventLoop: any EventLoop
    private let cluster: InProcessCluster
    fileprivate let members = NIOLockedValueBox<[ClusterServiceID: any ClusterMember]>([:])

    fileprivate init(cluster: InProcessCluster, node: ClusterNode, eventLoop: any EventLoop) {
        self.cluster = cluster
        self.node = node
        self.eventLoop = eventLoop
    }

    package var store: any ClusterStore { InProcessCluster.Store(store: cluster.store) }

    package func attach(_ member: any ClusterMember, of service: ClusterServiceID) {
        members.withLockedValue { $0[service] = member }
    }

    package func request(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        eventLoop.execute { [self] in
            cluster.send(
                InProcessCluster.Pending(
                    number: 0, service: service, payload: payload, isRepeatable: isRepeatable, completion: completion), of: node)
        }
    }

    package func query(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        request(payload, of: service, within: limit, isRepeatable: isRepeatable, completion: completion)
    }
}
