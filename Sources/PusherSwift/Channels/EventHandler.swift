/// A callback that is bound to an event, with the id that unbinds it.
public struct EventHandler {
    let id: String
    let callback: (PusherEvent) -> Void
    /// Whether it is told of errors as well, as callbacks were before PusherSwift 10.
    var hearsErrors = false
    /// Whether it feeds a sequence, which ends with the subscription: the channel hears nothing any more.
    var isSequence = false
}

/// A client event that waits for its channel to be subscribed.
public struct QueuedClientEvent {
    /// The event's name.
    public let name: String
    /// The event's data, a JSON value.
    public let data: Any
}
