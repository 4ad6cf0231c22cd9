import NIOConcurrencyHelpers
import ServerRuntime
import ServerValues

/// The held polls of all keysets on one event loop. Used on that event loop only.
final class PubNubLoop: LoopPart {
    private let loop: EventLoopContext
    private let pollKind: RequestKind
    /// How long the server holds polls of keysets without a setting of their own.
    private let pollHold: Duration
    /// The counts of this event loop, for other threads to read.
    private let published: NIOLockedValueBox<PubNubCounts>
    /// The polls of each keyset, by the number of its application.
    private(set) var polls: [Int: PubNubPolls] = [:]
    /// Whether messages have arrived since the last turn of the event loop that answered polls.
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
        /// Checks held polls for new messages.
        case wake(application: Int, PollWake)
        /// Checks the held polls of a keyset again, because its configuration has changed.
        case review(application: Int)
        /// Closes the connections of all held polls.
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

    /// Empty, because held polls belong to HTTP connections. The server runtime closes these connections itself.
    func connections() -> [any DrainedConnection] { [] }
    func cut() {}

    var counts: [MetricSlot: PubNubCounts] {
        polls.values.reduce(into: [:]) { $0[$1.application.slot, default: PubNubCounts()] += $1.counts }
    }
}

/// The counts of one event loop for one keyset.
package struct PubNubCounts: Hashable, Sendable {
    /// The number of polls that are being held now.
    package var held = 0
    /// The number of polls that were answered or held since the start; `messages` is the number of messages in the answers.
    package var polls = 0
    package var messages = 0

    package static func += (left: inout PubNubCounts, right: PubNubCounts) {
        left.held += right.held
        left.polls += right.polls
        left.messages += right.messages
    }
}
