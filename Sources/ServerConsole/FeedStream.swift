import NIOCore
import ServerRuntime
import ServerValues
import WireCoding

/// Sends the live feed to a page as server-sent events, a few times per second, until the session of the page ends. Events are dropped
/// while the client does not read (rule CO-41).
///
/// Used on the event loop of its connection only.
final class FeedStream: HeldExchange {
    private let front: ConsoleFront
    private let session: String
    private let watcher: FeedWatcher
    private var connection: HTTPConnection?
    /// The number of dropped events of which the page has not been informed yet.
    private var dropped = 0
    private var spoken: MonotonicInstant

    /// After this time without an event the server sends a comment, so that it detects a page that was closed.
    private static let silence = Duration.seconds(10)

    init(_ front: ConsoleFront, session: String, watcher: FeedWatcher, connection: HTTPConnection) {
        self.front = front
        self.session = session
        self.watcher = watcher
        self.connection = connection
        spoken = front.context.now
    }

    func begin() {
        connection?.beginStream(.events, fields: HTTPAnswer.consoleFields, exchange: self)
        connection?.stream(ByteBuffer(string: "retry: 3000\n\n"))
    }

    func sweep(held elapsed: Duration, at now: MonotonicInstant) {
        guard front.isOpen(session: session) else { return expire(at: now) }
        let (events, lost) = watcher.drain()
        dropped += lost
        guard let connection, connection.canStream else {
            dropped += events.count
            return
        }
        guard !events.isEmpty || dropped > 0 || now.since(spoken) >= Self.silence else { return }
        spoken = now
        guard !events.isEmpty || dropped > 0 else { return connection.stream(ByteBuffer(string: ": still here\n\n")) }
        var message: JSONValue = [
            "time": .number(JSONNumber(front.context.clock.unixSeconds())), "events": .array(events.map(Self.value)),
        ]
        if dropped > 0, case .object(var members) = message {
            members["dropped"] = .number(JSONNumber(dropped))
            message = .object(members)
        }
        dropped = 0
        // JSON escapes line breaks, so the message is one line, as server-sent events require.
        connection.stream(ByteBuffer(string: "data: \(message.text)\n\n"))
    }

    private static func value(_ event: FeedEvent) -> JSONValue {
        var members: JSONValue = [
            "kind": .string(event.kind.rawValue), "service": .string(event.service.rawValue), "app": .string(event.application),
        ]
        let rest: [(String, JSONValue?)] = [
            ("channel", event.channel.map { .string($0) }), ("name", event.name.map { .string($0) }),
            ("user", event.user.map { .string($0) }), ("bytes", event.bytes.map { .number(JSONNumber($0)) }),
            ("payload", event.payload.map { .string($0) }),
        ]
        guard case .object(var object) = members else { return members }
        for (name, value) in rest { if let value { object[name] = value } }
        members = .object(object)
        return members
    }

    /// Closes the stream, because the server stops or the session has ended.
    func expire(at now: MonotonicInstant) {
        connection?.cut()
    }

    func leave() {
        front.source.feed.end(watcher)
        connection = nil
    }
}
