import EngineRuntime

/// An element for the consumers of one room.
enum RoomItem: Sendable {
    case delivery(Delivery)
    /// This number of messages was dropped for this consumer alone.
    case dropped(Int)

    /// Rule LL-7: only messages, and reports of messages that could not be decrypted, may be dropped for a slow consumer, never the
    /// report that messages are missing.
    static func broadcaster(backlog: Int, _ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<RoomItem> {
        Broadcaster(
            backlog: backlog, tracker: consumers,
            isDroppable: { item in
                switch item {
                case .delivery(.message): true
                case .delivery(.failed(let error, _)): error.code == .decryptionFailed
                case .delivery(.gap), .dropped: false
                }
            },
            dropped: { .dropped($0) })
    }
}
