import DequeModule
import PubNubProtocol
import ServerValues

/// Held polls with filters that have to be evaluated, in the order of their arrival. Used on its event loop only.
///
/// Filters share the event loop with its other work: each turn spends a limited amount of work on filters, and then handles
/// requests, other polls and other services (rule PV-130).
struct FilterQueue {
    var waiting = Deque<HeldPoll>()
    /// Whether a turn of the event loop has been scheduled.
    var isScheduled = false
    /// Filters with cached results that can be dropped.
    var used: [PollFilter] = []
    /// The number of messages that filters were evaluated on since the start, and the number of turns for it.
    var evaluations = 0
    var turns = 0

    /// The work of one turn, in the unit of filters: one or two milliseconds.
    static let workPerTurn = 1 << 20
    /// The fixed work of checking a poll.
    static let workPerPoll = 2048
}

extension PubNubPolls {
    /// Queues a poll with a filter. It is answered when a message passes the filter, or if an answer is required in any case.
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

    /// Processes one turn's share of the queue. Evaluates filters without holding a lock.
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
                // The connection's previous poll was refused, and this one arrived since then.
                poll.isWoken = false
                filtering.waiting.removeFirst()
                answerNow(poll, at: now)
                continue
            }
            // This turn has no work left: the poll stays first in the queue.
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

    /// The messages after the poll's cursor that pass its filter, at most 100; nil when this turn has no work left.
    private func judge(_ poll: HeldPoll, by filter: PollFilter, work: inout Int) -> StreamPage<PubNubElement>? {
        guard let sources = poll.sources else { return StreamPage(cursor: poll.cursor) }
        var page = poll.passed ?? StreamPage(cursor: poll.cursor)
        page.hasDropped = page.hasDropped || poll.followsGap
        while true {
            guard let candidates = messages(after: page.cursor, sources) else {
                // The poll stays where it is until the missing messages are there.
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
                // The next poll shows whether there are more messages.
                if page.deliveries.count >= Self.maximumDeliveries { return page }
            }
            guard candidates.isCut else {
                // Behind the last message that passed, other channels have not been read up to this cursor.
                page.cursor = page.deliveries.last?.entry.message.timetoken ?? max(page.cursor, candidates.cursor)
                return page
            }
        }
    }

    /// The largest number of messages in one answer (rule PV-11).
    private static let maximumDeliveries = 100
}
