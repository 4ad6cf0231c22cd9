import DequeModule
import NexconnProtocol

/// The ids of the latest messages, to know one again.
struct RecentMessages: Sendable {
    /// Longer than a message and its answer are ever apart.
    private static let limit = 1_000

    private var ids: Set<NexconnMessageID> = []
    private var order: Deque<NexconnMessageID> = []

    /// Whether the message is new.
    mutating func insert(_ id: NexconnMessageID) -> Bool {
        guard ids.insert(id).inserted else { return false }
        order.append(id)
        if order.count > Self.limit { ids.remove(order.removeFirst()) }
        return true
    }
}
