import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub

/// The way to the connections of one event loop, from any thread.
///
/// Whatever is asked for in one turn of the loop is done in one go: one hop for the loop, not one for each message, and one flush
/// for each connection (design, section 5). What waits is bounded by publishers who look at ``LoopCongestion`` and wait in turn.
final class LoopOutlet: Sendable {
    let eventLoop: any EventLoop
    /// The number of the loop's partition in the hub.
    let partition: Int

    private struct Inbox {
        var operations: [LoopOperation] = []
        var isScheduled = false
        /// When the first of the operations was queued.
        var since = HubInstant(nanoseconds: 0)
        /// Of the operations that wait or are being done.
        var bytes = 0
        var isFull = false
    }

    private let inbox = NIOLockedValueBox(Inbox())
    private let bound: NIOLoopBoundBox<LoopState>
    private let published = NIOLockedValueBox(ServerStatistics())

    /// Frames for one channel are put together up to this size, so that a burst costs one write for each subscriber.
    private static let mergedBytes = 16_384

    /// So much is written to one connection before it is flushed. Far below what may wait for a subscriber, so that a burst within
    /// one turn makes nobody look slow.
    private let burstBytes: Int
    /// So much is done in one turn: then sockets may take what was written and requests be read.
    private let turnBytes: Int
    /// Beyond this much the loop is full, until half of it is done.
    private let maximumQueuedBytes: Int
    let congestion: LoopCongestion
    private let now: @Sendable () -> HubInstant

    init(
        eventLoop: any EventLoop, partition: Int, congestion: LoopCongestion, maximumPendingBytes: Int, maximumQueuedBytes: Int,
        now: @escaping @Sendable () -> HubInstant
    ) {
        self.now = now
        self.eventLoop = eventLoop
        self.partition = partition
        self.congestion = congestion
        self.maximumQueuedBytes = max(maximumQueuedBytes, 1024)
        burstBytes = maximumPendingBytes / 8
        turnBytes = max(maximumPendingBytes / 2, 1)
        bound = NIOLoopBoundBox.makeBoxSendingValue(LoopState(), eventLoop: eventLoop)
    }

    /// To be used on the event loop only.
    var state: LoopState { bound.value }

    /// The counters as of the end of the last turn.
    var statistics: ServerStatistics { published.withLockedValue { $0 } }

    /// What waits for the loop, and what it is doing now.
    var queuedBytes: Int { inbox.withLockedValue(\.bytes) }

    /// Queues an operation. Operations queued under one lock of the hub keep their order.
    ///
    /// - Returns: whether the loop is full now. The operation is queued in any case: whoever caused it should pause.
    @discardableResult
    func enqueue(_ operation: LoopOperation) -> Bool {
        let bytes = operation.queuedBytes
        let (mustSchedule, isFull) = inbox.withLockedValue { inbox in
            inbox.operations.append(operation)
            inbox.bytes += bytes
            if inbox.bytes > maximumQueuedBytes, !inbox.isFull {
                inbox.isFull = true
                congestion.fill(partition)
            }
            if inbox.isScheduled { return (false, inbox.isFull) }
            inbox.isScheduled = true
            inbox.since = now()
            return (true, inbox.isFull)
        }
        if mustSchedule { eventLoop.execute { self.drain() } }
        return isFull
    }

    /// Takes what waits when nothing of the last turn is left.
    private func take(_ state: LoopState) {
        guard state.work.isDone else { return }
        state.work = LoopWork()
        inbox.withLockedValue { inbox in
            inbox.isScheduled = false
            state.work.since = inbox.since
            swap(&state.work.operations, &inbox.operations)
        }
    }

    /// Makes room for what has been done, and tells who waits for it.
    private func finish(_ bytes: Int) {
        let calls = inbox.withLockedValue { inbox in
            inbox.bytes -= bytes
            guard inbox.isFull, inbox.bytes <= maximumQueuedBytes / 2 else { return [LoopCongestion.Call]() }
            inbox.isFull = false
            return congestion.clear(partition)
        }
        for call in calls { call() }
    }

