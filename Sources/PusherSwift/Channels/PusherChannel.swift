import Foundation
import NIOConcurrencyHelpers

/// A channel with the callbacks for its events and the state of its subscription.
///
/// May be used from any thread. Callbacks are called on the connection's callback queue only. `@unchecked Sendable`: everything that
/// changes is protected by `state`, a `NIOLockedValueBox`, except `connection`, which the library sets once.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherChannel: NSObject, @unchecked Sendable {
    let state: NIOLockedValueBox<PusherChannelState>

    /// The channel's name.
    public let name: String
    /// The kind of the channel, determined by its name.
    public let type: PusherChannelType
    /// The connection that the channel belongs to; nil once the connection was released.
    open weak var connection: PusherConnection?

    /// Creates a channel of a connection. The client itself creates channels with
    /// ``Pusher/subscribe(_:auth:onMemberAdded:onMemberRemoved:onSubscriptionCountChanged:)``.
    ///
    /// Callbacks are called on the connection's callback queue.
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

    /// How many connections are subscribed to the channel, as the server last reported; nil before the first report.
    public var subscriptionCount: Int? {
        state.withLockedValue { $0.subscriptionCount }
    }

    /// Whether the server has confirmed the subscription on the present connection.
    open var subscribed: Bool {
        get { state.withLockedValue { $0.subscribed } }
        set { state.withLockedValue { $0.subscribed = newValue } }
    }

    /// The client events that wait for the subscription, the newest first. The array is a copy: removing an event from it does not cancel
    /// the event.
    open var unsentEvents: [QueuedClientEvent] {
        get { state.withLockedValue { $0.unsent } }
        set { state.replace(\.unsent, with: newValue) }
    }

    /// An authorisation that the app supplied. It is used once, for the next authorisation on the present connection, and is nil afterwards
    /// (rule PA-38).
    public var auth: PusherAuth? {
        get { state.withLockedValue { $0.auth?.auth } }
        set { state.replace(\.auth, with: newValue.map { GivenAuth($0, on: connection) }) }
    }

    /// Called with the number of subscribed connections whenever the server reports it.
    open var onSubscriptionCountChanged: ((Int) -> Void)? {
        get { state.withLockedValue { $0.onSubscriptionCountChanged } }
        set { state.replace(\.onSubscriptionCountChanged, with: newValue) }
    }

    /// Calls `eventCallback` with every later event of this name, on the connection's callback queue.
    ///
    /// - Returns: the id for ``unbind(eventName:callbackId:)``.
    @discardableResult
    open func bind(eventName: String, eventCallback: @escaping (PusherEvent) -> Void) -> String {
        add(EventHandler(id: UUID().uuidString, callback: eventCallback), for: eventName)
    }

    func add(_ handler: EventHandler, for eventName: String) -> String {
        state.withLockedValue { $0.handlers[eventName, default: []].append(handler) }
        return handler.id
    }

    /// Removes one callback. An unknown name or id has no effect.
    ///
    /// A callback that is unbound while an event is being delivered may still be called for this event.
    open func unbind(eventName: String, callbackId: String) {
        let removed = state.withLockedValue { state -> EventHandler? in
            guard let index = state.handlers[eventName]?.firstIndex(where: { $0.id == callbackId }) else { return nil }
            let removed = state.handlers[eventName]?.remove(at: index)
            if state.handlers[eventName]?.isEmpty == true { state.handlers[eventName] = nil }
            return removed
        }
        // The callback is released here, outside of the lock, because releasing a closure may run code that calls the channel.
        _ = removed
    }

    /// Removes all callbacks.
    open func unbindAll() {
        state.replace(\.handlers, with: [:])
    }

    /// Removes all callbacks for events with this name. The name stays in ``eventHandlers`` with an empty list, as in PusherSwift 10.1.
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
    /// Events wait in order until the channel is subscribed. The event is not sent, and the delegate gets an error, if the channel is
    /// public or encrypted, if the name lacks the prefix `client-`, or if `data` is not a JSON value (rules PA-20 to PA-23).
    open func trigger(eventName: String, data: Any) {
        connection?.trigger(eventName: eventName, data: data, on: self)
    }
}

/// An authorisation that the app supplied, and the connection for which the authorisation is valid.
struct GivenAuth {
    let auth: PusherAuth
    /// The socket id of the connection when the authorisation was supplied, because a signature is valid for one connection only. Nil if
    /// there was no connection.
    let socketID: String?

    init(_ auth: PusherAuth, on connection: PusherConnection?) {
        self.auth = auth
        socketID = connection?.socketId
    }
}

/// The mutable state of a channel.
struct PusherChannelState {
    /// The most client events that may wait for the subscription. The session has the same limit (rule PS-24).
    static let waitingEvents = 100

    var handlers: [String: [EventHandler]] = [:]
    var subscribed = false
    /// Whether the subscription failed and is not tried again on this connection.
    var hasFailed = false
    var subscriptionCount: Int?
    var unsent: [QueuedClientEvent] = []
    var auth: GivenAuth?
    var onSubscriptionCountChanged: ((Int) -> Void)?
    var presence = PresenceState()
    var countStreams = StreamEnds<Int>()
    var memberStreams = StreamEnds<PusherMembershipChange>()
}
