import Identifiers

/// The rows of a channel: what of its messages a view shows, bounded. A value.
struct ChannelRows<Value: Decodable & Sendable>: Sendable {
    private(set) var rows: [ChannelRow<Value>] = []
    private let event: String?
    private let limit: Int
    /// Whether a row was dropped, since there were too many.
    private(set) var isCut = false
    /// The ids of messages that came from the history, for as long as they may come once more.
    private var known: Set<Identifier> = []
    private var lastID = 0

    init(event: String?, limit: Int) {
        self.event = event
        self.limit = max(limit, 1)
    }

    /// The oldest message that has an id, as the place that older ones are asked from.
    var oldestID: String? {
        for row in rows {
            if case .value(_, let message) = row.content, let id = message.id { return id }
            if case .undecodable(_, let message) = row.content, let id = message.id { return id }
        }
        return nil
    }

    /// A new subscription: the history contains the shown messages again, or there is a gap after them.
    mutating func begin(withHistory: Bool) {
        known = []
        if withHistory {
            rows = []
            isCut = false
        } else if !rows.isEmpty {
            append(.gap(nil))
        }
    }

    /// Messages of the past, oldest first, with what is missing between them.
    mutating func take(past messages: [Message]) {
        for message in messages {
            if let id = message.id { known.insert(Identifier(id)) }
            take(message)
        }
    }

    mutating func take(_ delivery: Delivery) {
        switch delivery {
        case .message(let message):
            // Messages that were published while the history was read arrived both ways.
            if let id = message.id, known.remove(Identifier(id)) != nil { return }
            take(message)
        case .gap(let gap): appendGap(gap)
        case .failed(let error, _):
            if error.code == .decryptionFailed { append(.unreadable(error)) }
        }
    }

    /// A page of older messages, oldest first.
    mutating func take(older messages: [Message]) {
        let contents = messages.compactMap(content)
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

    /// Two gaps without messages between them mean no more than one.
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
