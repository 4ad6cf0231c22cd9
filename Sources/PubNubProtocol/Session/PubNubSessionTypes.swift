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
    /// Adds channels and groups to the subscription; when none of them is new, the session makes a new handshake (forced reconnect).
    /// Answered with `subscribed` once the service has confirmed the list.
    ///
    /// - `timetoken`: the position to begin at, instead of the subscription's position.
    /// - `state`: presence state by channel or group, as JSON text; kept and sent again on every subscription.
    case subscribe(PubNubList, timetoken: Timetoken?, state: [Identifier: String])
    /// Removes channels and groups. Answered at once; the leave request follows unless it is suppressed.
    case unsubscribe(PubNubList)
    case unsubscribeAll
    /// Sets the filter expression; nil for none. Makes a new handshake when something is subscribed.
    case setFilter(String?)
    /// Stores presence state for later subscriptions and heartbeats; nil removes it. Makes no request by itself.
    case setState(String?, of: String)
    /// Sets the auth key or token of every request from now on.
    case setAuth(String?)
    /// Adds names to, or removes them from, the list for which heartbeats are sent when presence is managed manually; a heartbeat or
    /// leave follows at once.
    case setPresent(Bool, PubNubList)
}

/// Answers to commands.
public enum PubNubReply: Hashable, Sendable {
    case subscribed
    case unsubscribed
    case done
}

/// The messages of one answer, without repetitions.
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
    /// The service confirmed the list: the first time, after a loss (`isRenewal`), or after a change. Emitted directly after the
    /// announcement of the connection, if there is one, and before the messages.
    indirect case subscribed(PubNubList, previous: PubNubCursor, current: PubNubCursor, isRenewal: Bool)
    /// Channels and groups were unsubscribed at the caller's request; `remaining` is the list that is left.
    indirect case unsubscribed(PubNubList, remaining: PubNubList)
    case messages(PubNubBatch)
    /// An answer had at least as many messages as the threshold. Emitted before the messages.
    case messageCountExceeded(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// This number of elements of an answer could not be read and was left out; follows the messages of that answer (rule PX-50).
    case unreadable(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// Messages on these channels that were published after `since` may be missing. Emitted before the messages that follow the gap.
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
    /// How long a poll may receive no byte before it is repeated on a new connection; zero for never, nil for the policy's time. Rule
    /// PX-40.
    public var pollRenewal: Duration?
    /// The time limit for every other request.
    public var requestTimeout: Duration = .seconds(10)
    /// The presence timeout that is sent to the service, in seconds; 0 sends none.
    public var heartbeatValue = 0
    /// How often to send heartbeats, in seconds; 0 for never.
    public var heartbeatInterval = 0
    /// How long the service may send no answer before the link is tested with a separate request, if shorter than the policy's activity
    /// timeout; zero for the policy's. At least 1 s. Rule PX-29.
    public var livenessInterval: Duration = .zero
    public var suppressesLeave = false
    /// Whether the connection ends when nothing is subscribed any more, as with the Cocoa SDK. When false, a connection without a
    /// subscription stays: it is confirmed by a request for the time, and tested regularly. Rules PX-2 and PX-20.
    public var endsWhenEmpty = true
    public var managesPresenceManually = false
    public var keepsTimetokenOnListChange = true
    public var restoresSubscription = true
    public var catchesUpOnRestore = true
    /// How long the service keeps messages for absent subscribers; after a longer loss a gap is declared. Zero for unlimited.
    public var streamLifetime: Duration = .seconds(16 * 60)
    /// The number of messages in an answer that is reported; 0 for off.
    public var messageCountThreshold = 0
    /// How many messages are stored to recognise repetitions; 0 for off.
    public var dedupCapacity = 100

    public init() {}
}
