import Foundation

/// A client of Pusher Channels, or of a server that speaks its protocol.
///
/// Keep a reference: releasing the last one ends the connection, its timers and its authorisation requests. May be used from any
/// thread. `@unchecked Sendable`: it holds nothing but the connection.
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
    ///   - options: where to connect, and how.
    public init(key: String, options: PusherClientOptions = PusherClientOptions()) {
        connection = PusherConnection(key: key, url: PusherAddress.url(key: key, options: options), options: options)
    }

    /// Hears about the connection and its subscriptions; held weakly. The same as the connection's.
    open var delegate: PusherDelegate? {
        get { connection.delegate }
        set { connection.delegate = newValue }
    }

    /// Subscribes to a channel, now or as soon as there is a connection, and again after every reconnect.
    ///
    /// The same name gives the same object; callbacks and authorisation that are given replace the former ones (rule PA-17).
    ///
    /// - Parameters:
    ///   - auth: authorisation for the present connection; afterwards the ``AuthMethod`` counts.
    ///   - onMemberAdded: called for everybody who comes; presence channels only.
    ///   - onMemberRemoved: called for everybody who leaves; presence channels only.
    ///   - onSubscriptionCountChanged: called when the server tells the number of subscribers.
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

    /// As `subscribe`, with the presence channel's own type as the result.
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

    /// Ends a subscription, in whatever state it is. No event of the channel is delivered afterwards (rule PA-18).
    open func unsubscribe(_ channelName: String) {
        connection.unsubscribe(channelName: channelName)
    }

    /// Ends all subscriptions.
    open func unsubscribeAll() {
        connection.unsubscribeAll()
    }

    /// Calls `eventCallback` with every event of every channel from now on, on the connection's callback queue.
    ///
    /// - Returns: the id that unbinds it.
    @discardableResult
    open func bind(eventCallback: @escaping (PusherEvent) -> Void) -> String {
        connection.global.bind(eventCallback)
    }

    /// Forgets one callback. An unknown id does nothing.
    open func unbind(callbackId: String) {
        connection.global.unbind(globalCallbackId: callbackId)
    }

    /// Forgets all callbacks that were bound here; those of channels stay.
    open func unbindAll() {
        connection.global.unbindAll()
    }

    /// Ends the connection, in whatever state it is, and with it all attempts to come back (rule PA-2).
    open func disconnect() {
        connection.disconnect()
    }

    /// Connects. While the next attempt waits it comes at once; while connected nothing happens (rule PA-1).
    open func connect() {
        connection.connect()
    }
}
