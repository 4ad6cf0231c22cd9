/// A callback that is bound to an event, with the id that unbinds it.
public struct EventHandler {
    let id: String
    let callback: (PusherEvent) -> Void
    /// Whether the callback also gets errors, as callbacks did before PusherSwift 10.
    var hearsErrors = false
    /// Whether the callback feeds a sequence, which ends with the subscription, because the channel gets no further events.
    var isSequence = false
}

/// A client event that waits for its channel to be subscribed.
public struct QueuedClientEvent {
    /// The event's name.
    public let name: String
    /// The event's data, a JSON value.
    public let data: Any
}
