import NIOCore
import ServerStorage

/// The position of a connection in its user's inbox: a pure value, one for each session (chat-protocol.md, section 4).
///
/// While a page is read from the store, new events are held. So no event is missing between the page and live delivery, and none is
/// delivered twice. While the client's acknowledgement is pending, new events are dropped, because the next page contains them.
struct InboxReader: Sendable {
    enum Phase: Hashable, Sendable {
        /// A page is being read from the store.
        case reading
        /// The next page is read once the client has acknowledged the package that ends at this position.
        case awaiting(UInt64)
        case live
    }

    struct Held: Hashable, Sendable {
        var sequence: UInt64
        var body: ByteBuffer
    }

    /// The inbox entries to write to the client after one page was read.
    struct Package: Hashable, Sendable {
        var items: ArraySlice<ChatInboxEntry>
        var hasMore: Bool
        /// Events that arrived while the page was read. They are written after the last package.
        var held: [Held] = []
    }

    private(set) var phase = Phase.reading
    /// The position of the last event that was written, or that the client already has.
    private(set) var written: UInt64
    private var held: [Held] = []
    private var heldBytes = 0
    /// Whether more events arrived than can be held. The page that is being read is then not the last one.
    private var hasOverflowed = false

    /// The largest number of events in one package (chat-protocol.md, section 4).
    static let packageLength = 200
    /// The size in bytes at which a package ends. A larger package could exceed the limit of unsent bytes, at which clients count as slow
    /// readers.
    static let packageBytes = 262_144
    static let heldLength = 64
    static let heldLimit = 65_536

    init(after start: UInt64) {
        written = start
    }

    /// Handles a new event of the inbox. Returns true to write the event to the client now, and false to hold or drop it.
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

    /// Skips an event that the client already has from the answer to its own request. While a page is read or acknowledged, this has no
    /// effect, because earlier events are not written yet.
    mutating func skip(_ sequence: UInt64) {
        if phase == .live, sequence > written { written = sequence }
    }

    /// Handles a page of the store: up to ``packageLength`` + 1 entries after ``written``. Returns nil when the page has to be read again.
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

    /// Records that the client has stored all entries up to a position. Returns whether to read the next page.
    mutating func acknowledge(_ sequence: UInt64) -> Bool {
        guard case .awaiting(let last) = phase, sequence >= last else { return false }
        phase = .reading
        return true
    }
}
