import DequeModule
import RealtimeHub

/// Something that an application's own server is told.
struct WebhookEvent: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case connectionStatus = "user:connection_status"
        case messageSend = "message:send"
    }

    var kind: Kind
    /// Whose events keep their order.
    var user: String
    /// The item of `data`: a JSON object in UTF-8.
    var body: [UInt8]
}

/// Events that are put together into one request.
struct WebhookBatch: Hashable, Sendable {
    /// Stays the same when the batch is sent again.
    var id: UInt64
    var kind: WebhookEvent.Kind
    var events: [WebhookEvent]
    /// When it was tried first.
    var began: HubInstant
    var attempts = 0
}

/// What waits to be told: a pure value. One batch is under way at a time, so events of a user arrive in their order (rule NV-42).
struct WebhookQueue: Sendable {
    private var waiting: Deque<WebhookEvent> = []
    private var bytes = 0
    private(set) var current: WebhookBatch?
    private var lastID: UInt64 = 0
    /// Events that were given up.
    private(set) var dropped = 0
    private(set) var delivered = 0

    static let maximumEvents = 10_000
    static let maximumBytes = 16 << 20
    static let batchLength = 200
    static let batchBytes = 1 << 20
    /// How far ahead a batch looks for more events of its kind.
    private static let reach = 1_000
    /// How long a batch is tried.
    static let patience = Duration.seconds(300)

    /// Whether there is nothing left to tell.
    var isEmpty: Bool { waiting.isEmpty && current == nil }

    var count: Int { waiting.count + (current?.events.count ?? 0) }

    /// What comes when there is no room is given up.
    mutating func append(_ event: WebhookEvent) {
        guard waiting.count < Self.maximumEvents, bytes + event.body.count <= Self.maximumBytes else {
            dropped += 1
            return
        }
        waiting.append(event)
        bytes += event.body.count
    }

    /// The next batch, which is under way from then on; nil when one is, or when there is nothing to tell.
    mutating func begin(at now: HubInstant) -> WebhookBatch? {
        guard current == nil, let first = waiting.first else { return nil }
        var events: [WebhookEvent] = []
        var size = 0
        var kept: [WebhookEvent] = []
        // Whose next event is of another kind: nothing of theirs may overtake it.
        var behind: Set<String> = []
        var looked = 0
        while looked < Self.reach, events.count < Self.batchLength, size < Self.batchBytes, let event = waiting.popFirst() {
            looked += 1
            if event.kind == first.kind, !behind.contains(event.user) {
                events.append(event)
                size += event.body.count
            } else {
                behind.insert(event.user)
                kept.append(event)
            }
        }
        waiting.prepend(contentsOf: kept)
        bytes -= size
        lastID += 1
        let batch = WebhookBatch(id: lastID, kind: first.kind, events: events, began: now)
        current = batch
        return batch
    }

    /// The batch that was under way has arrived.
    mutating func finish() {
        delivered += current?.events.count ?? 0
        current = nil
    }

    /// The batch that was under way has not arrived: when to try again, or nil when it is given up.
    mutating func fail(isFinal: Bool, at now: HubInstant) -> Duration? {
        guard var batch = current else { return nil }
        batch.attempts += 1
        let pause = Duration.milliseconds(250) * (1 << min(batch.attempts, 7))
        guard !isFinal, now.advanced(by: pause).since(batch.began) <= Self.patience else {
            dropped += batch.events.count
            current = nil
            return nil
        }
        current = batch
        return pause
    }

    /// Gives everything up.
    mutating func abandon() {
        dropped += count
        waiting = []
        bytes = 0
        current = nil
    }
}
