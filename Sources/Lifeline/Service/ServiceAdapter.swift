import ConnectionEngine
import EngineRuntime

/// The implementation of the neutral API for one service. Only an adapter knows the service's own terms.
///
/// An adapter owns one connection; releasing it ends all its tasks and connections. Methods may be called from any thread.
protocol ServiceAdapter: AnyObject, Sendable {
    /// The service's name, for errors.
    var serviceName: String { get }
    /// The service's name in logs and metrics.
    var serviceLabel: String { get }
    /// The monotonic clock of all times of this adapter. The closure does not keep the adapter alive.
    var clock: @Sendable () -> Moment { get }
    /// The timers of that clock.
    var timers: any TimerScheduler { get }
    /// The longest time for which a connection that counts as alive can delay a message (rule LL-8); nil for that of the client's timing.
    var longestDelay: Duration? { get }
    var phase: ConnectionPhase { get }
    /// Whether this machine has a route to the service: an element for each change (rule LL-91).
    var networkChanges: Broadcaster<NetworkStatus> { get }
    /// How long heartbeats take (rule LL-133).
    var heartbeats: HeartbeatMeter { get }

    /// Calls `body` with all events from now on, in order, never concurrently. `body` must not block. Called once.
    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation

    /// Starts to connect, with or without a time limit.
    func connect(within limit: Duration?)
    func disconnect()
    /// The application went to the background or came back (rule LL-62).
    func moved(to place: ApplicationMonitor.Place)

    /// Returns when the service has confirmed, after reporting it; throws when the service has refused for good, or when the connection
    /// was ended. A channel that was refused for good is dropped, also when that happens later.
    ///
    /// - Parameter submitted: called once the subscription was requested; from then on ``unsubscribe(_:)`` cancels it.
    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError)
    /// Works in every state; drops a subscription that is still pending.
    func unsubscribe(_ channel: String)

    /// - Throws: the error of the call itself: a feature that the service lacks, or a name that it does not accept.
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome

    /// Throws the errors that ``publish(_:)`` would throw in every state of the connection.
    func check(_ publication: Publication) throws(LifelineError)

    /// The application's key at the service.
    var applicationKey: String { get }
    /// The client's user id, if it is known now.
    var user: String? { get }
    /// Whether every client of the service needs a user.
    var requiresUser: Bool { get }
    /// How long after a message was first sent the service recognises it by its ``Publication/id``; nil when it never does.
    var repetitionSpan: Duration? { get }
    /// The names of rooms of which a publisher to `channel` must have subscribed one; empty when none is required.
    func roomsOfPublishers(to channel: String) -> [String]

    /// The error that a call for this feature would throw before anything is sent: a feature that the service lacks, or a name that it
    /// does not accept.
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError)

    /// Whether the service reports who is present in `channel`.
    func hasPresence(_ channel: String) -> Bool

    /// Changes the data that others see of this client's user in `channel`, until the channel is left.
    ///
    /// - Parameter json: an object.
    func setOwnPresence(_ json: String, of channel: String) async throws(LifelineError)

    /// Announces, at most once, that this client's user types in `channel` or has stopped.
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError)

    /// Adds a reaction of this client's user to the message with this id; adding the same again changes nothing.
    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError)
    /// Removes a reaction of this client's user, if it exists.
    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError)
    /// The reactions to the message with this id, oldest first.
    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction]

    /// A page of published messages, oldest first.
    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage

    /// Throws the errors that ``past(of:since:)`` would throw before anything is sent.
    func check(_ start: HistoryStart, of channel: String) throws(LifelineError)
    /// The messages after `start`, as far as the service has them.
    func past(of channel: String, since start: HistoryStart) async throws(LifelineError) -> ChannelPast

    /// Why the messages of `channel` are not encrypted from end to end; nil when they are. Rule LL-26.
    func encryptionGap(of channel: String) -> LifelineError?

    /// The name of the room of a channel group.
    func roomName(ofGroup group: String) throws(LifelineError) -> String
    /// The channels of a channel group, requested from the service.
    func channels(ofGroup group: String) async throws(LifelineError) -> [String]
    func change(group: String, _ change: ChannelGroupChange) async throws(LifelineError)

    /// The present members of `channel`, requested from the service, whether the channel is subscribed or not.
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

    /// The error for own presence data. Rule LL-112: the protocol has no such message.
    var noOwnPresence: LifelineError {
        .unsupported(feature: "change of one's own presence data", service: serviceName)
    }

    func setOwnPresence(_ json: String, of channel: String) async throws(LifelineError) { throw noOwnPresence }

    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) { throw unknown(.typing) }

    /// The error for reactions. Rule LL-127.
    var noReactions: LifelineError { .unsupported(feature: "reactions to messages", service: serviceName) }

    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError) { throw noReactions }

    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError) { throw noReactions }

    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction] { throw noReactions }

    /// Throws without a connection, for messages that must not wait for a later one.
    func checkConnected() throws(LifelineError) {
        guard phase == .connected else { throw LifelineError(.disconnected, "There is no connection.") }
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