    private func drain() {
        let state = state
        take(state)
        var operations: [LoopOperation] = []
        swap(&operations, &state.work.operations)
        var index = state.work.next
        var written = 0
        var done = 0
        while index < operations.count, done < turnBytes {
            done += operations[index].queuedBytes
            switch operations[index] {
            case .deliver(let channel, let frame, let excluded):
                var frames = frame
                var count = 1
                while index + count < operations.count, frames.readableBytes < Self.mergedBytes,
                    case .deliver(channel, let next, excluded) = operations[index + count]
                {
                    frames.writeImmutableBuffer(next)
                    done += operations[index + count].queuedBytes
                    count += 1
                }
                index += count
                state.deliver(
                    frames, count: count, to: channel, excluding: excluded, isLast: index == operations.count)
                written += frames.readableBytes
                state.work.hasDelivered = true
                if written >= burstBytes {
                    state.flush()
                    written = 0
                }
                continue
            case .attach(let connection, let channel, let confirmation):
                let connection = connection.value
                if connection.isOpen {
                    state.attach(connection, to: channel)
                    state.write(confirmation, to: connection)
                }
            case .detach(let connection, let channel):
                state.detach(connection.value, from: channel)
            case .answer(let connection, let number, let answer):
                connection.value.finish(number, answer)
            case .wake(let application, let wake):
                state.polls[application]?.wake(wake)
            case .disconnectPolls:
                for polls in state.polls.values { polls.disconnectAll() }
            case .chat(let operation):
                state.chat.perform(operation)
                if state.chat.unflushedBytes >= burstBytes { state.chat.flush() }
            case .tell(let users, let frame):
                for user in users {
                    if let connection = state.signedIn[user] { state.write(frame, to: connection) }
                }
            case .close(let farewell, let application, let user):
                // Copies, since a connection that closes leaves the list.
                let connections = user == nil ? Array(state.connections) : Array(state.signedIn.values)
                for connection in connections where connection.belongs(to: application, user: user) {
                    connection.close(farewell)
                }
            case .review(let judge): state.review(judge)
            case .tryHeld: tryHeld()
            }
            index += 1
        }
        state.flush()
        state.chat.flush()
        if index < operations.count {
            // What is done is not kept for as long as the rest waits.
            for place in state.work.next..<index { operations[place] = .tryHeld }
            swap(&operations, &state.work.operations)
            state.work.next = index
            // Whatever is queued meanwhile has a turn of its own to come.
            eventLoop.execute { self.drain() }
        } else {
            if state.work.hasDelivered {
                state.figures.fanOut.observe(nanoseconds: now().nanoseconds - state.work.since.nanoseconds)
            }
            state.work = LoopWork()
        }
        operations = []
        finish(done)
        if !state.polls.isEmpty {
            let now = now()
            for polls in state.polls.values { polls.answerWoken(at: now) }
        }
        publishCounters()
    }

    /// The polls of an application on this loop. On the event loop only.
    func polls(of application: PubNubApplication) -> PubNubPolls {
        if let known = state.polls[application.number] { return known }
        let fresh = PubNubPolls(application, outlet: self)
        state.polls[application.number] = fresh
        return fresh
    }

    /// What the loop has counted so far. On the event loop only.
    var figures: LoopFigures {
        var figures = state.figures
        figures.applications.add(state.chat.applications)
        for polls in state.polls.values { figures.heldPolls[polls.application.slot, default: 0] += polls.heldCount }
        return figures
    }

    /// Makes the counters visible to other threads. On the event loop only.
    func publishCounters() {
        var counters = state.counters
        counters.add(state.figures.applications.total)
        counters.add(state.chat.applications.total)
        counters.heldPolls = state.polls.values.reduce(0) { $0 + $1.heldCount }
        published.withLockedValue { $0 = counters }
    }
}
