import ConnectionEngine
import NexconnProtocol

/// Handles what arrives. Called on ``ChatClient/work``, in order.
protocol ChatIntake: Sendable {
    /// Events of the inbox, none twice on one connection. They are acknowledged when the call returns, so they have to be kept by then.
    ///
    /// - Parameters:
    ///   - place: where this device is afterwards; to be kept together with the events.
    ///   - isOffline: whether they come of a package.
    ///   - hasMore: whether another package follows.
    /// - Throws: when they could not be kept. They are not acknowledged then, and come again.
    func received(
        _ items: [NexconnInboxItem], place: NexconnPlace, isOffline: Bool, hasMore: Bool, client: ChatClient) throws

    /// All missed messages have arrived.
    func caughtUp(client: ChatClient)

    /// Handles an event that is of momentary use only.
    func received(_ event: NexconnEvent, client: ChatClient)

    /// Messages since then may be missing.
    func missed(since: Moment?, client: ChatClient)

    /// Messages of an open channel since then may be missing.
    func missed(in openChannel: String, since: Moment?, client: ChatClient)

    /// An open channel was entered again.
    func reentered(_ entrance: NexconnOpenEntrance, client: ChatClient)

    /// An open channel could not be entered again.
    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient)
}
