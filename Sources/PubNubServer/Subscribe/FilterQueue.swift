import DequeModule
import PubNubProtocol
import RealtimeHub

/// Held polls whose filters have messages to judge, in the order of coming. Lives on its event loop.
///
/// Filters take turns with everything else that the loop does: so much work is done in one turn, and then requests, other polls and
/// other services have theirs (rule PV-130).
struct FilterQueue {
    var waiting = Deque<HeldPoll>()
    /// Whether a turn of the event loop has been scheduled.
    var isScheduled = false
    /// Filters with verdicts that can be dropped.
    var used: [PollFilter] = []
    /// How many messages have been judged, and in how many turns, since the start.
    var evaluations = 0
    var turns = 0

    /// The work of one turn, as filters count it: a millisecond or two.
    static let workPerTurn = 1 << 20
    /// The fixed work of checking a poll.
    static let workPerPoll = 2048
}

extension PubNubPolls {
    /// Has a poll with a filter looked after. It is answered when a message passes, or in any case when it must be.
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
                // The connection's former poll was refused, and this one came since.
                poll.isWoken = false
                filtering.waiting.removeFirst()
                answerNow(poll, at: now)
                continue
            }
            // Out of work in the middle: the poll stays the first.
            guard let page = judge(poll, filter, &work) else { break }
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

    /// The messages after the poll's cursor that pass its filter, 100 at most; nil when this turn has no work left.
    private func judge(_ poll: HeldPoll, _ filter: PollFilter, _ work: inout Int) -> StreamPage<PubNubElement>? {
        guard let sources = poll.sources else { return StreamPage(cursor: poll.cursor) }
        var page = poll.passed ?? StreamPage(cursor: poll.cursor)
        page.hasDropped = page.hasDropped || poll.followsGap
        while true {
            let candidates = application.withState { state in
                state.streams.read(after: page.cursor, sources.interest(state))
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
                // Whether more is waiting shows with the next poll.
                if page.deliveries.count >= Self.maximumDeliveries { return page }
            }
            guard candidates.isCut else {
                // Beyond the last message that passed, other channels have not been read up to this cursor.
                page.cursor = page.deliveries.last?.entry.message.timetoken ?? max(page.cursor, candidates.cursor)
                return page
            }
        }
    }

    /// The most messages of one answer (rule PV-11).
    private static let maximumDeliveries = 100
}
