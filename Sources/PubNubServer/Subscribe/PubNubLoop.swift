import NIOConcurrencyHelpers
import ServerRuntime
import ServerValues

/// The held polls of one event loop, of all keysets. Used on that event loop only.
final class PubNubLoop: LoopPart {
    private let loop: EventLoopContext
    private let pollKind: RequestKind
    /// How long the server holds polls of keysets without a setting of their own.
    private let pollHold: Duration
    /// The counts, readable from other threads.
    private let published: NIOLockedValueBox<PubNubCounts>
    /// The polls, by application number.
    private(set) var polls: [Int: PubNubPolls] = [:]
    /// Whether messages arrived since the last complete turn.
    private var hasDelivered = false

    init(_ loop: EventLoopContext, _ published: NIOLockedValueBox<PubNubCounts>, pollKind: RequestKind, pollHold: Duration) {
        self.loop = loop
        self.pollKind = pollKind
        self.pollHold = pollHold
        self.published = published
    }

    func polls(of application: PubNubApplication) -> PubNubPolls {
        if let known = polls[application.number] { return known }
        let fresh = PubNubPolls(application, loop: loop, pollKind: pollKind, usualHold: pollHold)
        polls[application.number] = fresh
        return fresh
    }

    enum Operation: LoopOperation {
        /// Check held polls for new messages.
        case wake(application: Int, PollWake)
        /// Check the held polls of a keyset again, because it has changed.
        case review(application: Int)
        /// Close the connections of all held polls.
        case disconnect

        private static let overhead = 64

        var queuedBytes: Int {
            switch self {
            case .wake(_, let wake): (wake.sources.count + wake.changed.count + 1) * Self.overhead
            case .review, .disconnect: Self.overhead
            }
        }
    }

    func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        var (next, bytes) = (start, 0)
        while next < operations.count, bytes < budget {
            let operation = operations[next]
            bytes += operation.queuedBytes
            next += 1
            switch operation {
            case .wake(let application, let wake):
                polls[application]?.wake(wake)
                hasDelivered = true
            case .review(let application): polls[application]?.review()
            case .disconnect: for polls in polls.values { polls.disconnectAll() }
            }
        }
        return (next, bytes)
    }

    func endTurn(since: MonotonicInstant?) {
        let now = loop.now
        for polls in polls.values { polls.answerWoken(at: now) }
        if let since {
            if hasDelivered { loop.state.figures.observeFanOut(.pubnub, since: since, at: loop.now) }
            hasDelivered = false
        }
        publish()
    }

    func sweep(at now: MonotonicInstant) {
        for polls in polls.values { polls.sweep(at: now) }
        publish()
    }

    private func publish() {
        let total = polls.values.reduce(into: PubNubCounts()) { $0 += $1.counts }
        published.withLockedValue { $0 = total }
    }

    /// Held polls belong to HTTP connections, which the runtime closes.
    func connections() -> [any DrainedConnection] { [] }
    func cut() {}

    var counts: [MetricSlot: PubNubCounts] {
        polls.values.reduce(into: [:]) { $0[$1.application.slot, default: PubNubCounts()] += $1.counts }
    }
}

/// The counts of one event loop for one keyset.
package struct PubNubCounts: Hashable, Sendable {
    /// Polls that are being held.
    package var held = 0
    /// The number of polls that were answered or held since the start, and of the messages in their answers.
    package var polls = 0
    package var messages = 0

    package static func += (left: inout PubNubCounts, right: PubNubCounts) {
        left.held += right.held
        left.polls += right.polls
        left.messages += right.messages
    }
}
