import ChatProtocol
import DequeModule

/// The ids of the latest messages, to recognise repetitions.
struct RecentMessages: Sendable {
    /// How many ids are kept: more than the messages that can arrive between a message and its answer.
    private static let limit = 1_000

    private var ids: Set<ChatMessageID> = []
    private var order: Deque<ChatMessageID> = []

    /// Whether the message is new.
    mutating func insert(_ id: ChatMessageID) -> Bool {
        guard ids.insert(id).inserted else { return false }
        order.append(id)
        if order.count > Self.limit { ids.remove(order.removeFirst()) }
        return true
    }
}
