import ConnectionEngine
import Identifiers

/// Channels and groups, each in the order in which they were added. Names that end in `-pnpres` are presence channels.
public struct PubNubList: Hashable, Sendable {
    public var channels: [String]
    public var groups: [String]

    public init(channels: [String] = [], groups: [String] = []) {
        self.channels = channels
        self.groups = groups
    }

    public var isEmpty: Bool { channels.isEmpty && groups.isEmpty }
}

/// A command of a user to a PubNub subscription.
public enum PubNubCommand: Sendable {
    /// Add these to what is subscribed; the same again or nothing new means: ask afresh (forced reconnect). Answered with
    /// `subscribed` once the service confirmed the list.
    ///
    /// - `timetoken`: where to begin, instead of where the subscription stands.
    /// - `state`: presence state by channel or group, as JSON text; kept and sent again on every subscription.
    case subscribe(PubNubList, timetoken: Timetoken?, state: [Identifier: String])
    /// Answered at once; the leave request follows unless it is suppressed.
    case unsubscribe(PubNubList)
    case unsubscribeAll
    /// Nil for none. Asks afresh when something is subscribed.
    case setFilter(String?)
    /// Stores presence state for later subscriptions and heartbeats; nil removes it. Makes no request by itself.
    case setState(String?, of: String)
    /// A new auth key or token, for every request from now on.
    case setAuth(String?)
    /// Adds to, or takes from, the list that heartbeats speak for when presence is managed by hand; a heartbeat or leave follows
    /// at once.
    case setPresent(Bool, PubNubList)
}

/// Answers to commands.
public enum PubNubReply: Hashable, Sendable {
    case subscribed
    case unsubscribed
    case done
}

/// The messages of one answer, without those delivered before.
public struct PubNubBatch: Sendable {
    public var messages: [PubNubMessage]
    /// The position before and after the answer.
    public var previous: PubNubCursor
    public var current: PubNubCursor

    public init(messages: [PubNubMessage], previous: PubNubCursor, current: PubNubCursor) {
        self.messages = messages
        self.previous = previous
        self.current = current
    }
}

/// An event of a PubNub subscription.
public enum PubNubSessionEvent: Sendable {
    /// The service confirmed the list: the first time, after a loss (`isRenewal`), or after a change. Comes right after the
    /// announcement of the connection, when there is one, and before the messages.
    indirect case subscribed(PubNubList, previous: PubNubCursor, current: PubNubCursor, isRenewal: Bool)
    /// Channels and groups were unsubscribed at the caller's request; `remaining` is the list that is left.
    indirect case unsubscribed(PubNubList, remaining: PubNubList)
    case messages(PubNubBatch)
    /// An answer held at least as many messages as the threshold. Comes before the messages.
    case messageCountExceeded(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// This number of elements of an answer could not be read and was left out; follows the messages of that answer (rule PX-50).
    case unreadable(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// Messages on these may be missing since then. Comes before the messages that follow the gap.
    indirect case gap(PubNubList, since: Moment, after: Timetoken)
    /// A subscribe request failed. The change of phase that follows shows how the session continues.
    indirect case problem(PubNubProblem)
    /// A heartbeat was answered, or failed.
    indirect case heartbeat(PubNubProblem?)
    /// A leave request failed.
    indirect case leaveFailed(PubNubProblem)
}

/// The caller's options of a subscription. Defaults are those of the Cocoa SDK 4.x.
public struct PubNubOptions: Hashable, Sendable {
    /// How long the service may hold a poll before the client gives it up.
    public var pollTimeout: Duration = .seconds(310)
    /// After how long without a byte a poll is asked again on a new connection; zero for never, nil for the policy's. Rule PX-40.
    public var pollRenewal: Duration?
    /// For every other request.
    public var requestTimeout: Duration = .seconds(10)
    /// The presence timeout that is sent to the service, in seconds; 0 sends none.
    public var heartbeatValue = 0
    /// How often to send heartbeats, in seconds; 0 for never.
    public var heartbeatInterval = 0
    /// After how long without any answer the link is tested with a request of its own, when that is shorter than the policy's
    /// activity timeout; zero leaves it at that. At least 1 s. Rule PX-29.
    public var livenessInterval: Duration = .zero
    public var suppressesLeave = false
    /// Whether the connection ends when nothing is subscribed any more, as with the Cocoa SDK. When false, a connection without a
    /// subscription is one whose service has answered a request for the time, and is tested regularly. Rules PX-2 and PX-20.
    public var endsWhenEmpty = true
    public var managesPresenceManually = false
    public var keepsTimetokenOnListChange = true
    public var restoresSubscription = true
    public var catchesUpOnRestore = true
    /// How long the service keeps messages for those who were away; after a longer loss a gap is declared. Zero for for ever.
    public var streamLifetime: Duration = .seconds(16 * 60)
    /// 0 for off.
    public var messageCountThreshold = 0
    /// How many messages are remembered to recognise repetitions; 0 for off.
    public var dedupCapacity = 100

    public init() {}
}
