/// A callback that is bound to an event. Its id is used to unbind it.
public struct EventHandler {
    let id: String
    let callback: (PusherEvent) -> Void
    /// Whether the callback also gets errors as events, like callbacks of PusherSwift before version 10.
    var hearsErrors = false
    /// Whether the callback passes events to an async sequence. The sequence ends when the channel is unsubscribed.
    var isSequence = false
}

/// A client event that waits for its channel to be subscribed.
public struct QueuedClientEvent {
    /// The event's name.
    public let name: String
    /// The event's data, a JSON value.
    public let data: Any
}
