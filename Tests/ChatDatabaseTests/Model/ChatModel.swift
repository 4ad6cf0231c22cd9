import ChatDatabase
import ChatProtocol

/// What the database should hold, kept in the plainest way.
struct ChatModel {
    struct Message {
        var localID: Int64
        /// The id, or where a message without one stands.
        var position: UInt64
        var hasID: Bool
        var clientID: String?
        var isSent: Bool
        var time: Int64
        var text: String
        var isMention = false
        var isRead = false
        /// Came with a page of history only.
        var isFetched = false
        var edited: Int64 = 0
    }

    struct Channel {
        var messages: [Message] = []
        var recalled: Set<UInt64> = []
        var edits: [UInt64: (text: String, time: Int64)] = [:]
        var readTime: Int64 = 0
        var top: UInt64 = 0
        var isListed = false
        var operationTime: Int64 = 0

        var unread: [Message] { messages.filter { !$0.isSent && !$0.isRead && $0.time > readTime } }
        /// Newest first.
        var sorted: [Message] { messages.sorted { $0.position > $1.position } }

        /// Up to the newest message of the server, and this device's own ones by themselves (rules CD-58 and CD-59).
        mutating func readAll() {
            readTime = max(readTime, Int64((messages.filter(\.hasID).map(\.position).max() ?? 0) / 10_000))
            for index in messages.indices where !messages[index].hasID { messages[index].isRead = true }
        }

        mutating func touch(_ time: Int64) {
            isListed = true
            operationTime = max(operationTime, time)
        }

        mutating func add(_ message: Message) {
            messages.append(message)
            top = max(top, message.position)
        }

        /// Whether the message is new to handlers.
        mutating func receive(_ message: Message, isFetched: Bool) -> Bool {
            if message.isSent, let client = message.clientID, let own = messages.firstIndex(where: { $0.clientID == client }) {
                return messages[own].hasID ? false : finish(messages[own], as: message.position)
            }
            if let known = messages.firstIndex(where: { $0.hasID && $0.position == message.position }) {
                guard !isFetched, messages[known].isFetched else { return false }
                messages[known].isFetched = false
                messages[known].isRead = false
                touch(message.time)
                return true
            }
            guard !recalled.contains(message.position) else { return false }
            var message = message
            message.isFetched = isFetched
            message.isRead = isFetched
            if let edit = edits[message.position] {
                message.text = edit.text
                message.edited = edit.time
            }
            add(message)
            if !isFetched { touch(message.time) }
            return true
        }

        /// An own message has its id. False when it was recalled before.
        mutating func finish(_ own: Message, as id: UInt64) -> Bool {
            messages.removeAll { $0.localID == own.localID || ($0.hasID && $0.position == id) }
            guard !recalled.contains(id) else { return false }
            var done = own
            (done.hasID, done.position, done.time) = (true, id, Int64(id / 10_000))
            add(done)
            touch(done.time)
            return true
        }

        mutating func recall(_ id: UInt64) -> Bool {
            guard recalled.insert(id).inserted else { return false }
            messages.removeAll { $0.hasID && $0.position == id }
            return true
        }

        mutating func edit(_ id: UInt64, _ text: String, at time: Int64) -> Bool {
            if let known = messages.firstIndex(where: { $0.hasID && $0.position == id }) {
                guard messages[known].edited < time else { return false }
                messages[known].text = text
                messages[known].edited = time
                return true
            }
            if !recalled.contains(id), edits[id]?.time ?? 0 < time { edits[id] = (text, time) }
            return false
        }
    }

    var channels: [ChatChannel: Channel] = [:]

    subscript(channel: ChatChannel) -> Channel {
        get { channels[channel] ?? Channel() }
        set { channels[channel] = newValue }
    }

    var list: [ChatChannel] {
        channels.filter(\.value.isListed).sorted {
            ($0.value.operationTime, $0.key.conversation.rawValue, $0.key.id) > (
                $1.value.operationTime, $1.key.conversation.rawValue, $1.key.id
            )
        }.map(\.key)
    }
}
