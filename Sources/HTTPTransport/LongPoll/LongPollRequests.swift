import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

/// The requests of one attempt: the poll and the calls, with their time limits and failures. Used on one event loop.
final class LongPollRequests {
    private let settings: LongPollSettings
    private let reports: any LongPollReports
    private let whenOver: @Sendable () -> Void
    private let heads: RequestHeads

    private var poll: ExchangeRun?
    /// The connection to which the last poll was written.
    private weak var pollConnection: PooledConnection?
    private var calls: [ObjectIdentifier: ExchangeRun] = [:]
    private var alarm: Scheduled<Void>?
    private var alarmAt = NIODeadline.distantFuture
    private var isLeaving = false
    private var isOver = false

    init(_ settings: LongPollSettings, reports: any LongPollReports, whenOver: @escaping @Sendable () -> Void) {
        self.settings = settings
        self.reports = reports
        self.whenOver = whenOver
        heads = RequestHeads(settings.endpoint)
    }

    // MARK: Requests of the session

    func send(_ outbound: LongPollOutbound) {
        if isOver || isLeaving { return }
        switch outbound {
        case .poll(let exchange):
            endPoll()
            start(exchange, isPoll: true)
        case .renewPoll(let exchange):
            guard let poll, !poll.hasHeard else { return }
            endPoll()
            // A poll is renewed when its connection may be dead, so the new request gets a new connection, like the second attempt of a
            // failed exchange.
            start(exchange, isPoll: true, isRepetition: true)
        case .cancelPoll: endPoll()
        case .call(let exchange): start(exchange, isPoll: false)
        }
    }

    /// Cancels the poll, and gives the calls in progress a limited time to finish.
    func sayGoodbye() {
        if isOver || isLeaving { return }
        isLeaving = true
        endPoll()
        if calls.isEmpty { return leave() }
        // The timer may already be set for an earlier deadline, such as that of the cancelled poll. When it fires, the stored `leaveAt`
        // shows whether this deadline has passed too.
        let deadline = NIODeadline.now() + TimeAmount(settings.configuration.closeTimeout)
        leaveAt = deadline
        setAlarm(deadline)
    }

    private var leaveAt: NIODeadline?

    /// Cancels all requests at once.
    func cut() {
        isOver = true
        alarm?.cancel()
        alarm = nil
        endPoll()
        let left = calls.values
        calls = [:]
        for call in left { call.giveUp() }
        pollConnection?.closeIfIdle()
    }

    private func leave() {
        cut()
        reports.closed(.disconnectedOnRequest)
        whenOver()
    }

    private func endPoll() {
        let poll = poll
        self.poll = nil
        poll?.giveUp()
    }

    // MARK: Requests

    private func start(_ exchange: HTTPExchange, isPoll: Bool, isRepetition: Bool = false) {
        let head: HTTPRequestHead
        do throws(ConnectionFailure) {
            head = try heads.head(for: exchange)
        } catch {
            reports.failed(exchange.id, error)
            return leaveIfDone()
        }
        let run = ExchangeRun(
            exchange, head: head, isPoll: isPoll, isRepetition: isRepetition,
            bodyLimit: settings.configuration.bodyLimit, answerTimeout: settings.configuration.answerTimeout, owner: self)
        if isPoll { poll = run } else { calls[ObjectIdentifier(run)] = run }
        let connections = isPoll ? settings.pools.polls : settings.pools.calls
        connections.pool.value.execute(run, to: settings.endpoint)
    }

    /// Removes an exchange from the requests in progress. Returns false when the exchange is not in progress.
    private func remove(_ run: ExchangeRun) -> Bool {
        if run.isPoll {
            guard poll === run else { return false }
            poll = nil
            return true
        }
        return calls.removeValue(forKey: ObjectIdentifier(run)) != nil
    }

    private func tell(_ run: ExchangeRun, _ failure: ConnectionFailure) {
        reports.failed(run.exchange.id, failure)
        leaveIfDone()
    }

    private func leaveIfDone() {
        if isLeaving, !isOver, calls.isEmpty { leave() }
    }

    // MARK: The clock

    /// Sets the timer to an earlier deadline. One timer serves all requests, because polls are frequent and their deadlines rarely pass.
    private func setAlarm(_ deadline: NIODeadline) {
        guard deadline < alarmAt else { return }
        alarm?.cancel()
        alarmAt = deadline
        alarm = settings.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.alarmRang() }
    }

    private func alarmRang() {
        alarm = nil
        alarmAt = .distantFuture
        if isOver { return }
        let now = NIODeadline.now()
        if let leaveAt, leaveAt <= now { return leave() }
        for run in Array(calls.values) + (poll.map { [$0] } ?? []) {
            guard let expiry = run.expiry, expiry.at <= now, remove(run) else { continue }
            run.giveUp()
            switch expiry.how {
            case .unanswered: tell(run, ConnectionFailure(.timeout, "The server did not answer the request in time."))
            case .unfinished: tell(run, ConnectionFailure(.timeout, "The server's answer began, but was not complete in time."))
            }
            if isOver { return }
        }
        let next = (calls.values.compactMap(\.expiry?.at) + [poll?.expiry?.at, leaveAt].compactMap { $0 }).min()
        if let next { setAlarm(next) }
    }
}

extension LongPollRequests: ExchangeOwner {
    func began(_ run: ExchangeRun) {
        if run.isPoll { pollConnection = run.connection }
        if let expiry = run.expiry { setAlarm(expiry.at) }
    }

    func heard(_ run: ExchangeRun) {
        if let expiry = run.expiry { setAlarm(expiry.at) }
        reports.heard()
    }

    func answered(_ run: ExchangeRun, head: HTTPResponseHead, body: ByteBuffer) {
        guard remove(run) else { return }
        let answerHead = HTTPAnswerHead(
            status: Int(head.status.code), contentType: head.headers.first(name: "Content-Type"),
            retryAfter: head.headers.first(name: "Retry-After").flatMap {
                RetryAfter.duration($0, unixTime: WallClock.unixTime)
            })
        reports.answered(run.exchange.id, head: answerHead, body: body, isPoll: run.isPoll)
        leaveIfDone()
    }

    func failed(_ run: ExchangeRun, error: any Error) {
        guard remove(run) else { return }
        if run.isStale(within: settings.configuration.staleWindow) {
            return start(run.exchange, isPoll: run.isPoll, isRepetition: true)
        }
        // If the request of a poll was not written yet, its connection could not be opened. The error is then translated as for a call.
        tell(run, run.isPoll && run.beganAt != nil ? .polling(error) : .calling(error))
    }
}
