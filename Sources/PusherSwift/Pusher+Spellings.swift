/// Other names of methods, which Objective-C and some of Pusher's documentation use.
extension Pusher {
    /// The same as `subscribe(_:)`.
    @discardableResult
    public func subscribe(channelName: String) -> PusherChannel {
        subscribe(channelName)
    }

    /// The same as `subscribe(_:onMemberAdded:onMemberRemoved:onSubscriptionCountChanged:)`.
    @discardableResult
    public func subscribe(
        channelName: String, onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) -> PusherChannel {
        subscribe(
            channelName, auth: nil, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged)
    }

    /// The same as `subscribeToPresenceChannel(channelName:auth:…)`.
    @discardableResult
    public func subscribeToPresenceChannel(channelName: String) -> PusherPresenceChannel {
        subscribeToPresenceChannel(channelName: channelName, auth: nil)
    }

    /// The same as `subscribeToPresenceChannel(channelName:auth:…)`.
    @discardableResult
    public func subscribeToPresenceChannel(
        channelName: String, onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) -> PusherPresenceChannel {
        subscribeToPresenceChannel(
            channelName: channelName, auth: nil, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged)
    }

    /// The same as `subscribeToPresenceChannel(channelName:auth:…)`, without the first label, as in Pusher's README.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @discardableResult
    public func subscribeToPresenceChannel(
        _ channelName: String, auth: PusherAuth? = nil,
        onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
        onSubscriptionCountChanged: ((Int) -> Void)? = nil
    ) -> PusherPresenceChannel {
        subscribeToPresenceChannel(
            channelName: channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
            onSubscriptionCountChanged: onSubscriptionCountChanged)
    }

    /// Subscribes to a channel with its own time limit in seconds. The limit applies to the authorisation, and again to the server's
    /// confirmation. Clamped to 0.1 ... 300. An addition to PusherSwift 10.1.
    @discardableResult
    public func subscribe(_ channelName: String, timeout: Double) -> PusherChannel {
        connection.subscribe(
            channelName: channelName, auth: nil, onMemberAdded: nil, onMemberRemoved: nil, onSubscriptionCountChanged: nil,
            timeout: timeout)
    }

    /// The same as `init(key:options:)`.
    public convenience init(withAppKey key: String, options: PusherClientOptions) {
        self.init(key: key, options: options)
    }

    /// The same as `init(key:)`, with the Objective-C name in Pusher's README.
    public convenience init(withAppKey key: String) {
        self.init(key: key)
    }

    /// The same as `init(key:)`.
    public convenience init(withKey key: String) {
        self.init(key: key)
    }
}
