import EngineRuntime

/// An element for the consumers of one room.
enum RoomItem: Sendable {
    case delivery(Delivery)
    /// This number of messages was dropped for this consumer alone.
    case dropped(Int)

    /// Rule LL-7: only messages may be dropped for a slow consumer, never the report that messages are missing.
    static func broadcaster(backlog: Int, _ consumers: (any ConsumerTracker)? = nil) -> Broadcaster<RoomItem> {
        Broadcaster(
            backlog: backlog, tracker: consumers,
            isDroppable: { item in
                if case .delivery(.message) = item { true } else { false }
            },
            dropped: { .dropped($0) })
    }
}
