import ConnectionEngine
import NIOCore
import RedisClient

/// A conversation with a clock of its own, driven by the server's words as they are on the wire.
struct ConversationRun {
    typealias Effect = RedisConversation.Effect

    var now = Moment(nanoseconds: 1_000_000_000)
    var conversation: RedisConversation

    init(_ handshake: RedisHandshake = RedisHandshake(), timing: RedisTiming = RedisTiming()) {
        conversation = RedisConversation(handshake: handshake, timing: timing, at: now)
    }

    static let hello =
        "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:5\r\n$4\r\nmode\r\n"
        + "$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n"
    static let role = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
    static let server = RedisServer(product: "redis", version: "7.0.15", mode: "standalone", connection: 5, role: "master")

    /// A conversation whose handshake is complete.
    static func ready(timing: RedisTiming = RedisTiming()) -> ConversationRun {
        var run = ConversationRun(timing: timing)
        _ = run.open()
        _ = run.hear(hello + role + "+PONG\r\n")
        return run
    }

    mutating func open() -> [Effect] { run { $0.opened(at: $1, into: &$2) } }

    mutating func submit(_ id: UInt64, _ command: RedisCommand, within limit: Duration = .seconds(3)) -> [Effect] {
        run { $0.submit(.command(command), id: id, deadline: $1 + limit, at: $1, into: &$2) }
    }

    mutating func subscribe(
        _ id: UInt64, _ names: [String], _ kind: RedisChannel.Kind = .channel, begins: Bool = true,
        within limit: Duration = .seconds(3)
    ) -> [Effect] {
        let subscribing = RedisSubscribing(kind, begins: begins, names: names.map { ByteBuffer(string: $0) })
        return run { $0.submit(.subscribing(subscribing), id: id, deadline: $1 + limit, at: $1, into: &$2) }
    }

    mutating func hear(_ wire: String) -> [Effect] {
        let values = Decoded(wire).values
        return run { conversation, now, effects in
            for value in values { conversation.received(value, at: now, into: &effects) }
        }
    }

    mutating func retire(_ loss: RedisLoss = .closed) -> [Effect] { run { $0.retire(loss, into: &$2) } }

    mutating func setReading(_ isReading: Bool) -> [Effect] {
        run { conversation, now, _ in conversation.setReading(isReading, at: now) }
    }

    mutating func end(_ loss: RedisLoss) -> [Effect] { run { $0.end(loss, into: &$2) } }

    /// Moves the clock, waking the conversation whenever it asked for it.
    mutating func wait(_ duration: Duration) -> [Effect] {
        let target = now + duration
        var effects: [Effect] = []
        while let alarm = conversation.alarm, alarm <= target {
            now = max(now, alarm)
            conversation.timeReached(at: now, into: &effects)
        }
        now = target
        return effects
    }

    private mutating func run(_ input: (inout RedisConversation, Moment, inout [Effect]) -> Void) -> [Effect] {
        var effects: [Effect] = []
        input(&conversation, now, &effects)
        return effects
    }
}
