import ChatProtocol
import ConnectionEngine

/// Handles arriving events. The methods are called on ``ChatClient/work``, in order.
protocol ChatIntake: Sendable {
    /// Handles events of the inbox, without repetitions on one connection. The events are acknowledged when the call returns, so they have
    /// to be stored by then.
    ///
    /// - Parameters:
    ///   - place: this device's inbox position after the events, which has to be stored together with them.
    ///   - isOffline: whether the events belong to a package of missed events.
    ///   - hasMore: whether another package follows.
    /// - Throws: when the events could not be stored. The events are then not acknowledged, and the server sends them again.
    func received(
        _ items: [ChatInboxItem], place: ChatPlace, isOffline: Bool, hasMore: Bool, client: ChatClient) throws

    /// Called when all missed messages have arrived.
    func caughtUp(client: ChatClient)

    /// Handles an event that is not stored, such as a typing notice.
    func received(_ event: ChatWireEvent, client: ChatClient)

    /// Called when messages of the inbox that were sent after `since` may have been lost. `since` is nil when the time is unknown.
    func missed(since: Moment?, client: ChatClient)

    /// Called when messages of an open channel that were sent after `since` may have been lost. `since` is nil when the time is unknown.
    func missed(in openChannel: String, since: Moment?, client: ChatClient)

    /// Called when the session has entered an open channel again after a reconnect.
    func reentered(_ entrance: ChatOpenEntrance, client: ChatClient)

    /// Called when the session could not enter an open channel again after a reconnect.
    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient)
}
