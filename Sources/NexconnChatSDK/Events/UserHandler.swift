import Foundation

#if canImport(ObjectiveC)
    /// Receives changes of users whose status this user has subscribed to. Every method is optional.
    @objc(NCUserHandler) public protocol UserHandler: AnyObject {
        @objc optional func onSubscriptionChanged(_ event: SubscriptionChangedEvent)
    }
#else
    /// Receives changes of users whose status this user has subscribed to. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20).
    public protocol UserHandler: AnyObject {
        /// A user whose status this user has subscribed to came online or went offline.
        func onSubscriptionChanged(_ event: SubscriptionChangedEvent)
    }

    extension UserHandler {
        public func onSubscriptionChanged(_ event: SubscriptionChangedEvent) {}
    }
#endif

/// The properties of a user that can be subscribed to.
#if canImport(ObjectiveC)
    @objc(NCSubscribeType)
#endif
public enum SubscribeType: Int, Sendable {
    /// Whether a user is online.
    case onlineStatus = 1
    /// A user's profile. This service does not report changes of profiles.
    case userProfile = 2
}

/// The event that users whose status this user has subscribed to came online or went offline.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionChangedEvent) @objcMembers
#endif
public final class SubscriptionChangedEvent: NSObject, Sendable {
    /// The changes, one entry for each user.
    public let events: [SubscriptionInfo]

    init(events: [SubscriptionInfo]) {
        self.events = events
        super.init()
    }
}

/// The changes of one user's status.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionInfo) @objcMembers
#endif
public final class SubscriptionInfo: NSObject, Sendable {
    /// The user's id.
    public let userId: String
    /// The subscribed property.
    public let subscribeType: SubscribeType
    /// The changes of the user's status, oldest first.
    public let details: [SubscriptionDetail]

    init(userId: String, subscribeType: SubscribeType, details: [SubscriptionDetail]) {
        self.userId = userId
        self.subscribeType = subscribeType
        self.details = details
        super.init()
    }
}

/// One change of a user's status.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionDetail) @objcMembers
#endif
public final class SubscriptionDetail: NSObject, Sendable {
    /// 1 when the user came online, 0 when the user went offline.
    public let eventValue: Int
    /// When the status changed, in milliseconds since 1970.
    public let changeTime: Int64
    /// Always empty with Lifeline's server.
    public let platform: String

    init(eventValue: Int, changeTime: Int64, platform: String) {
        self.eventValue = eventValue
        self.changeTime = changeTime
        self.platform = platform
        super.init()
    }
}
