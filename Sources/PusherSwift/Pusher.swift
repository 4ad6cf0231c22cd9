import Foundation

/// A client of Pusher Channels, or of a server that speaks its protocol.
///
/// Keep a reference: releasing the last one ends the connection, its timers and its authorisation requests. May be used from any
/// thread. Callbacks are called on the connection's ``PusherConnection/callbackQueue``. `@unchecked Sendable`: its only property is
/// the connection.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class Pusher: NSObject, @unchecked Sendable {
    /// The connection of this client.
    public let connection: PusherConnection

    /// A client that is not connected yet.
    ///
    /// - Parameters:
    ///   - key: the app's key.
    ///   - options: the host and all other settings.
    public init(key: String, options: PusherClientOptions = PusherClientOptions()) {
        connection = PusherConnection(key: key, url: PusherAddress.url(key: key, options: options), options: options)
    }

    /// The delegate for events of the connection and its subscriptions; held weakly. The same as the connection's delegate.
    open var delegate: PusherDelegate? {
        get { connection.delegate }
        set { connection.delegate = newValue }
    }

    /// Subscribes to a channel. Without a connection the client subscribes as soon as it is connected, and it subscribes again after
    /// every reconnect.
    ///
    /// Calls with the same name return the same object; callbacks and an authorisation that are passed replace the former ones (rule
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

    /// Subscribes to a presence channel. Like `subscribe`, but returns a `PusherPresenceChannel`.
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

    /// Ends a subscription in every state. No event of the channel is delivered afterwards (rule PA-18).
    open func unsubscribe(_ channelName: String) {
        connection.unsubscribe(channelName: channelName)
    }

    /// Ends all subscriptions.
    open func unsubscribeAll() {
        connection.unsubscribeAll()
    }

    /// Binds a callback to every event of every channel. It is called on the connection's callback queue.
    ///
    /// - Returns: an id for ``unbind(callbackId:)``.
    @discardableResult
    open func bind(eventCallback: @escaping (PusherEvent) -> Void) -> String {
        connection.global.bind(eventCallback)
    }

    /// Removes one callback. An unknown id does nothing.
    open func unbind(callbackId: String) {
        connection.global.unbind(globalCallbackId: callbackId)
    }

    /// Removes all callbacks that were bound with this client; callbacks of channels stay.
    open func unbindAll() {
        connection.global.unbindAll()
    }

    /// Ends the connection in every state, and stops all attempts to reconnect (rule PA-2).
    open func disconnect() {
        connection.disconnect()
    }

    /// Connects. A scheduled attempt starts at once; while connected the call does nothing (rule PA-1).
    open func connect() {
        connection.connect()
    }
}
