import ConnectionEngine
import EngineRuntime

/// The implementation of the service-independent client API for one service. Only an adapter uses the service's own terms.
///
/// An adapter owns one connection; releasing the adapter ends all its tasks and connections. Methods may be called from any thread.
protocol ServiceAdapter: AnyObject, Sendable {
    /// The human-readable name of the service, for error texts.
    var serviceName: String { get }
    /// The service's name in logs and metrics.
    var serviceLabel: String { get }
    /// The monotonic clock by which the adapter states all times. The closure does not keep the adapter alive.
    var clock: @Sendable () -> Moment { get }
    /// The timers that use the adapter's ``clock``.
    var timers: any TimerScheduler { get }
    /// The longest time for which a live connection can delay a message (rule LL-8); nil for the delay that follows from the client's
    /// timing.
    var longestDelay: Duration? { get }
    var phase: ConnectionPhase { get }
    /// Broadcasts whether this machine has a route to the service: an element for each change (rule LL-91).
    var networkChanges: Broadcaster<NetworkStatus> { get }
    /// The measured latencies of heartbeats (rule LL-133).
    var heartbeats: HeartbeatMeter { get }

    /// Calls `body` with all events from now on, in order and never concurrently. `body` must not block. The client calls this method once.
    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation

    /// Starts to connect. `limit` is the time for all attempts together; nil for no limit.
    func connect(within limit: Duration?)
    func disconnect()
    /// Called when the application has entered the background or has returned to the foreground (rule LL-62).
    func moved(to place: ApplicationMonitor.Place)

    /// Subscribes to a channel. Reports the service's confirmation as an event and then returns. Throws when the service has refused for
    /// good, or when the connection was ended. The adapter drops a channel that the service refuses for good, now or later.
    ///
    /// - Parameter submitted: called as soon as the subscription was requested; from then on ``unsubscribe(_:)`` cancels it.
    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError)
    /// Unsubscribes a channel, in every state of the connection. Also drops a subscription that is not confirmed yet.
    func unsubscribe(_ channel: String)

    /// Publishes a message.
    ///
    /// - Throws: the error of the call itself: a feature that the service lacks, or a name that it does not accept.
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome

    /// Throws the error that ``publish(_:)`` would throw for this publication in every state of the connection.
    func check(_ publication: Publication) throws(LifelineError)

    /// The application's key at the service.
    var applicationKey: String { get }
    /// The client's user id; nil while it is unknown.
    var user: String? { get }
    /// Whether every client of the service needs a user id.
    var requiresUser: Bool { get }
    /// How long after the first sending the service recognises a repeated message by its ``Publication/id``; nil when it never does.
    var repetitionSpan: Duration? { get }
    /// The room names of which a publisher to `channel` must have subscribed at least one; empty when publishing needs no subscription.
    func roomsOfPublishers(to channel: String) -> [String]

    /// Throws the error that a call for this feature would throw before anything is sent: for a feature that the service lacks, or a name
    /// that the service does not accept.
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError)

    /// Whether the client can report who is present in `channel`.
    func hasPresence(_ channel: String) -> Bool

    /// Changes the data that other users see about this client's user in `channel`, until the client leaves the channel.
    ///
    /// - Parameter json: the data, a JSON object.
    func setOwnPresence(_ json: String, of channel: String) async throws(LifelineError)

    /// Sends, once or not at all, that this client's user is typing in `channel` or has stopped.
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError)

    /// Adds a reaction of this client's user to the message with this id. Adding an existing reaction changes nothing.
    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError)
    /// Removes a reaction of this client's user. Does nothing if the reaction does not exist.
    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError)
    /// Loads the reactions to the message with this id, oldest first.
    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction]

    /// Loads a page of published messages, oldest first.
    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage

    /// Throws the error that ``past(of:since:)`` would throw before anything is sent.
    func check(_ start: HistoryStart, of channel: String) throws(LifelineError)
    /// Loads the messages after `start`, as far as the service still has them.
    func past(of channel: String, since start: HistoryStart) async throws(LifelineError) -> ChannelPast

    /// The error for a channel whose messages are not encrypted from end to end; nil when they are encrypted. Rule LL-26.
    func encryptionGap(of channel: String) -> LifelineError?

    /// The name of the room for a channel group.
    func roomName(ofGroup group: String) throws(LifelineError) -> String
    /// Requests the channels of a channel group from the service.
    func channels(ofGroup group: String) async throws(LifelineError) -> [String]
    func change(group: String, _ change: ChannelGroupChange) async throws(LifelineError)

    /// Requests the present members of `channel` from the service. The channel need not be subscribed.
    func members(of channel: String) async throws(LifelineError) -> [Member]
}

extension ServiceAdapter {
    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage {
        throw .unsupported(feature: "message history", service: serviceName)
    }

    func members(of channel: String) async throws(LifelineError) -> [Member] {
        throw .unsupported(feature: "question who is on a channel without a subscription", service: serviceName)
    }

    func check(_ publication: Publication) throws(LifelineError) { try check(.publishing, of: publication.channel) }

    var applicationKey: String { "" }
    var user: String? { nil }
    var requiresUser: Bool { false }
    var repetitionSpan: Duration? { nil }
    var longestDelay: Duration? { nil }
    func roomsOfPublishers(to channel: String) -> [String] { [] }

    /// The error for changing the user's own presence data, for services whose protocol has no such message (rule LL-112).
    var noOwnPresence: LifelineError {
        .unsupported(feature: "change of one's own presence data", service: serviceName)
    }

    func setOwnPresence(_ json: String, of channel: String) async throws(LifelineError) { throw noOwnPresence }

    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) { throw unknown(.typing) }

    /// The error of reaction calls, for services without reactions (rule LL-127).
    var noReactions: LifelineError { .unsupported(feature: "reactions to messages", service: serviceName) }

    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError) { throw noReactions }

    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError) { throw noReactions }

    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction] { throw noReactions }

    /// Throws when the client is not connected, for messages that must not wait for a later connection.
    func checkConnected() throws(LifelineError) {
        guard phase == .connected else {
            throw LifelineError(
                .disconnected,
                "The client is not connected, so nothing was sent. Typing indicators are not stored for a later connection.")
        }
    }

    func unknown(_ feature: ChannelFeature) -> LifelineError { .unsupported(feature: feature.rawValue, service: serviceName) }

    private var noGroups: LifelineError { .unsupported(feature: "channel groups", service: serviceName) }

    func roomName(ofGroup group: String) throws(LifelineError) -> String { throw noGroups }

    func channels(ofGroup group: String) async throws(LifelineError) -> [String] { throw noGroups }

    func change(group: String, _ change: ChannelGroupChange) async throws(LifelineError) { throw noGroups }

    func encryptionGap(of channel: String) -> LifelineError? {
        .unsupported(feature: "end-to-end encryption", service: serviceName)
    }
}
