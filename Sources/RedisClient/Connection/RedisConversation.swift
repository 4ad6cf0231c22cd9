import ConnectionEngine
import DequeModule

/// The time and size limits of one connection.
package struct RedisTiming: Hashable, Sendable {
    /// The time limit from connecting to the end of the handshake.
    package var opening: Duration
    /// How long the server may send nothing while a command waits for its answer.
    package var silence: Duration
    /// The largest number of commands that wait for their answers.
    package var commands: Int
    /// The largest total size in bytes of the commands that wait for their answers.
    package var bytes: Int

    package init(
        opening: Duration = .seconds(5), silence: Duration = .seconds(10), commands: Int = 10_000, bytes: Int = 67_108_864
    ) {
        self.opening = opening
        self.silence = silence
        self.commands = commands
        self.bytes = bytes
    }
}

/// A request to a Redis server.
package enum RedisRequest: Hashable, Sendable {
    case command(RedisCommand)
    case subscribing(RedisSubscribing)

    package var command: RedisCommand {
        switch self {
        case .command(let command): command
        case .subscribing(let subscribing): subscribing.command
        }
    }
}

/// One connection to a server as a pure value: the handshake, commands and their answers in the same order, pushes between answers, and
/// deadlines.
///
/// ```
/// connecting ──opened──▶ handshake ──last answer──▶ ready ──retire──▶ retiring
///      └───────────────────────┴──────────────────────┴──────────────────┴──▶ closed
/// ```
///
/// Every request is answered exactly once. After `close` the only effects are answers to requests that are submitted later.
package struct RedisConversation: Sendable {
    /// An effect that the owner of the connection performs. Effects are performed in their order.
    package enum Effect: Hashable, Sendable {
        case write(RedisCommand)
        case ready(RedisServer)
        case answer(UInt64, Result<RedisValue, RedisFailure>)
        case push(RedisPush)
        /// The connection has ended, so the owner has to close its socket.
        case close(RedisLoss)
    }

    package enum Phase: Hashable, Sendable {
        case connecting, handshake, ready
        /// No more requests are sent. The connection ends when all sent requests have been answered.
        case retiring
        case closed
    }

    private enum Waiting: Sendable {
        case handshake(RedisHandshake.Step)
        case answer(UInt64)
        case confirmations(UInt64, RedisSubscribing, missing: Int)
        /// The caller no longer waits for the request, so its answer is dropped.
        case nobody(RedisSubscribing?, missing: Int)
    }

    private struct Sent: Sendable {
        var waiting: Waiting
        let at: Moment
        let deadline: Moment
        let cost: Int
    }

    package private(set) var phase = Phase.connecting
    /// When ``timeReached(at:into:)`` must be called next, at the latest. The call may find that no deadline has passed.
    package private(set) var alarm: Moment?
    private let handshake: RedisHandshake
    private let timing: RedisTiming
    private let openBy: Moment
    private var server: RedisServer?
    private var sent: Deque<Sent> = []
    private var cost = 0
    private var heardAt: Moment
    private var isReading = true
    private var retirement = RedisLoss.closed

    /// Begins a connection in the phase `connecting`.
    package init(handshake: RedisHandshake, timing: RedisTiming, at now: Moment) {
        self.handshake = handshake
        self.timing = timing
        openBy = now + timing.opening
        heardAt = now
        alarm = openBy
    }

    // MARK: Inputs

    /// Handles that the TCP connection is established, and TLS if it is configured. Sends the handshake.
    package mutating func opened(at now: Moment, into effects: inout [Effect]) {
        guard phase == .connecting else { return }
        phase = .handshake
        heardAt = now
        for (step, command) in handshake.commands {
            sent.append(Sent(waiting: .handshake(step), at: now, deadline: openBy, cost: 0))
            effects.append(.write(command))
        }
    }

    /// Sends a request.
    package mutating func submit(
        _ request: RedisRequest, id: UInt64, deadline: Moment, at now: Moment, into effects: inout [Effect]
    ) {
        guard phase == .ready else {
            effects.append(.answer(id, .failure(.unsent(phase == .retiring ? retirement : .closed))))
            return
        }
        if deadline <= now { return effects.append(.answer(id, .failure(.expired))) }
        let command = request.command
        let commandCost = command.cost
        if sent.count >= timing.commands || commandCost > timing.bytes - cost {
            return effects.append(.answer(id, .failure(.overfull)))
        }
        var waiting = Waiting.answer(id)
        if case .subscribing(let subscribing) = request {
            // A command without channel names is not sent, because `UNSUBSCRIBE` without names ends all subscriptions, and the server sends
            // an unknown number of confirmations.
            if subscribing.names.isEmpty { return effects.append(.answer(id, .success(.null))) }
            waiting = .confirmations(id, subscribing, missing: subscribing.names.count)
        }
        if sent.isEmpty { heardAt = now }
        sent.append(Sent(waiting: waiting, at: now, deadline: deadline, cost: commandCost))
        cost += commandCost
        wake(at: min(deadline, now + timing.silence))
        effects.append(.write(command))
    }

    /// Records that bytes of the server have arrived.
    package mutating func heard(at now: Moment) {
        heardAt = now
    }

    /// Pauses or resumes reading. While reading is paused, a silent server is not treated as dead.
    package mutating func setReading(_ isReading: Bool, at now: Moment) {
        self.isReading = isReading
        heardAt = now
    }

    /// Handles one complete value that the server has sent.
    package mutating func received(_ value: RedisValue, at now: Moment, into effects: inout [Effect]) {
        if phase == .closed { return }
        heardAt = now
        if case .push(let elements) = value {
            guard let push = RedisPush(elements) else { return end(.violation(.invalidPush), into: &effects) }
            return received(push, into: &effects)
        }
        guard let first = sent.first else { return end(unasked(value), into: &effects) }
        if case .confirmations = first.waiting, !value.isError { return end(.violation(.unexpectedAnswer), into: &effects) }
        drop()
        switch first.waiting {
        case .handshake(let step): advance(step, value, into: &effects)
        case .answer(let id), .confirmations(let id, _, _):
            if case .error(let reply) = value {
                effects.append(.answer(id, .failure(.refused(reply))))
            } else {
                effects.append(.answer(id, .success(value)))
            }
        case .nobody: break
        }
        leaveIfDone(into: &effects)
    }

    /// Waits for the answers to sent requests, then ends.
    ///
    /// - Parameter loss: the reason, which is also the error of later requests.
    package mutating func retire(_ loss: RedisLoss, into effects: inout [Effect]) {
        guard phase == .ready else {
            if phase != .retiring { end(loss, into: &effects) }
            return
        }
        phase = .retiring
        retirement = loss
        leaveIfDone(into: &effects)
    }

    /// Ends the connection, because the socket has closed or has to be closed. All sent requests fail with `loss`.
    package mutating func end(_ loss: RedisLoss, into effects: inout [Effect]) {
        if phase == .closed { return }
        phase = .closed
        alarm = nil
        let left = sent
        sent = []
        cost = 0
        for request in left {
            switch request.waiting {
            case .answer(let id), .confirmations(let id, _, _): effects.append(.answer(id, .failure(.lost(loss))))
            case .handshake, .nobody: break
            }
        }
        effects.append(.close(loss))
    }

    /// Handles deadlines that have passed, and sets ``alarm`` to the next time at which this method must be called.
    package mutating func timeReached(at now: Moment, into effects: inout [Effect]) {
        alarm = nil
        switch phase {
        case .closed: return
        case .connecting, .handshake:
            if now >= openBy { end(.notReadyInTime, into: &effects) } else { wake(at: openBy) }
        case .ready, .retiring:
            expire(at: now, into: &effects)
            guard let first = sent.first else { return }
            // The connection is not closed before the deadline of the first waiting command, even if the server sends nothing for longer
            // than `silence`, because that command may block on the server.
            let patience = max(max(heardAt, first.at) + timing.silence, first.deadline)
            if now >= patience, isReading { return end(.silent, into: &effects) }
            wake(at: isReading ? patience : now + timing.silence)
        }
    }

    // MARK: Parts

    private mutating func received(_ push: RedisPush, into effects: inout [Effect]) {
        guard let (kind, begins) = push.confirmation, let first = sent.first else { return effects.append(.push(push)) }
        switch first.waiting {
        case .confirmations(let id, let subscribing, let missing) where subscribing.kind == kind && subscribing.begins == begins:
            if missing > 1 {
                sent[0].waiting = .confirmations(id, subscribing, missing: missing - 1)
                return
            }
            drop()
            effects.append(.answer(id, .success(.null)))
            leaveIfDone(into: &effects)
        case .nobody(let subscribing?, let missing) where subscribing.kind == kind && subscribing.begins == begins:
            if missing > 1 {
                sent[0].waiting = .nobody(subscribing, missing: missing - 1)
                return
            }
            drop()
            leaveIfDone(into: &effects)
        default: effects.append(.push(push))
        }
    }

    private mutating func advance(_ step: RedisHandshake.Step, _ value: RedisValue, into effects: inout [Effect]) {
        // A refused PING is accepted from a server that cannot save, because such a server still answers read commands.
        if case .error(let reply) = value, step != .ping || reply.remedy != .refuseWrites {
            return end(.refused(reply), into: &effects)
        }
        do throws(RedisLoss) {
            switch step {
            case .hello: server = try RedisServer(hello: value)
            case .select: break
            case .role: try server?.take(role: value, needsMaster: handshake.needsMaster)
            case .ping:
                guard let server else { throw .violation(.invalidHandshake) }
                phase = .ready
                alarm = nil
                effects.append(.ready(server))
            }
        } catch {
            end(error, into: &effects)
        }
    }

    /// Returns the reason with which the connection ends after the server has sent a value that answers no request. A server that has
    /// reached its limit of connections sends an error without a request.
    private func unasked(_ value: RedisValue) -> RedisLoss {
        if case .error(let reply) = value { return .refused(reply) }
        return .violation(.unexpectedAnswer)
    }

    private mutating func expire(at now: Moment, into effects: inout [Effect]) {
        for index in sent.indices {
            switch sent[index].waiting {
            case .answer(let id) where sent[index].deadline <= now:
                sent[index].waiting = .nobody(nil, missing: 0)
                effects.append(.answer(id, .failure(.unanswered)))
            case .confirmations(let id, let subscribing, let missing) where sent[index].deadline <= now:
                sent[index].waiting = .nobody(subscribing, missing: missing)
                effects.append(.answer(id, .failure(.unanswered)))
            case .answer, .confirmations: wake(at: sent[index].deadline)
            case .handshake, .nobody: break
            }
        }
    }

    private mutating func drop() {
        if let first = sent.popFirst() { cost -= first.cost }
    }

    private mutating func leaveIfDone(into effects: inout [Effect]) {
        if phase == .retiring, sent.isEmpty { end(retirement, into: &effects) }
    }

    private mutating func wake(at moment: Moment) {
        alarm = alarm.map { min($0, moment) } ?? moment
    }
}

extension RedisValue {
    fileprivate var isError: Bool {
        if case .error = self { return true }
        return false
    }
}

extension RedisPush {
    /// For a confirmation: the kind of channel, and whether it was subscribed to (true) or unsubscribed from (false). Nil for messages.
    fileprivate var confirmation: (RedisChannel.Kind, Bool)? {
        switch self {
        case .subscribed(let channel): (channel.kind, true)
        case .unsubscribed(let channel): (channel.kind, false)
        case .message, .other: nil
        }
    }
}
