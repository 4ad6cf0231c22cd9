import PubNubProtocol

/// A delivery to listeners and sequences; all are in one order.
enum QueuedDelivery: Sendable {
    case status(PNStatus)
    /// The messages of one answer, with the client that received them.
    case messages([PubNubMessage], MessageBatch)
    case gap(PNGap)
    case network(PNNetworkStatus)
    /// The turn of a completion, by its number in the ``CallbackLine``.
    case completion(UInt64)

    /// Whether the delivery may be dropped when callbacks are too slow.
    var isDroppable: Bool {
        if case .messages = self { true } else { false }
    }
}
