import NIOConcurrencyHelpers
import OrderedCollections

/// What somebody attached to a message: a reaction, a receipt.
struct MessageAction: Hashable, Sendable {
    var type: String
    var value: String
    var user: String
    /// Of the message.
    var message: UInt64
    /// Of the action itself.
    var timetoken: UInt64
}

/// The message actions of an application. In memory: they end with the process (rule PV-70).
final class ActionBook: Sendable {
    /// Actions of all channels. Beyond it new ones are refused.
    static let capacity = 1_000_000

    private struct Book {
        /// By channel, in the order of their timetokens.
        var channels: [String: OrderedDictionary<UInt64, MessageAction>] = [:]
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
    /// - Parameter timetoken: higher than all before.
    func add(_ action: MessageAction, to channel: String) -> Addition {
        book.withLockedValue { book in
            let known = book.channels[channel]?.values.contains { other in
                other.message == action.message && other.type == action.type && other.value == action.value
                    && other.user == action.user
            }
            if known == true { return .known }
            guard book.count < Self.capacity else { return .full }
            book.channels[channel, default: [:]][action.timetoken] = action
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
            guard let action = book.channels[channel]?[timetoken], action.message == message else { return .unknown }
            guard action.user == user else { return .anothers }
            book.channels[channel]?.removeValue(forKey: timetoken)
            if book.channels[channel]?.isEmpty == true { book.channels[channel] = nil }
            book.count -= 1
            return .removed(action)
        }
    }

    /// The newest actions of a channel below `start` (exclusive) down to `end` (inclusive), oldest first.
    func page(of channel: String, start: UInt64?, end: UInt64?, limit: Int) -> [MessageAction] {
        book.withLockedValue { book in
            guard let actions = book.channels[channel] else { return [] }
            return actions.values.reversed().lazy
                .filter { $0.timetoken < start ?? .max && $0.timetoken >= end ?? 0 }
                .prefix(limit).reversed()
        }
    }

    /// Actions on some messages of a channel, by message.
    func of(_ messages: [UInt64], on channel: String) -> [UInt64: [MessageAction]] {
        let wanted = Set(messages)
        return book.withLockedValue { book in
            Dictionary(grouping: book.channels[channel]?.values.filter { wanted.contains($0.message) } ?? [], by: \.message)
        }
    }
}
