import ConnectionEngine
import Identifiers

/// The names of channels and groups, each in the order in which they were added. Names that end in `-pnpres` are presence channels.
public struct PubNubList: Hashable, Sendable {
    public var channels: [String]
    public var groups: [String]

    public init(channels: [String] = [], groups: [String] = []) {
        self.channels = channels
        self.groups = groups
    }

    public var isEmpty: Bool { channels.isEmpty && groups.isEmpty }
}

/// A command of the application to a PubNub subscription.
public enum PubNubCommand: Sendable {
    /// Adds channels and groups to the subscription. When all of them are already subscribed, the session makes a new handshake (forced
    /// reconnect). Answered with `subscribed` once the service has confirmed the list.
    ///
    /// - `timetoken`: the position to begin at; nil to continue at the subscription's position.
    /// - `state`: presence state by channel or group, as JSON text; it is kept and sent again with every subscribe request.
    case subscribe(PubNubList, timetoken: Timetoken?, state: [Identifier: String])
    /// Removes channels and groups. Answered at once; the leave request follows unless leaves are suppressed.
    case unsubscribe(PubNubList)
    case unsubscribeAll
    /// Sets the filter expression; nil for none. Makes a new handshake when the subscription has channels or groups.
    case setFilter(String?)
    /// Stores presence state for later subscribe requests and heartbeats; nil removes it. Makes no request by itself.
    case setState(String?, of: String)
    /// Sets the auth key or token of all later requests; nil for none.
    case setAuth(String?)
    /// Adds names to the list of names with heartbeats (true) or removes them (false), when presence is managed manually. A heartbeat or a
    /// leave follows at once.
    case setPresent(Bool, PubNubList)
}

/// Answers to commands.
public enum PubNubReply: Hashable, Sendable {
    case subscribed
    case unsubscribed
    case done
}

/// The messages of one answer, without messages that were delivered before.
public struct PubNubBatch: Sendable {
    public var messages: [PubNubMessage]
    /// The positions before (`previous`) and after (`current`) the answer.
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
    /// The service confirmed the list: for the first time, after a lost connection (`isRenewal`), or after a change of the list. Emitted
    /// directly after the report that the connection is ready, if there is one, and before the messages.
    indirect case subscribed(PubNubList, previous: PubNubCursor, current: PubNubCursor, isRenewal: Bool)
    /// Channels and groups were unsubscribed by a command. `remaining` are the names that are still subscribed.
    indirect case unsubscribed(PubNubList, remaining: PubNubList)
    case messages(PubNubBatch)
    /// An answer had at least as many messages as ``PubNubOptions/messageCountThreshold``. Emitted before these messages.
    case messageCountExceeded(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// This number of elements of an answer could not be read and was left out. Emitted after the messages of that answer (rule PX-50).
    case unreadable(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// Messages on these channels that were published after `since` may be missing. Emitted before the messages that follow the gap.
    indirect case gap(PubNubList, since: Moment, after: Timetoken)
    /// A subscribe request failed. The change of the connection's phase that follows shows whether the session retries.
    indirect case problem(PubNubProblem)
    /// A heartbeat was answered (nil) or failed.
    indirect case heartbeat(PubNubProblem?)
    /// A leave request failed.
    indirect case leaveFailed(PubNubProblem)
}

/// The options of a subscription. The defaults are the same as in the Cocoa SDK 4.x.
public struct PubNubOptions: Hashable, Sendable {
    /// The time after which the client gives up a poll that the service has not answered.
    public var pollTimeout: Duration = .seconds(310)
    /// The time without a received byte after which a poll is repeated on a new connection. Zero for never, nil for the policy's time (rule
    /// PX-40).
    public var pollRenewal: Duration?
    /// The time limit of every request that is not a poll.
    public var requestTimeout: Duration = .seconds(10)
    /// The presence timeout that requests send to the service, in seconds; 0 sends none.
    public var heartbeatValue = 0
    /// The time between two heartbeats in seconds; 0 for no heartbeats.
    public var heartbeatInterval = 0
    /// The time without an answer of the service after which the connection is tested with a separate request, at least 1 s. It is used if
    /// it is shorter than the policy's activity timeout; zero for the policy's value (rule PX-29).
    public var livenessInterval: Duration = .zero
    public var suppressesLeave = false
    /// Whether the connection ends when nothing is subscribed any more, like in the Cocoa SDK. When false, a connection without a
    /// subscription stays open: a request for the service's time confirms it, and it is tested regularly (rules PX-2 and PX-20).
    public var endsWhenEmpty = true
    public var managesPresenceManually = false
    public var keepsTimetokenOnListChange = true
    public var restoresSubscription = true
    public var catchesUpOnRestore = true
    /// How long the service keeps messages for absent subscribers. When the connection was lost for longer, a gap is reported. Zero for
    /// unlimited.
    public var streamLifetime: Duration = .seconds(16 * 60)
    /// The number of messages in an answer from which the answer is reported as
    /// ``PubNubSessionEvent/messageCountExceeded(count:previous:current:)``; 0 for never.
    public var messageCountThreshold = 0
    /// The number of delivered messages that are stored to recognise repeated ones; 0 turns this off.
    public var dedupCapacity = 100

    public init() {}
}
