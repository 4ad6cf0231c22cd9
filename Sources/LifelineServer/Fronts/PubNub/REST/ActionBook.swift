import NIOConcurrencyHelpers

/// What somebody attached to a message: a reaction, a receipt.
struct MessageAction: Hashable, Sendable {
    var type: String
    var value: String
    var user: String
    /// Of the message.
    var message: UInt64
    /// Of the action itself.
    var timetoken: UInt64

    /// Whether both say the same of the same message in the same name.
    func repeats(_ other: MessageAction) -> Bool {
        type == other.type && value == other.value && user == other.user && message == other.message
    }
}

/// The message actions of an application. In memory: they end with the process (rule PV-70).
final class ActionBook: Sendable {
    /// Actions of all channels, and of one message. Beyond it new ones are refused.
    static let capacity = 1_000_000
    static let perMessage = 2000

    private struct Book {
        var channels: [String: ChannelActions] = [:]
        var count = 0
    }

    private let book = NIOLockedValueBox(Book())

    enum Addition: Hashable {
        case added
        case known
        case full
    }

    /// Adds an action unless the same user has said the same of the message before.
    ///
    /// - Parameter action: with a timetoken of its own.
    func add(_ action: MessageAction, to channel: String) -> Addition {
        book.withLockedValue { book in
            let present = book.channels[channel]?.byMessage[action.message] ?? []
            if present.contains(where: { $0.repeats(action) }) { return .known }
            guard book.count < Self.capacity, present.count < Self.perMessage else { return .full }
            book.channels[channel, default: ChannelActions()].add(action)
            book.count += 1
            return .added
        }
    }

    enum Removal: Hashable {
        case removed(MessageAction)
        case anothers
        case unknown
    }

    /// Removes an action of a user's own.
    func remove(_ timetoken: UInt64, of message: UInt64, on channel: String, by user: String) -> Removal {
        book.withLockedValue { book in
            guard let action = book.channels[channel]?.byMessage[message]?.first(where: { $0.timetoken == timetoken }) else {
                return .unknown
            }
            guard action.user == user else { return .anothers }
            book.channels[channel]?.remove(action)
            if book.channels[channel]?.byMessage.isEmpty == true { book.channels[channel] = nil }
            book.count -= 1
            return .removed(action)
        }
    }

    /// The newest actions of a channel below `start` (exclusive) down to `end` (inclusive), oldest first.
    func page(of channel: String, start: UInt64?, end: UInt64?, limit: Int) -> [MessageAction] {
        book.withLockedValue { $0.channels[channel]?.page(start: start, end: end, limit: limit) ?? [] }
    }

    /// Actions on some messages of a channel, by message, each in the order of adding.
    func of(_ messages: [UInt64], on channel: String) -> [UInt64: [MessageAction]] {
        book.withLockedValue { book in
            guard let actions = book.channels[channel] else { return [:] }
            return messages.reduce(into: [:]) { $0[$1] = actions.byMessage[$1] }
        }
    }
}

/// The actions of one channel, to be found by message and by time.
private struct ChannelActions {
    private(set) var byMessage: [UInt64: [MessageAction]] = [:]
    /// Ascending by timetoken. Actions that are gone stay until there are more of them than of others.
    private var order: [(timetoken: UInt64, message: UInt64)] = []
    private var gone = 0

    mutating func add(_ action: MessageAction) {
        byMessage[action.message, default: []].append(action)
        order.insert((action.timetoken, action.message), at: index(of: action.timetoken))
    }

    mutating func remove(_ action: MessageAction) {
        byMessage[action.message]?.removeAll { $0.timetoken == action.timetoken }
        if byMessage[action.message]?.isEmpty == true { byMessage[action.message] = nil }
        gone += 1
        guard gone > order.count / 2 else { return }
        order = order.filter { find($0) != nil }
        gone = 0
    }

    func page(start: UInt64?, end: UInt64?, limit: Int) -> [MessageAction] {
        var found: [MessageAction] = []
        var place = start.map { index(of: $0) } ?? order.count
        while place > 0, found.count < limit, order[place - 1].timetoken >= end ?? 0 {
            place -= 1
            if let action = find(order[place]) { found.append(action) }
        }
        return found.reversed()
    }

    private func find(_ place: (timetoken: UInt64, message: UInt64)) -> MessageAction? {
        byMessage[place.message]?.first { $0.timetoken == place.timetoken }
    }

    /// The place of the first action that is not before a timetoken.
    private func index(of timetoken: UInt64) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].timetoken < timetoken { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
