import Foundation

/// A client of Pusher Channels, or of a server that implements the same protocol.
///
/// Keep a reference: releasing the last one ends the connection, its timers and its authorisation requests. May be used from any thread.
/// Callbacks are called on the connection's ``PusherConnection/callbackQueue``. `@unchecked Sendable`: the only property is the connection.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class Pusher: NSObject, @unchecked Sendable {
    /// The connection of this client.
    public let connection: PusherConnection

    /// Creates a client that is not connected yet.
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - options: the host and all other settings.
    public init(key: String, options: PusherClientOptions = PusherClientOptions()) {
        connection = PusherConnection(key: key, url: PusherAddress.url(key: key, options: options), options: options)
    }

    /// The delegate for events of the connection and its subscriptions; held weakly. It is also the connection's delegate.
    open var delegate: PusherDelegate? {
        get { connection.delegate }
        set { connection.delegate = newValue }
    }

    /// Subscribes to a channel. If there is no connection, the client subscribes as soon as it is connected; it subscribes again after
    /// every reconnect.
    ///
    /// Calls with the same name return the same object. The callbacks and the authorisation of the latest call replace earlier ones (rule
    /// PA-17).
    ///
    /// - Parameters:
    ///   - channelName: the channel's name.
    ///   - auth: an authorisation for the present connection; later connections use the ``AuthMethod``.
    ///   - onMemberAdded: called for every member who joins; presence channels only.
    ///   - onMemberRemoved: called for every member who leaves; presence channels only.
    ///   - onSubscriptionCountChanged: called when the server sends the number of subscribers.
    @discardableResult
    open func subscribe(
        _ channelName: String, auth: PusherAuth? = nil,
        onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) -> PusherChannel {
        connection.subscribe(
            channelName: channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged)
    }

    /// Subscribes to a presence channel like `subscribe`, and returns it as a `PusherPresenceChannel`.
    @discardableResult
    open func subscribeToPresenceChannel(
        channelName: String, auth: PusherAuth? = nil,
        onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) -> PusherPresenceChannel {
        connection.subscribeToPresenceChannel(
            channelName: channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged)
    }

    /// Unsubscribes from a channel, in any state of the connection. No event of the channel is delivered afterwards (rule PA-18).
    open func unsubscribe(_ channelName: String) {
        connection.unsubscribe(channelName: channelName)
    }

    /// Ends all subscriptions.
    open func unsubscribeAll() {
        connection.unsubscribeAll()
    }

    /// Binds a callback to every event of every channel. The callback is called on the connection's callback queue.
    ///
    /// - Returns: an id for ``unbind(callbackId:)``.
    @discardableResult
    open func bind(eventCallback: @escaping (PusherEvent) -> Void) -> String {
        connection.global.bind(eventCallback)
    }

    /// Removes one callback. An unknown id has no effect.
    open func unbind(callbackId: String) {
        connection.global.unbind(globalCallbackId: callbackId)
    }

    /// Removes all callbacks that were bound with `bind` of this client. Callbacks that were bound with `bind` of a channel stay bound.
    open func unbindAll() {
        connection.global.unbindAll()
    }

    /// Closes the connection in any state, and stops all attempts to reconnect (rule PA-2).
    open func disconnect() {
        connection.disconnect()
    }

    /// Connects. A pause before the next attempt ends at once; while connected the call has no effect (rule PA-1).
    open func connect() {
        connection.connect()
    }
}
