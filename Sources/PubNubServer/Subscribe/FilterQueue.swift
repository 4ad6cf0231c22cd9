import DequeModule
import PubNubProtocol
import ServerValues

/// Held polls with filters that have to be evaluated, in the order of their arrival. Used on its event loop only.
///
/// Each turn of the event loop spends a limited amount of work on filters, so that the loop can also handle requests, other polls and other
/// services (rule PV-130).
struct FilterQueue {
    var waiting = Deque<HeldPoll>()
    /// Whether a turn of the event loop is scheduled that continues to evaluate filters.
    var isScheduled = false
    /// Filters that have cached results. These results are dropped when the queue has become empty.
    var used: [PollFilter] = []
    /// The number of evaluations of a filter on a message since the start; `turns` is the number of turns of the event loop.
    var evaluations = 0
    var turns = 0

    /// The largest amount of filter work in one turn of the event loop, in the unit of ``PubNubFilterSubject/work``. This work takes one or
    /// two milliseconds.
    static let workPerTurn = 1 << 20
    /// The amount of work that each poll in the queue counts as, in addition to the work of its filter.
    static let workPerPoll = 2048
}

extension PubNubPolls {
    /// Queues a poll with a filter. It is answered when a message passes the filter, or when `mustAnswer` requires an answer without
    /// messages.
    func filterLater(_ poll: HeldPoll) {
        if !poll.isWoken {
            poll.isWoken = true
            filtering.waiting.append(poll)
        }
        guard !filtering.isScheduled else { return }
        filtering.isScheduled = true
        loop.eventLoop.assumeIsolated().execute {
            self.filtering.isScheduled = false
            self.answerFiltered(at: self.loop.now)
        }
    }

    /// Processes the queue until this turn's limit of work is reached. Filters are evaluated without holding a lock.
    private func answerFiltered(at now: MonotonicInstant) {
        filtering.turns += 1
        var work = 0
        while work < FilterQueue.workPerTurn, let poll = filtering.waiting.first {
            work += FilterQueue.workPerPoll
            guard poll.isHeld, !endIfRefused(poll) else {
                poll.isWoken = false
                filtering.waiting.removeFirst()
                continue
            }
            guard let filter = poll.filter else {
                // The poll that was queued has ended. The same connection has sent another poll, which has no filter.
                poll.isWoken = false
                filtering.waiting.removeFirst()
                answerNow(poll, at: now)
                continue
            }
            // When the limit of work of this turn is reached, the poll stays first in the queue for the next turn.
            guard let page = judge(poll, by: filter, work: &work) else { break }
            poll.isWoken = false
            filtering.waiting.removeFirst()
            poll.passed = nil
            poll.cursor = page.cursor
            poll.followsGap = page.hasDropped
            guard !page.deliveries.isEmpty || poll.mustAnswer else { continue }
            let connection = poll.connection
            answer(
                poll, with: PollAnswer(page, poll.sources, region: application.storage.region, form: poll.form), at: now)
            connection?.resume()
        }
        guard let next = filtering.waiting.first else {
            for filter in filtering.used { filter.forgetVerdicts() }
            filtering.used.removeAll(keepingCapacity: true)
            return
        }
        filterLater(next)
    }

    /// The messages after the poll's cursor that pass its filter, at most 100; nil when the limit of work of this turn of the event loop is
    /// reached.
    private func judge(_ poll: HeldPoll, by filter: PollFilter, work: inout Int) -> StreamPage<PubNubElement>? {
        guard let sources = poll.sources else { return StreamPage(cursor: poll.cursor) }
        var page = poll.passed ?? StreamPage(cursor: poll.cursor)
        page.hasDropped = page.hasDropped || poll.followsGap
        while true {
            guard let candidates = messages(after: page.cursor, sources) else {
                // This replica lacks messages. The poll keeps its position until the leader has sent them.
                page.cursor = page.deliveries.last?.entry.message.timetoken ?? page.cursor
                return page
            }
            page.hasDropped = page.hasDropped || candidates.hasDropped
            for delivery in candidates.deliveries {
                guard work < FilterQueue.workPerTurn else {
                    poll.passed = page
                    return nil
                }
                let verdict = filter.judge(delivery.entry.message)
                if verdict.work > 0 {
                    filtering.evaluations += 1
                    if !filter.isUsed { filtering.used.append(filter) }
                    filter.isUsed = true
                }
                work += verdict.work
                page.cursor = delivery.entry.message.timetoken
                guard verdict.passes else { continue }
                page.deliveries.append(delivery)
                // The page is full; the client's next poll reads further messages.
                if page.deliveries.count >= Self.maximumDeliveries { return page }
            }
            guard candidates.isCut else {
                // If the page has messages, its cursor is that of the last one. The client may subscribe to another channel in its next
                // request, and then needs the messages of that channel after this cursor.
                page.cursor = page.deliveries.last?.entry.message.timetoken ?? max(page.cursor, candidates.cursor)
                return page
            }
        }
    }

    /// The largest number of messages in one answer (rule PV-11).
    private static let maximumDeliveries = 100
}
