import ChatProtocol
import ConnectionEngine

/// Handles arriving events. Called on ``ChatClient/work``, in order.
protocol ChatIntake: Sendable {
    /// Handles events of the inbox, without repetitions on one connection. They are acknowledged when the call returns, so they have to
    /// be stored by then.
    ///
    /// - Parameters:
    ///   - place: this device's position after the events, which has to be stored together with them.
    ///   - isOffline: whether they belong to a package of missed events.
    ///   - hasMore: whether another package follows.
    /// - Throws: when they could not be stored. They are then not acknowledged, and sent again.
    func received(
        _ items: [ChatInboxItem], place: ChatPlace, isOffline: Bool, hasMore: Bool, client: ChatClient) throws

    /// All missed messages have arrived.
    func caughtUp(client: ChatClient)

    /// Handles an event that is only relevant at the moment and not stored.
    func received(_ event: ChatWireEvent, client: ChatClient)

    /// Messages of the inbox that were sent after `since` may be missing; nil when the time is not known.
    func missed(since: Moment?, client: ChatClient)

    /// Messages of an open channel that were sent after `since` may be missing; nil when the time is not known.
    func missed(in openChannel: String, since: Moment?, client: ChatClient)

    /// An open channel was entered again.
    func reentered(_ entrance: ChatOpenEntrance, client: ChatClient)

    /// An open channel could not be entered again.
    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient)
}
