import Foundation
import NIOConcurrencyHelpers

/// A channel: its events, and the state of its subscription.
///
/// May be used from any thread. `@unchecked Sendable`: everything that changes is behind `state`, a `NIOLockedValueBox`, but for
/// `connection`, which the library sets once. Callbacks are stored there and called on the connection's callback queue only.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherChannel: NSObject, @unchecked Sendable {
    let state: NIOLockedValueBox<PusherChannelState>

    /// The channel's name.
    public let name: String
    /// The kind of the channel, from its name.
    public let type: PusherChannelType
    /// The connection that the channel belongs to; nil once that was released.
    open weak var connection: PusherConnection?

    /// A channel of a connection. Clients make channels with
    /// ``Pusher/subscribe(_:auth:onMemberAdded:onMemberRemoved:onSubscriptionCountChanged:)``;
    /// callbacks are called on the connection's callback queue.
    public init(
        name: String, connection: PusherConnection, auth: PusherAuth? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) {
        self.name = name
        self.type = PusherChannelType(name: name)
        self.connection = connection
        state = NIOLockedValueBox(
            PusherChannelState(
                auth: auth.map { GivenAuth($0, on: connection) }, onSubscriptionCountChanged: onSubscriptionCountChanged))
    }

    /// The bound callbacks by event name, in the order in which they were bound.
    open var eventHandlers: [String: [EventHandler]] {
        get { state.withLockedValue { $0.handlers } }
        set { state.replace(\.handlers, with: newValue) }
    }

    /// How many connections are subscribed, as the server last reported; nil before the first report.
    public var subscriptionCount: Int? {
        state.withLockedValue { $0.subscriptionCount }
    }

    /// Whether the server has confirmed the subscription on the present connection.
    open var subscribed: Bool {
        get { state.withLockedValue { $0.subscribed } }
        set { state.withLockedValue { $0.subscribed = newValue } }
    }

    /// The client events that wait for the subscription, the newest first. A copy: removing an event here does not cancel it.
    open var unsentEvents: [QueuedClientEvent] {
        get { state.withLockedValue { $0.unsent } }
        set { state.replace(\.unsent, with: newValue) }
    }

    /// An authorisation that the app supplied. Used for the next authorisation on the present connection only, then nil (rule PA-38).
    public var auth: PusherAuth? {
        get { state.withLockedValue { $0.auth?.auth } }
        set { state.replace(\.auth, with: newValue.map { GivenAuth($0, on: connection) }) }
    }

    /// Called with the number of subscribed connections whenever the server reports it.
    open var onSubscriptionCountChanged: ((Int) -> Void)? {
        get { state.withLockedValue { $0.onSubscriptionCountChanged } }
        set { state.replace(\.onSubscriptionCountChanged, with: newValue) }
    }

    /// Calls `eventCallback` with every event of this name from now on, on the connection's callback queue.
    ///
    /// - Returns: the id that unbinds it.
    @discardableResult
    open func bind(eventName: String, eventCallback: @escaping (PusherEvent) -> Void) -> String {
        add(EventHandler(id: UUID().uuidString, callback: eventCallback), for: eventName)
    }

    func add(_ handler: EventHandler, for eventName: String) -> String {
        state.withLockedValue { $0.handlers[eventName, default: []].append(handler) }
        return handler.id
    }

    /// Removes one callback. An unknown name or id does nothing.
    ///
    /// A callback that is unbound while an event is being delivered may still be called for that event.
    open func unbind(eventName: String, callbackId: String) {
        let removed = state.withLockedValue { state -> EventHandler? in
            guard let index = state.handlers[eventName]?.firstIndex(where: { $0.id == callbackId }) else { return nil }
            let removed = state.handlers[eventName]?.remove(at: index)
            if state.handlers[eventName]?.isEmpty == true { state.handlers[eventName] = nil }
            return removed
        }
        // Released outside the lock, because releasing a closure may run code that calls back.
        _ = removed
    }

    /// Removes all callbacks.
    open func unbindAll() {
        state.replace(\.handlers, with: [:])
    }

    /// Removes all callbacks for this event. The name stays in ``eventHandlers`` with an empty list, as in PusherSwift 10.1.
    open func unbindAll(forEventName eventName: String) {
        state.replace(\.handlers[eventName], with: [])
    }

    /// Calls the callbacks that are bound to the event's name, in the order in which they were bound.
    open func handleEvent(event: PusherEvent) {
        guard let handlers = state.withLockedValue({ $0.handlers[event.eventName] }) else { return }
        for handler in handlers { handler.callback(event) }
    }

    /// Sends a client event to the other subscribers of a private or presence channel.
    ///
    /// While the channel is not subscribed the event waits, in order. Nothing is sent on public and encrypted channels, nor when the
    /// name lacks the prefix `client-` or `data` is not a JSON value; the delegate gets an error then (rules PA-20 to PA-23).
    open func trigger(eventName: String, data: Any) {
        connection?.trigger(eventName: eventName, data: data, on: self)
    }
}

/// An authorisation that the app supplied.
struct GivenAuth {
    let auth: PusherAuth
    /// The connection that it was given for, because a signature is valid for one connection only; nil when there was none yet.
    let socketID: String?

    init(_ auth: PusherAuth, on connection: PusherConnection?) {
        self.auth = auth
        socketID = connection?.socketId
    }
}

/// The mutable state of a channel.
struct PusherChannelState {
    /// The most client events that may wait; the session's own limit (rule PS-24).
    static let waitingEvents = 100

    var handlers: [String: [EventHandler]] = [:]
    var subscribed = false
    /// Whether the subscription failed for good on this connection.
    var hasFailed = false
    var subscriptionCount: Int?
    var unsent: [QueuedClientEvent] = []
    var auth: GivenAuth?
    var onSubscriptionCountChanged: ((Int) -> Void)?
    var presence = PresenceState()
    var countStreams = StreamEnds<Int>()
    var memberStreams = StreamEnds<PusherMembershipChange>()
}
