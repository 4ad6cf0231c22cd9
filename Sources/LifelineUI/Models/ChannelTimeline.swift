import Identifiers

/// The rows that a ``ChannelModel`` shows: at most `limit` of the channel's messages and gaps. A value.
struct ChannelTimeline<Value: Decodable & Sendable>: Sendable {
    private(set) var rows: [ChannelRow<Value>] = []
    private let event: String?
    private let limit: Int
    /// Whether a row was dropped because the list was longer than its limit.
    private(set) var isCut = false
    /// The ids of history messages that may still arrive a second time as live messages.
    private var known: Set<Identifier> = []
    private var lastID = 0

    init(event: String?, limit: Int) {
        self.event = event
        self.limit = max(limit, 1)
    }

    /// Prepares the rows for a new subscription. If a history will be loaded, the present rows are removed, because the history contains
    /// their messages. Otherwise a gap is added behind the rows.
    mutating func begin(withHistory: Bool) {
        known = []
        if withHistory {
            rows = []
            isCut = false
        } else if !rows.isEmpty {
            append(.gap(nil))
        }
    }

    /// Adds history messages, oldest first, with the gaps between them.
    mutating func take(past messages: [Message]) {
        for message in messages {
            if let id = message.id { known.insert(Identifier(id)) }
            take(message)
        }
    }

    mutating func take(_ delivery: Delivery) {
        switch delivery {
        case .message(let message):
            // A message that was published while the history was loaded is in the history and arrives live, so its second arrival is
            // skipped.
            if let id = message.id, known.remove(Identifier(id)) != nil { return }
            take(message)
        case .gap(let gap): appendGap(gap)
        case .failed(let error, _):
            if error.code == .decryptionFailed { append(.unreadable(error)) }
        }
    }

    /// Inserts a page of older messages before the first row, with a row for each message that cannot be decrypted.
    mutating func take(older page: HistoryPage) {
        var contents: [ChannelRow<Value>.Content] = []
        var failures = page.failures.indices.map { (page.failures[$0], page.places.count > $0 ? page.places[$0] : 0) }[...]
        for (index, message) in page.messages.enumerated() {
            while let (failure, place) = failures.first, place <= index {
                failures.removeFirst()
                contents.append(.unreadable(failure.error))
            }
            if let content = content(of: message) { contents.append(content) }
        }
        contents += failures.map { .unreadable($0.0.error) }
        let space = max(limit - rows.count, 0)
        if contents.count > space { isCut = true }
        let older = contents.suffix(space).map { content in
            lastID += 1
            return ChannelRow(id: lastID, content: content)
        }
        rows.insert(contentsOf: older, at: 0)
    }

    private mutating func take(_ message: Message) {
        if let gap = message.precedingGap { appendGap(gap) }
        if let content = content(of: message) { append(content) }
    }

    private func content(of message: Message) -> ChannelRow<Value>.Content? {
        if let event, !event.isExactly(message.event) { return nil }
        do throws(LifelineError) {
            return .value(try message.decode(Value.self), message)
        } catch {
            return .undecodable(error, message)
        }
    }

    /// Adds a gap, unless the last row is a gap: two gaps without a message between them are shown as one.
    private mutating func appendGap(_ gap: Gap) {
        if rows.last?.isGap != true { append(.gap(gap)) }
    }

    private mutating func append(_ content: ChannelRow<Value>.Content) {
        lastID += 1
        rows.append(ChannelRow(id: lastID, content: content))
        guard rows.count > limit else { return }
        rows.removeFirst(rows.count - limit)
        isCut = true
    }
}
