import ChatProtocol
import DequeModule

/// A set of the latest message ids, used to recognise repeated messages.
struct RecentMessages: Sendable {
    /// How many ids are stored: more than the messages that can arrive between sending a message and the server's answer.
    private static let limit = 1_000

    private var ids: Set<ChatMessageID> = []
    private var order: Deque<ChatMessageID> = []

    /// Adds an id. Returns false when the id was in the set already.
    mutating func insert(_ id: ChatMessageID) -> Bool {
        guard ids.insert(id).inserted else { return false }
        order.append(id)
        if order.count > Self.limit { ids.remove(order.removeFirst()) }
        return true
    }
}
