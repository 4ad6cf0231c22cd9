import PubNubProtocol

/// An event or a call of a completion handler that waits for the callback queue or for an async sequence. All of them are delivered in one
/// order.
enum QueuedDelivery: Sendable {
    case status(PNStatus)
    /// The messages of one answer of the service, with the values that they share.
    case messages([PubNubMessage], MessageBatch)
    case gap(PNGap)
    case network(PNNetworkStatus)
    /// A completion handler, by its number in ``CallbackLine``.
    case completion(UInt64)

    /// Whether the element may be dropped when callbacks are too slow. True for messages only.
    var isDroppable: Bool {
        if case .messages = self { true } else { false }
    }
}
