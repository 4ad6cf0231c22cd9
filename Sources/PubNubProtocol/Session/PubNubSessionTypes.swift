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
    /// Removes channels and groups. The caller gets the answer at once; the leave request follows, unless the options suppress leave
    /// requests.
    case unsubscribe(PubNubList)
    case unsubscribeAll
    /// Sets the filter expression; nil for none. Makes a new handshake when the subscription has channels or groups.
    case setFilter(String?)
    /// Stores the presence state of a channel or group for later subscribe requests and heartbeats; nil removes the state. Sends no request
    /// by itself.
    case setState(String?, of: String)
    /// Sets the auth key or token of all later requests; nil for none.
    case setAuth(String?)
    /// When the application manages presence itself: starts heartbeats for these channels and groups (true) or ends them (false). A
    /// heartbeat or a leave request follows at once.
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
    /// The service confirmed the list of channels and groups: for the first time, after a lost connection (`isRenewal`), or after a change
    /// of the list. Emitted before the messages. If the connection becomes ready at the same time, this is reported first.
    indirect case subscribed(PubNubList, previous: PubNubCursor, current: PubNubCursor, isRenewal: Bool)
    /// Channels and groups were unsubscribed by a command. `remaining` are the names that are still subscribed.
    indirect case unsubscribed(PubNubList, remaining: PubNubList)
    case messages(PubNubBatch)
    /// An answer contained at least as many messages as the option ``PubNubOptions/messageCountThreshold``. Emitted before these messages.
    case messageCountExceeded(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// This number of elements of an answer could not be read and was left out. Emitted after the messages of that answer (rule PX-50).
    case unreadable(count: Int, previous: PubNubCursor, current: PubNubCursor)
    /// Messages on these channels that were published after `since` may be missing. Emitted before the messages that follow the gap.
    indirect case gap(PubNubList, since: Moment, after: Timetoken)
    /// A subscribe request failed. The next change of the connection's phase shows whether the session tries again.
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
    /// The presence timeout in seconds that requests send to the service; with 0, requests send no timeout.
    public var heartbeatValue = 0
    /// The time between two heartbeats in seconds; 0 for no heartbeats.
    public var heartbeatInterval = 0
    /// How long the service may send nothing before the client tests the connection with a separate request; at least 1 s. The value is
    /// used only if it is shorter than the policy's activity timeout. Zero means the policy's value (rule PX-29).
    public var livenessInterval: Duration = .zero
    public var suppressesLeave = false
    /// Whether the connection ends when nothing is subscribed any more, as in the Cocoa SDK. When false, a connection without a
    /// subscription stays open. The client then confirms and regularly tests this connection with requests for the service's time (rules
    /// PX-2 and PX-20).
    public var endsWhenEmpty = true
    public var managesPresenceManually = false
    public var keepsTimetokenOnListChange = true
    public var restoresSubscription = true
    public var catchesUpOnRestore = true
    /// How long the service keeps messages for subscribers that are not connected. When the connection was lost for a longer time, a gap is
    /// reported. Zero means unlimited.
    public var streamLifetime: Duration = .seconds(16 * 60)
    /// The number of messages in an answer from which the answer is reported as
    /// ``PubNubSessionEvent/messageCountExceeded(count:previous:current:)``; 0 for never.
    public var messageCountThreshold = 0
    /// The number of delivered messages that are stored to recognise repetitions; with 0, repetitions are not recognised.
    public var dedupCapacity = 100

    public init() {}
}
