import ConnectionEngine
import DequeModule
import Identifiers

/// The state machine of an outbox, a value without side effects. It decides which message is sent next, how an outcome is handled, and when
/// a message fails (rules LL-93 to LL-99).
///
/// ```
///            stored          queue free, connected       stored
/// saving ──────────▶ waiting ─────────────────▶ marking ────────▶ sending ──▶ accepted: removed
///    │                 ▲ │                                           │
///    │ cannot be       │ │ deadline                                  ├──▶ not sent, or to be repeated: waiting, after a pause
///    │ stored          │ ▼                                           │
///    └──────────────▶ failed ◀───────────────────────────────────────┘    refused, unknown
///                      retry
/// ```
///
/// A message is sent only after the store has confirmed the record of the attempt. After a restart, a message that may have been sent is
/// therefore never treated as unsent.
struct OutboxMachine: Sendable {
    enum Effect: Hashable, Sendable {
        /// Write a change to disk. The result is passed to ``stored(_:error:now:into:)``, in the order of the changes.
        case store(OutboxChange)
        /// Publish; ``sent(_:_:now:into:)`` follows.
        case send(OutboxRecord)
        /// Cancel the attempt to send this message.
        case cancelSending(Identifier)
        /// Call ``timerFired(now:into:)`` after this time, and not earlier.
        case wake(after: Duration)
        /// Deliver the outcome of a message to the tasks that wait for it.
        case settle(Identifier, OutboxOutcome)
        /// Announce that the list of entries has changed.
        case entriesChanged
        /// Report an error that does not concern a single message.
        case problem(LifelineError)
        /// Release the storage: the outbox was closed, and no sending or writing is in progress any more.
        case closed
    }

    let options: OutboxOptions
    /// How long after the first attempt the service recognises a repeated message; nil when it never does.
    let repetitionSpan: Duration?
    var items: [Identifier: OutboxItem] = [:]
    var lines: [Identifier: OutboxLine] = [:]
    /// The queue of channels to process next. A channel is in it at most once.
    var ready: Deque<Identifier> = []
    /// How many channels are sending a message now.
    var underWay = 0
    /// How many changes the store has not confirmed yet.
    var unconfirmed = 0
    var bytes = 0
    var lastOrder: Int64 = 0
    var isConnected = false
    var isClosing = false
    var isClosed = false
    /// When the last requested timer fires; nil when no timer is set.
    var wakesAt: Moment?
    var random: SeededRandom

    init(options: OutboxOptions, repetitionSpan: Duration?, seed: UInt64) {
        self.options = options
        self.repetitionSpan = repetitionSpan
        random = SeededRandom(seed: seed)
    }

    /// The entries in the order in which they were enqueued.
    var entries: [OutboxEntry] { items.values.sorted { $0.record.order < $1.record.order }.map(OutboxEntry.init) }

    /// Adds a message. Throws when the outbox is closed or full.
    mutating func add(
        _ publication: Publication, id: Identifier, lifetime: Duration?, now: OutboxInstant, into effects: inout [Effect]
    ) throws(LifelineError) {
        if isClosing { throw .outboxClosed }
        let lifetime = (lifetime ?? options.lifetime).clamped(to: OutboxOptions.lifetimes)
        lastOrder += 1
        let record = OutboxRecord(
            id: id.text, order: lastOrder, channel: publication.channel, event: publication.event, json: publication.json,
            isStored: publication.options.isStored, enqueued: now.unixSeconds,
            lifetime: max(lifetime.components.seconds, 1))
        let item = OutboxItem(record: record, phase: .saving, enqueued: now)
        try makeRoom(for: item.bytes, into: &effects)
        items[id] = item
        bytes += item.bytes
        lines[item.channel, default: OutboxLine()].waiting.append(id)
        store(.insert(record), into: &effects)
        effects.append(.entriesChanged)
    }

    /// Removes failed messages, oldest first, until a message of `size` bytes fits.
    private mutating func makeRoom(for size: Int, into effects: inout [Effect]) throws(LifelineError) {
        func isFull() -> Bool { items.count >= options.maximumEntries || bytes + size > options.maximumBytes }
        guard isFull() else { return }
        guard size <= options.maximumBytes else { throw .tooLargeForOutbox(size, options) }
        let failed = items.values.filter { $0.phase == .failed }
        // If removing all failed messages would not make enough room, none is removed.
        let isEnough =
            items.count - failed.count < options.maximumEntries
            && bytes - failed.reduce(0) { $0 + $1.bytes } + size <= options.maximumBytes
        guard isEnough else { throw .outboxFull(options) }
        for item in failed.sorted(by: { $0.record.order < $1.record.order }) where isFull() { remove(item, into: &effects) }
    }

    /// Removes a message that has not been sent or that has failed.
    ///
    /// - Returns: false when the message is being sent or does not exist.
    mutating func cancel(_ id: Identifier, now: OutboxInstant, into effects: inout [Effect]) -> Bool {
        guard let item = items[id], !item.isOnItsWay else { return false }
        remove(item, into: &effects)
        // If an earlier attempt may have arrived, the outcome is `unknown`; otherwise it is `cancelled`.
        if item.phase != .failed { effects.append(.settle(id, item.record.error.map { .unknown($0) } ?? .cancelled)) }
        advance(now: now, into: &effects)
        return true
    }

    /// Moves a failed message behind all other messages of its channel, with a new lifetime.
    mutating func retry(_ id: Identifier, now: OutboxInstant, into effects: inout [Effect]) throws(LifelineError) {
        if isClosing { throw .outboxClosed }
        guard var item = items[id], item.phase == .failed else { throw .notFailed }
        lastOrder += 1
        item.record.order = lastOrder
        item.record.enqueued = now.unixSeconds
        item.enqueued = now
        item.record.state = .waiting
        // The error is cleared only for a message that certainly was not sent. For other messages the earlier outcome stays unknown.
        if item.record.firstSent == nil { item.record.error = nil }
        // The app requests the retry, so the message is sent as a new one even if the service may not recognise the repetition.
        if item.firstSent.map({ !isRecognised(since: $0, now: now) }) ?? true {
            (item.firstSent, item.record.firstSent) = (nil, nil)
        }
        item.phase = .waiting
        items[id] = item
        lines[item.channel, default: OutboxLine()].waiting.append(id)
        store(.update(item.record), into: &effects)
        wake(at: item.deadline, now: now, into: &effects)
        effects.append(.entriesChanged)
        makeReady(item.channel)
        advance(now: now, into: &effects)
    }
}
