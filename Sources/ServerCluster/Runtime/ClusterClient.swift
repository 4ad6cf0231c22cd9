import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import ServerRuntime
import ServerValues

/// The settings of a node of a cluster, for one partition.
package struct ClusterSettings: Sendable {
    package var node: ClusterNode
    package var clock: ServerClock
    package var logger: Logger
    package var election = ElectionPolicy()
    package var member = MemberPolicy()
    package var leader = LeaderPolicy()
    /// The partition in which the node takes part; nil if the cluster has only one.
    package var partition: ClusterPartition?
    package var handOver = HandOverPolicy()
    /// Limits how often this process hands over the leadership of a partition. All partitions of the process share this object.
    package var pace = HandOverPace()
    /// The interval in which the store engine checks the state of the store and publishes this server's version.
    package var watching = Duration.seconds(10)
    /// The version of this server, which the leader lists for operators.
    package var version = ""

    package init(node: ClusterNode, clock: ServerClock, logger: Logger) {
        self.node = node
        self.clock = clock
        self.logger = logger
    }
}

/// A node of a cluster: it sends the requests of its services to the leader, and runs the leader's side of the services while this node
/// leads.
///
/// All methods may be called from any thread. Members and leaders of services are called on ``eventLoop``, which is used for nothing else.
package final class ClusterClient: ClusterBus {
    package let eventLoop: any EventLoop
    package let settings: ClusterSettings
    private let engine: any StoreEngine
    private let runtime: NIOLoopBoundBox<ClusterRuntime>
    private let inbox: ClusterInbox

    /// - Parameters:
    ///   - engine: the store of the node's partition, which calls back on the same event loop.
    ///   - eventLoop: the event loop, which this node uses alone.
    package init(_ settings: ClusterSettings, _ engine: any StoreEngine, eventLoop: any EventLoop) {
        self.engine = engine
        self.settings = settings
        self.eventLoop = eventLoop
        let inbox = ClusterInbox(eventLoop: eventLoop)
        self.inbox = inbox
        runtime = .makeBoxSendingValue(ClusterRuntime(settings, engine, eventLoop: eventLoop, inbox: inbox), eventLoop: eventLoop)
        inbox.drain = { [runtime] in runtime.value.drain() }
    }

    package var node: ClusterNode { settings.node }
    package var store: any ClusterStore { engine.collections }
    package var status: ClusterStatus { inbox.status.withLockedValue { $0 } }

    package func attach(_ member: any ClusterMember, of service: ClusterServiceID) {
        onLoop { $0.members[service] = member }
    }

    /// Registers the factory with which this node leads a service. Call it before ``start()``.
    package func attach(_ factory: any ClusterLeaderFactory, of service: ClusterServiceID) {
        onLoop { $0.factories[service] = factory }
    }

    package func request(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        inbox.add(
            .request(
                payload, service, deadline: limit.map { settings.clock.monotonic().advanced(by: $0) }, isRepeatable: isRepeatable,
                isQuery: false, completion))
    }

    package func query(
        _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
        completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
    ) {
        inbox.add(
            .request(
                payload, service, deadline: limit.map { settings.clock.monotonic().advanced(by: $0) }, isRepeatable: isRepeatable,
                isQuery: true, completion))
    }

    /// Starts to connect and returns at once. ``status`` and ``waitUntilReady(within:)`` report the progress.
    package func start() {
        onLoop { $0.start() }
    }

    /// Waits until the node has read the log to its end and there is a leader that answers requests.
    ///
    /// - Returns: false when the time limit is reached first. If a leader is restoring the stored state at that time, the result is true
    ///   nevertheless: if this process gave up and ended, the next leader would have to restore the state again from the beginning.
    package func waitUntilReady(within limit: Duration) async -> Bool {
        let end = NIODeadline.now() + TimeAmount(limit)
        while !status.isReady {
            guard NIODeadline.now() < end, !Task.isCancelled else { return status.isFollowing }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    /// Leaves the cluster: for the other nodes, this node's subscriptions and sessions end at once. If this node leads, another one becomes
    /// the leader.
    package func close() async {
        let leaders = (try? await eventLoop.submit { [runtime] in runtime.value.leading }.get()) ?? []
        await withTaskGroup(of: Void.self) { group in
            for leader in leaders { group.addTask { await leader.prepareToResign() } }
        }
        // Stores that this node stops. The next leader then removes it at once; otherwise it would wait ten seconds for this node (rule
        // CR-15).
        try? await eventLoop.flatSubmit { [runtime] in runtime.value.noteStopping(within: .seconds(1)) }.get()
        let closing = try? await eventLoop.submit { [runtime] in runtime.value.close() }.get()
        await closing?.value
        await withCheckedContinuation { continuation in
            eventLoop.execute { [runtime] in runtime.value.closeEngine { continuation.resume() } }
        }
    }

    private func onLoop(_ body: @escaping @Sendable (ClusterRuntime) -> Void) {
        eventLoop.execute { [runtime] in body(runtime.value) }
    }
}

/// A mailbox: other threads enqueue entries for the event loop of a cluster's node, which handles them in the order of arrival.
final class ClusterInbox: Sendable {
    enum Entry: Sendable {
        case request(
            ByteBuffer, ClusterServiceID, deadline: MonotonicInstant?, isRepeatable: Bool, isQuery: Bool,
            @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void)
        case emission(
            generation: UInt64, ClusterServiceID, ByteBuffer?, ClusterAudience, [StoreWrite], (@Sendable (Bool) -> Void)?)
        case answer(generation: UInt64, ClusterSession, number: UInt64, ByteBuffer)
        case queryAnswer(generation: UInt64, ClusterSession, number: UInt64, ByteBuffer)
        /// A closure that calls the leader's services. All decisions and answers that it causes are stored together.
        case work(@Sendable () -> Void)
    }

    private let eventLoop: any EventLoop
    private struct Waiting: Sendable {
        var entries: [Entry] = []
        /// The event loops from which a call of ``drain`` is already scheduled.
        var wakers: [ObjectIdentifier] = []
    }

    private let waiting = NIOLockedValueBox(Waiting())
    private let action = NIOLockedValueBox(Action())
    let status = NIOLockedValueBox(ClusterStatus())

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// The closure is wrapped in a structure, because a function that is stored directly in a generic box would be wrapped again at each
    /// access.
    private struct Action: Sendable {
        var run: (@Sendable () -> Void)?
    }

    /// The closure that handles the queued entries. It is called on the event loop when entries have arrived.
    var drain: (@Sendable () -> Void)? {
        get { action.withLockedValue(\.run) }
        set { action.withLockedValue { $0.run = newValue } }
    }

    /// Queues an entry. Entries that one event loop adds in one turn are handled together, so that they become one message and one batch
    /// (rule CR-27).
    func add(_ entry: Entry) {
        let current = MultiThreadedEventLoopGroup.currentEventLoop
        let mustWake = waiting.withLockedValue { waiting in
            waiting.entries.append(entry)
            guard let current else { return waiting.entries.count == 1 }
            let waker = ObjectIdentifier(current)
            guard !waiting.wakers.contains(waker) else { return false }
            waiting.wakers.append(waker)
            return true
        }
        guard mustWake else { return }
        let wake: @Sendable () -> Void = { [self] in eventLoop.execute { [self] in drain?() } }
        if let current, current !== eventLoop { current.execute(wake) } else { wake() }
    }

    func takeAll() -> [Entry] {
        waiting.withLockedValue { waiting in
            waiting.wakers.removeAll(keepingCapacity: true)
            guard !waiting.entries.isEmpty else { return [] }
            // The array is exchanged for an empty one, because an array that has been returned would be copied by the next change.
            var entries: [Entry] = []
            swap(&entries, &waiting.entries)
            return entries
        }
    }

    /// Runs a closure on the event loop, and returns all entries that are queued after it. Entries that the closure adds schedule no call
    /// of ``drain``.
    func collect(_ body: () -> Void) -> [Entry] {
        waiting.withLockedValue { $0.wakers.append(ObjectIdentifier(eventLoop)) }
        body()
        return takeAll()
    }
}

/// Passes the decisions of a leader's services to the event loop, with the leader's generation.
final class LeaderOutput: ClusterOutput {
    private let inbox: ClusterInbox
    private let generation: UInt64

    init(_ inbox: ClusterInbox, generation: UInt64) {
        self.inbox = inbox
        self.generation = generation
    }

    func emit(
        _ fact: ByteBuffer?, of service: ClusterServiceID, to audience: ClusterAudience, writes: [StoreWrite],
        completion: (@Sendable (Bool) -> Void)?
    ) {
        inbox.add(.emission(generation: generation, service, fact, audience, writes, completion))
    }

    func perform(_ body: @escaping @Sendable () -> Void) { inbox.add(.work(body)) }
}

/// Reads the log of a cluster for the services of a leader (rule CR-47).
struct StoredLog: ClusterLog {
    let engine: any StoreEngine

    func facts(of service: ClusterServiceID, _ body: (ByteBuffer) -> Void) async throws(StoreFailure) {
        var position = ClusterPosition.origin
        while true {
            let result = await withCheckedContinuation { continuation in
                engine.readLog(after: position, within: .seconds(10)) { continuation.resume(returning: $0) }
            }
            let page = try result.get()
            for batch in page.batches {
                for case .fact(service, _, let fact) in batch.items { body(fact) }
            }
            guard !page.isAll, let last = page.batches.last else { return }
            position = last.position
        }
    }
}
