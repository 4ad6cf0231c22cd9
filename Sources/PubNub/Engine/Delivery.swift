import PubNubProtocol

/// What goes to listeners and sequences, in one order.
enum Delivery: Sendable {
    case status(PNStatus)
    /// The messages of one answer, and who received them.
    case messages([PubNubMessage], MessageBatch)
    case gap(PNGap)
    /// A completion that must come after everything that was told before it.
    case completion(@Sendable () -> Void)

    /// Whether it may be left out for callbacks that are too slow.
    var isDroppable: Bool {
        if case .messages = self { true } else { false }
    }
}
