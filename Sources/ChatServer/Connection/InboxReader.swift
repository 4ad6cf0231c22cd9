import NIOCore
import RealtimeHub

/// How far a connection has got in its user's inbox: a pure value, one for each session (session document, section 4).
///
/// While a page is being read from the store, what is pushed meanwhile is held, so that nothing is missed between the page and
/// live delivery and nothing comes twice. While an acknowledgement is awaited pushes are dropped: the next page has them.
struct InboxReader: Sendable {
    enum Phase: Hashable, Sendable {
        /// A page is being read from the store.
        case reading
        /// The package up to this place has to be acknowledged before the next one is read.
        case awaiting(UInt64)
        case live
    }

    struct Held: Hashable, Sendable {
        var sequence: UInt64
        var body: ByteBuffer
    }

    /// What to write for one page.
    struct Package: Hashable, Sendable {
        var items: ArraySlice<ChatInboxEntry>
        var hasMore: Bool
        /// Events that arrived meanwhile, to be written after the last package.
        var held: [Held] = []
    }

    private(set) var phase = Phase.reading
    /// The last place that was written, or that the client has anyway.
    private(set) var written: UInt64
    private var held: [Held] = []
    private var heldBytes = 0
    /// Whether more was pushed than is held: the page that is being read cannot be the last.
    private var hasOverflowed = false

    /// Events of one package (session document, section 4).
    static let packageLength = 200
    /// A package ends with the event that reaches this size, so that none makes a client look slow.
    static let packageBytes = 262_144
    static let heldLength = 64
    static let heldLimit = 65_536

    init(after start: UInt64) {
        written = start
    }

    /// An event was pushed. Whether it is to be written now.
    mutating func push(_ sequence: UInt64, _ body: ByteBuffer) -> Bool {
        guard sequence > written else { return false }
        switch phase {
        case .live:
            written = sequence
            return true
        case .awaiting: return false
        case .reading:
            if held.count < Self.heldLength, heldBytes + body.readableBytes <= Self.heldLimit {
                held.append(Held(sequence: sequence, body: body))
                heldBytes += body.readableBytes
            } else {
                hasOverflowed = true
            }
            return false
        }
    }

    /// Skips an event that the client knows from the answer to its own request. Useful only if this event is the next one.
    mutating func skip(_ sequence: UInt64) {
        if phase == .live, sequence > written { written = sequence }
    }

    /// The page that was asked for: up to ``packageLength`` and one more entries after ``written``. Nil when it has to be read
    /// again.
    mutating func take(_ page: [ChatInboxEntry]) -> Package? {
        guard phase == .reading else { return nil }
        var count = 0
        var bytes = 0
        while count < min(page.count, Self.packageLength), bytes < Self.packageBytes {
            bytes += page[count].body.count
            count += 1
        }
        let items = page.prefix(count)
        let isLast = count == page.count && !hasOverflowed
        let pushed = held
        held = []
        heldBytes = 0
        hasOverflowed = false
        if let last = items.last { written = max(written, last.sequence) }
        guard isLast else {
            guard !items.isEmpty else { return nil }
            phase = .awaiting(written)
            return Package(items: items, hasMore: true)
        }
        phase = .live
        let rest = pushed.filter { $0.sequence > written }
        if let last = rest.last { written = last.sequence }
        return Package(items: items, hasMore: false, held: rest)
    }

    /// The client has kept everything up to a place. Whether the next page is to be read.
    mutating func acknowledge(_ sequence: UInt64) -> Bool {
        guard case .awaiting(let last) = phase, sequence >= last else { return false }
        phase = .reading
        return true
    }
}
