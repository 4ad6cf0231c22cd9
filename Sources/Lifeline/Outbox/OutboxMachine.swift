import ConnectionEngine
import DequeModule
import Identifiers

/// The decisions of an outbox as a pure value: which message is sent next, the meaning of an outcome, and when a message is given up
/// (rules LL-93 to LL-99).
///
/// ```
///            stored           line free, connected       stored
/// saving ──────────▶ waiting ─────────────────▶ marking ────────▶ sending ──▶ accepted: gone
///    │                 ▲ │                                           │
///    │ cannot be       │ │ deadline                                  ├──▶ not sent, or to be repeated: waiting, after a pause
///    │ stored          │ ▼                                           │
///    └──────────────▶ failed ◀───────────────────────────────────────┘    refused, unknown
///                      retry
/// ```
///
/// A message is sent only after the store has confirmed the record of the attempt, so that after a restart a message that may have been
/// sent is never taken for an unsent one.
struct OutboxMachine: Sendable {
    enum Effect: Hashable, Sendable {
        /// Make a change on disk; ``stored(_:error:now:into:)`` follows, in order.
        case store(OutboxChange)
        /// Publish; ``sent(_:_:now:into:)`` follows.
        case send(OutboxRecord)
        /// Cancel the attempt in progress.
        case cancelSending(Identifier)
        /// Call ``timerFired(now:into:)`` after this time, and not earlier.
        case wake(after: Duration)
        /// Deliver the outcome of a message to the tasks that wait for it.
        case settle(Identifier, OutboxOutcome)
        /// The list of entries has changed.
        case entriesChanged
        /// An error that does not concern a single message.
        case problem(LifelineError)
        /// The outbox was closed, and no sending or writing is in progress any more.
        case closed
    }

    let options: OutboxOptions
    /// How long the service recognises a message that is sent again; nil when it never does.
    let repetitionSpan: Duration?
    var items: [Identifier: OutboxItem] = [:]
    var lines: [Identifier: OutboxLine] = [:]
    /// The channels to process next, each once.
    var ready: Deque<Identifier> = []
    /// How many channels have a message in progress.
    var underWay = 0
    /// How many changes are not confirmed by the store.
    var unconfirmed = 0
    var bytes = 0
    var lastOrder: Int64 = 0
    var isConnected = false
    var isClosing = false
    var isClosed = false
    /// When the last requested timer fires.
    var wakesAt: Moment?
    var random: SeededRandom

    init(options: OutboxOptions, repetitionSpan: Duration?, seed: UInt64) {
        self.options = options
        self.repetitionSpan = repetitionSpan
        random = SeededRandom(seed: seed)
    }

    /// The entries in the order in which they were enqueued.
    var entries: [OutboxEntry] { items.values.sorted { $0.record.order < $1.record.order }.map(OutboxEntry.init) }

    /// Adds a message, or refuses it when there is no room.
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

    /// Removes failed messages, oldest first, until a message of this size fits.
    private mutating func makeRoom(for size: Int, into effects: inout [Effect]) throws(LifelineError) {
        func isFull() -> Bool { items.count >= options.maximumEntries || bytes + size > options.maximumBytes }
        guard isFull() else { return }
        guard size <= options.maximumBytes else { throw .tooLargeForOutbox(size, options) }
        let failed = items.values.filter { $0.phase == .failed }
        // Messages are removed only if that makes enough room.
        let isEnough =
            items.count - failed.count < options.maximumEntries
            && bytes - failed.reduce(0) { $0 + $1.bytes } + size <= options.maximumBytes
        guard isEnough else { throw .outboxFull(options) }
        for item in failed.sorted(by: { $0.record.order < $1.record.order }) where isFull() { remove(item, into: &effects) }
    }

    /// Removes a message that has not been sent or that has failed.
    ///
    /// - Returns: false for a message that is being sent, and for one that does not exist.
    mutating func cancel(_ id: Identifier, now: OutboxInstant, into effects: inout [Effect]) -> Bool {
        guard let item = items[id], !item.isOnItsWay else { return false }
        remove(item, into: &effects)
        // When an earlier attempt may have arrived, the outcome is unknown instead of cancelled.
        if item.phase != .failed { effects.append(.settle(id, item.record.error.map { .unknown($0) } ?? .cancelled)) }
        advance(now: now, into: &effects)
        return true
    }

    /// Moves a failed message behind all others of its channel, with a new lifetime.
    mutating func retry(_ id: Identifier, now: OutboxInstant, into effects: inout [Effect]) throws(LifelineError) {
        if isClosing { throw .outboxClosed }
        guard var item = items[id], item.phase == .failed else { throw .notFailed }
        lastOrder += 1
        item.record.order = lastOrder
        item.record.enqueued = now.unixSeconds
        item.enqueued = now
        item.record.state = .waiting
        // For a message that may have arrived, the outcome of the earlier attempt stays unknown.
        if item.record.firstSent == nil { item.record.error = nil }
        // The app requests it although the service may not recognise the repetition.
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
