import EngineRuntime

/// An element of the stream from the client's hub, which distributes events, to one sequence of a room.
enum RoomItem: Sendable {
    case delivery(Delivery)
    /// The number of messages that were dropped for this consumer only, because it was too slow.
    case dropped(Int)

    /// Makes the broadcaster that sends a room's messages, gaps and failures to all sequences of the room. For a slow consumer it drops
    /// only messages and decryption failures, never gaps (rule LL-7).
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
