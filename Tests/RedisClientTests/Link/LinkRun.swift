import ConnectionEngine
import NIOCore
import RedisClient

/// A link's machine with a clock of its own and without sockets. What the machine sends is kept until the test answers it.
struct LinkRun {
    typealias Effect = RedisLinkMachine.Effect

    static let server = ConversationRun.server
    static let probe = RedisChannel(.channel, "probe")
    static let lost = RedisLoss.network(ConnectionFailure(.unexpectedDisconnect, "The server closed the connection."))

    var now = Moment(nanoseconds: 1_000_000_000)
    var machine: RedisLinkMachine
    /// The last attempt of each connection.
    var attempts: [RedisLane: UInt64] = [:]
    /// What was sent and not answered.
    var sent: [(lane: RedisLane, id: UInt64, command: RedisCommand)] = []

    init(_ policy: RedisLinkPolicy = RedisLinkPolicy(probe: .init(channel: Self.probe)), seed: UInt64 = 1) {
        machine = RedisLinkMachine(policy: policy, seed: seed)
    }

    /// A link whose connections are ready.
    static func ready(_ policy: RedisLinkPolicy = RedisLinkPolicy(probe: .init(channel: probe))) -> LinkRun {
        var run = LinkRun(policy)
        _ = run.start()
        _ = run.becomeReady(.commands)
        if policy.probe != nil { _ = run.becomeReady(.messages) }
        return run
    }

    mutating func start() -> [Effect] { run { $0.start(at: $1, into: &$2) } }

    mutating func hurry() -> [Effect] { run { machine, _, effects in machine.hurry(into: &effects) } }

    mutating func move() -> [Effect] { run { machine, _, effects in machine.moved(into: &effects) } }

    mutating func close() -> [Effect] { run { $0.close(into: &$2) } }

    /// A connection is ready, and all its subscriptions are confirmed.
    mutating func becomeReady(_ lane: RedisLane) -> [Effect] {
        let attempt = attempts[lane] ?? 0
        var effects = run { $0.ready(lane, attempt: attempt, server: Self.server, at: $1, into: &$2) }
        if lane == .messages { while sent.contains(where: { $0.lane == lane }) { effects += answer(lane, .success(.null)) } }
        return effects
    }

    mutating func get(_ id: UInt64, within limit: Duration = .seconds(3)) -> [Effect] {
        call(id, .command(RedisCommand("GET", .integer(Int64(id)))), within: limit)
    }

    mutating func call(_ id: UInt64, _ call: RedisCall, within limit: Duration = .seconds(3)) -> [Effect] {
        run { $0.submit(call, id: id, deadline: $1 + limit, at: $1, into: &$2) }
    }

    mutating func subscribe(_ id: UInt64, _ names: [String], within limit: Duration = .seconds(3)) -> [Effect] {
        run { $0.subscribe(.channel, names.map { ByteBuffer(string: $0) }, id: id, deadline: $1 + limit, at: $1, into: &$2) }
    }

    /// Answers what was sent first.
    mutating func answer(_ lane: RedisLane, _ result: Result<RedisValue, RedisFailure>) -> [Effect] {
        guard let index = sent.firstIndex(where: { $0.lane == lane }), let attempt = attempts[lane] else { return [] }
        let id = sent.remove(at: index).id
        return run { $0.answered(lane, attempt: attempt, id: id, result: result, at: $1, into: &$2) }
    }

    mutating func answer(_ result: Result<RedisValue, RedisFailure>) -> [Effect] { answer(.commands, result) }

    mutating func refuse(_ line: String) -> [Effect] { answer(.failure(.refused(RedisErrorReply(line)))) }

    mutating func push(_ channel: String, _ payload: String) -> [Effect] {
        let subscription = RedisChannel(.channel, channel)
        let message = RedisMessage(subscription: subscription, channel: subscription.name, payload: ByteBuffer(string: payload))
        return run { [attempts] in $0.pushed(attempts[.messages] ?? 0, .message(message), at: $1, into: &$2) }
    }

    /// A connection ends; what was sent has no answer.
    mutating func lose(_ lane: RedisLane, _ loss: RedisLoss = lost) -> [Effect] {
        var effects: [Effect] = []
        while sent.contains(where: { $0.lane == lane }) { effects += answer(lane, .failure(.lost(loss))) }
        return effects + run { [attempts] in $0.closed(lane, attempt: attempts[lane] ?? 0, loss: loss, at: $1, into: &$2) }
    }

    /// Moves the clock, waking the machine whenever it asked for it.
    mutating func wait(_ duration: Duration) -> [Effect] {
        let target = now + duration
        var effects: [Effect] = []
        while let alarm = machine.alarm, alarm <= target {
            now = max(now, alarm)
            effects += run { $0.timeReached(at: $1, into: &$2) }
            // An alarm that stays due would keep the owner busy for ever.
            precondition(machine.alarm.map { $0 > now } ?? true, "The alarm stays due.")
        }
        now = target
        return effects
    }

    /// Waits until a connection is dialled again; returns how long that took.
    mutating func waitForDial(_ lane: RedisLane) -> Duration {
        let (start, attempt) = (now, attempts[lane])
        while attempts[lane] == attempt, let alarm = machine.alarm, alarm <= start + .seconds(600) {
            now = max(now, alarm)
            _ = run { $0.timeReached(at: $1, into: &$2) }
        }
        return now.duration(since: start)
    }

    /// Names of the commands that were sent and not answered.
    func names(_ lane: RedisLane = .commands) -> [String] { sent.filter { $0.lane == lane }.map(\.command.name) }

    private mutating func run(_ input: (inout RedisLinkMachine, Moment, inout [Effect]) -> Void) -> [Effect] {
        var effects: [Effect] = []
        input(&machine, now, &effects)
        for effect in effects {
            switch effect {
            case .dial(let lane, let attempt): attempts[lane] = attempt
            case .submit(let lane, _, let id, let request, _): sent.append((lane, id, request.command))
            case .retire, .cut, .answer, .deliver: break
            }
        }
        return effects.filter { if case .submit = $0 { false } else { true } }
    }
}
