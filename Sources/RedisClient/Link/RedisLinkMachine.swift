import ConnectionEngine
import DequeModule

/// The connections to one address as a pure value: attempts with backoff, commands that wait until their deadline, subscriptions that
/// survive reconnects, and probes.
///
/// The phases of each connection:
///
/// ```
/// idle ─▶ dialling ──▶ ready ──▶ leaving
///           ▲  └─────────┴───────┴──▶ waiting ─▶ dialling
///           └── resume ── stopped ◀── (a final cause, or closed)
/// ```
///
/// Every call and every subscription is answered exactly once.
package struct RedisLinkMachine: Sendable {
    /// An effect that the owner performs. Effects are performed in their order.
    package enum Effect: Hashable, Sendable {
        case dial(RedisLane, UInt64)
        case submit(RedisLane, UInt64, id: UInt64, RedisRequest, deadline: Moment)
        /// Closes a connection after all sent requests have been answered.
        case retire(RedisLane, UInt64, RedisLoss)
        case cut(RedisLane, UInt64, RedisLoss)
        case answer(UInt64, Result<RedisValue, RedisFailure>)
        case deliver(RedisLinkEvent)
    }

    enum Phase: Hashable, Sendable {
        case idle, dialling
        case ready(RedisServer)
        /// The connection is ending, and its end will be reported by ``closed(_:attempt:loss:at:into:)``.
        case leaving
        case waiting(until: Moment)
        case stopped(RedisLoss)
    }

    struct Lane: Sendable {
        var phase = Phase.idle
        /// The number of the latest attempt to connect. Reports of connections that earlier attempts opened are ignored.
        var attempt: UInt64 = 0
        var failures = 0
        /// The number of consecutive attempts that failed for a final cause, such as a wrong password. It is counted only if the policy
        /// makes further attempts after such a cause.
        var refusals = 0
        var readyAt: Moment?
        var status: RedisLinkStatus?
    }

    /// A submitted call that has not been answered.
    struct Call: Sendable {
        let call: RedisCall
        /// The command of the call. It is computed once, because it may be sent several times.
        let command: RedisCommand
        let deadline: Moment
        let cost: Int
        /// How often the server has answered that it does not have the call's script, although the script had been loaded.
        var misses = 0
    }

    /// The purpose of a request that was sent on a connection. It determines how the answer is handled.
    enum Purpose: Sendable {
        case call(UInt64)
        case load(digest: String)
        case subscribe([RedisChannel], UInt64, Moment)
        case unsubscribe
        case restore
        case probe
    }

    /// The state of a pause in sending. During the pause no commands are sent although the connection is ready, because the server cannot
    /// answer yet.
    enum Hold: Sendable {
        case until(Moment)
        /// A single command was sent to test whether the server answers again.
        case trying
    }

    package let policy: RedisLinkPolicy
    var random: SeededRandom
    var commands = Lane()
    var messages = Lane()
    var isClosed = false
    var lastWireID: UInt64 = 0
    var purposes: [UInt64: Purpose] = [:]

    // Commands.
    var calls: [UInt64: Call] = [:]
    var cost = 0
    /// The ids of queued calls, in the order of their submission.
    var unsent: Deque<UInt64> = []
    /// A lower bound of the deadlines of queued calls; nil when no call is queued.
    var unsentDeadline: Moment?
    var hold: Hold?
    /// The digests of the scripts that were loaded on the present connection.
    var loaded: Set<String> = []

    // Messages.
    var wanted: Set<RedisChannel> = []
    /// The deadlines of requests to subscribe that wait for a ready connection, by the id of the request.
    var unconfirmed: [UInt64: Moment] = [:]
    var missingRestores = 0
    var isRestored = false
    var isInterruptionTold = true
    var isReading = true
    var heardAt = Moment.zero
    var probedAt = Moment.zero
    /// The number of the latest probe, a message that the link publishes to itself. The payload of each probe contains its number.
    var probes: UInt64 = 0
    var probe: (sentAt: Moment, isPublished: Bool)?

    package init(policy: RedisLinkPolicy, seed: UInt64) {
        self.policy = policy
        random = SeededRandom(seed: seed)
    }

    /// The status of a connection; nil before ``start(at:into:)``.
    package func status(_ lane: RedisLane) -> RedisLinkStatus? { self[lane].status }

    subscript(lane: RedisLane) -> Lane {
        get { lane == .commands ? commands : messages }
        set {
            switch lane {
            case .commands: commands = newValue
            case .messages: messages = newValue
            }
        }
    }

    /// The connections that this link has. Without probes in the policy, the link has no connection for messages.
    private var lanes: [RedisLane] { policy.probe == nil ? [.commands] : RedisLane.allCases }

    // MARK: Inputs

    /// Connects for the first time, or connects again after the link has stopped for a final cause, such as a wrong password.
    package mutating func start(at now: Moment, into effects: inout [Effect]) {
        if isClosed { return }
        for lane in lanes {
            switch self[lane].phase {
            case .idle, .stopped:
                self[lane].failures = 0
                dial(lane, into: &effects)
            case .dialling, .ready, .leaving, .waiting: break
            }
        }
    }

    /// Closes both connections. Queued calls fail at once, sent calls fail when their connection has ended.
    package mutating func close(into effects: inout [Effect]) {
        if isClosed { return }
        isClosed = true
        for lane in lanes {
            switch self[lane].phase {
            case .dialling, .ready, .leaving:
                self[lane].phase = .leaving
                if lane == .commands { hold = nil }
                effects.append(.cut(lane, self[lane].attempt, .closed))
            case .idle, .waiting, .stopped: stop(lane, .closed, into: &effects)
            }
        }
    }

    /// Handles the report that a connection is ready: sends the calls, or repeats the subscriptions, that wait for it.
    package mutating func ready(
        _ lane: RedisLane, attempt: UInt64, server: RedisServer, at now: Moment, into effects: inout [Effect]
    ) {
        guard self[lane].attempt == attempt, self[lane].phase == .dialling else { return }
        self[lane].phase = .ready(server)
        self[lane].readyAt = now
        tell(lane, .ready(server), into: &effects)
        switch lane {
        case .commands:
            loaded = []
            hold = nil
            sendAll(at: now, into: &effects)
        case .messages:
            heardAt = now
            restore(at: now, into: &effects)
        }
    }

    /// Handles the answer to a request on a connection.
    package mutating func answered(
        _ lane: RedisLane, attempt: UInt64, id: UInt64, result: Result<RedisValue, RedisFailure>, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard self[lane].attempt == attempt, let purpose = purposes.removeValue(forKey: id) else { return }
        switch purpose {
        case .call(let call): answered(call: call, result: result, at: now, into: &effects)
        case .load(let digest): if case .failure = result { loaded.remove(digest) }
        case .subscribe(let channels, let id, let deadline):
            subscribed(channels, id: id, deadline: deadline, result: result, into: &effects)
        case .unsubscribe: break
        case .restore: restored(result, at: now, into: &effects)
        case .probe: published(result, at: now, into: &effects)
        }
    }

    /// Handles the end of a connection. All requests on this connection must have been answered before this call.
    package mutating func closed(
        _ lane: RedisLane, attempt: UInt64, loss: RedisLoss, at now: Moment, into effects: inout [Effect]
    ) {
        guard self[lane].attempt == attempt else { return }
        switch self[lane].phase {
        case .idle, .waiting, .stopped: return
        case .dialling, .ready, .leaving: break
        }
        switch lane {
        case .commands:
            hold = nil
            if probe?.isPublished == false { probe = nil }
            // The connection for messages is closed too, because it must also lead to the master.
            if case .notMaster = loss { cut(.messages, loss, into: &effects) }
        case .messages: interrupt(loss, into: &effects)
        }
        if isClosed || (loss.isFinal && policy.persistence == nil) { return stop(lane, loss, into: &effects) }
        let wasReady = self[lane].readyAt
        if let wasReady, now.duration(since: wasReady) >= policy.steady {
            self[lane].failures = 0
            self[lane].refusals = 0
        }
        self[lane].readyAt = nil
        guard let pause = pause(lane, after: loss, wasReady: wasReady != nil) else { return stop(lane, loss, into: &effects) }
        self[lane].phase = .waiting(until: now + pause)
        tell(lane, .waiting(loss, pause), into: &effects)
    }

    /// Returns the pause before the next attempt to connect; nil if there is no further attempt.
    private mutating func pause(_ lane: RedisLane, after loss: RedisLoss, wasReady: Bool) -> Duration? {
        self[lane].failures += 1
        guard loss.isFinal, let persistence = policy.persistence else {
            return policy.retry.pause(afterFailures: self[lane].failures, wasConnected: wasReady, using: &random)
        }
        self[lane].refusals += 1
        return persistence.pause(afterFailures: self[lane].refusals, wasConnected: false, using: &random)
    }

    /// Ends all pauses: connections that wait for their next attempt, or have stopped, connect at once.
    package mutating func hurry(into effects: inout [Effect]) {
        if isClosed { return }
        for lane in lanes {
            switch self[lane].phase {
            case .waiting, .stopped:
                self[lane].refusals = 0
                dial(lane, into: &effects)
            case .idle, .dialling, .ready, .leaving: break
            }
        }
    }

    /// When ``timeReached(at:into:)`` must be called next, at the latest. The call may find that no deadline has passed.
    package var alarm: Moment? {
        var alarm = probeAlarm
        func wake(at moment: Moment?) {
            if let moment { alarm = alarm.map { min($0, moment) } ?? moment }
        }
        if case .waiting(let until) = commands.phase { wake(at: until) }
        if case .waiting(let until) = messages.phase { wake(at: until) }
        if case .until(let end) = hold { wake(at: end) }
        wake(at: unsentDeadline)
        if !unconfirmed.isEmpty { wake(at: unconfirmed.values.min()) }
        return alarm
    }

    /// Handles all deadlines that have passed.
    package mutating func timeReached(at now: Moment, into effects: inout [Effect]) {
        for lane in RedisLane.allCases {
            if case .waiting(let until) = self[lane].phase, until <= now { dial(lane, into: &effects) }
        }
        expire(at: now, into: &effects)
        if case .until(let end) = hold, end <= now { release(at: now, into: &effects) }
        lookAfterProbe(at: now, into: &effects)
    }

    // MARK: Lanes

    mutating func dial(_ lane: RedisLane, into effects: inout [Effect]) {
        self[lane].phase = .dialling
        self[lane].attempt += 1
        self[lane].readyAt = nil
        // After a failed attempt the status stays `waiting`, with the cause, until the connection is ready.
        if self[lane].failures == 0 { tell(lane, .connecting, into: &effects) }
        effects.append(.dial(lane, self[lane].attempt))
    }

    /// Ends a connection at once. The call of ``closed(_:attempt:loss:at:into:)`` follows.
    mutating func cut(_ lane: RedisLane, _ loss: RedisLoss, into effects: inout [Effect]) {
        guard case .ready = self[lane].phase else { return }
        self[lane].phase = .leaving
        switch lane {
        case .commands: hold = nil
        case .messages:
            isRestored = false
            probe = nil
        }
        effects.append(.cut(lane, self[lane].attempt, loss))
    }

    /// Ends both connections and connects again, because another server has become the master (rules RC-36 and RC-40).
    package mutating func moved(into effects: inout [Effect]) {
        // Attempts in progress are ended, because they may lead to the former master.
        for lane in lanes {
            if case .dialling = self[lane].phase { effects.append(.cut(lane, self[lane].attempt, .moved)) }
        }
        if case .ready = commands.phase {
            commands.phase = .leaving
            hold = nil
            effects.append(.cut(.commands, commands.attempt, .moved))
        }
        cut(.messages, .moved, into: &effects)
    }

    private mutating func stop(_ lane: RedisLane, _ loss: RedisLoss, into effects: inout [Effect]) {
        self[lane].phase = .stopped(loss)
        self[lane].readyAt = nil
        tell(lane, .stopped(loss), into: &effects)
        switch lane {
        case .commands: giveUpUnsent(loss, into: &effects)
        case .messages: giveUpUnconfirmed(loss, into: &effects)
        }
    }

    mutating func tell(_ lane: RedisLane, _ status: RedisLinkStatus, into effects: inout [Effect]) {
        if self[lane].status == status { return }
        self[lane].status = status
        effects.append(.deliver(.status(lane, status)))
    }

    mutating func send(
        _ lane: RedisLane, _ request: RedisRequest, for purpose: Purpose, deadline: Moment, into effects: inout [Effect]
    ) {
        lastWireID += 1
        purposes[lastWireID] = purpose
        effects.append(.submit(lane, self[lane].attempt, id: lastWireID, request, deadline: deadline))
    }
}
