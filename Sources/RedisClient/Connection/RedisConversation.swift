import ConnectionEngine
import DequeModule

/// Limits of one connection.
package struct RedisTiming: Hashable, Sendable {
    /// The time limit from connecting to the end of the handshake.
    package var opening: Duration
    /// How long the server may send nothing while a command waits for its answer.
    package var silence: Duration
    /// The largest number of commands that wait for their answers.
    package var commands: Int
    /// The largest number of bytes of these commands.
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

/// A request to a server.
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

/// One connection to a server as a pure value: the handshake, commands in first-in, first-out order, pushes between them, and deadlines.
///
///     connecting ──opened──▶ handshake ──last answer──▶ ready ──retire──▶ retiring
///          └───────────────────────┴──────────────────────┴──────────────────┴──▶ closed
///
/// Every request is answered exactly once. After `close` the only effects are answers to requests that are submitted later.
package struct RedisConversation: Sendable {
    /// An effect for the owner; effects are performed in this order.
    package enum Effect: Hashable, Sendable {
        case write(RedisCommand)
        case ready(RedisServer)
        case answer(UInt64, Result<RedisValue, RedisFailure>)
        case push(RedisPush)
        /// The connection has ended; its socket has to be closed.
        case close(RedisLoss)
    }

    package enum Phase: Hashable, Sendable {
        case connecting, handshake, ready
        /// Sent requests are still answered; nothing more is sent, and then the connection ends.
        case retiring
        case closed
    }

    private enum Waiting: Sendable {
        case handshake(RedisHandshake.Step)
        case answer(UInt64)
        case confirmations(UInt64, RedisSubscribing, missing: Int)
        /// The caller has cancelled the request; the answer is dropped.
        case nobody(RedisSubscribing?, missing: Int)
    }

    private struct Sent: Sendable {
        var waiting: Waiting
        let at: Moment
        let deadline: Moment
        let cost: Int
    }

    package private(set) var phase = Phase.connecting
    /// The latest time for the next call of ``timeReached(at:into:)``, which may find nothing to do.
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

    /// A connection that starts connecting.
    package init(handshake: RedisHandshake, timing: RedisTiming, at now: Moment) {
        self.handshake = handshake
        self.timing = timing
        openBy = now + timing.opening
        heardAt = now
        alarm = openBy
    }

    // MARK: Inputs

    /// TCP, and TLS if configured, are established.
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
            // Without names, the server would unsubscribe from all channels and send an unknown number of confirmations.
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

    /// Pauses or resumes reading. While it is paused, the server's silence is ignored.
    package mutating func setReading(_ isReading: Bool, at now: Moment) {
        self.isReading = isReading
        heardAt = now
    }

    /// Handles a complete value of the server.
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

    /// Ends the connection, because the socket has closed or has to be closed. Sent requests get no answer.
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

    /// Checks which deadlines have passed.
    package mutating func timeReached(at now: Moment, into effects: inout [Effect]) {
        alarm = nil
        switch phase {
        case .closed: return
        case .connecting, .handshake:
            if now >= openBy { end(.notReadyInTime, into: &effects) } else { wake(at: openBy) }
        case .ready, .retiring:
            expire(at: now, into: &effects)
            guard let first = sent.first else { return }
            // A command with a longer time limit, because it blocks on the server, has a later deadline.
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
        // Servers that cannot save refuse PING too, but still answer read commands.
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

    /// The meaning of an answer without a request: a server that has reached its limit of connections sends an error by itself.
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
    /// The kind of channel, and whether a push confirms that it was subscribed to (true) or unsubscribed from; nil for messages.
    fileprivate var confirmation: (RedisChannel.Kind, Bool)? {
        switch self {
        case .subscribed(let channel): (channel.kind, true)
        case .unsubscribed(let channel): (channel.kind, false)
        case .message, .other: nil
        }
    }
}
