import Foundation

#if canImport(ObjectiveC)
    /// Hears about users. Every method is optional.
    @objc(NCUserHandler) public protocol UserHandler: AnyObject {
        @objc optional func onSubscriptionChanged(_ event: SubscriptionChangedEvent)
    }
#else
    /// Hears about users. Every method is optional.
    ///
    /// Called on the library's callback queue, in the order in which things happened (rule NC-20).
    public protocol UserHandler: AnyObject {
        /// Somebody whom this user subscribed to came online or went offline.
        func onSubscriptionChanged(_ event: SubscriptionChangedEvent)
    }

    extension UserHandler {
        public func onSubscriptionChanged(_ event: SubscriptionChangedEvent) {}
    }
#endif

/// What can be subscribed to.
#if canImport(ObjectiveC)
    @objc(NCSubscribeType)
#endif
public enum SubscribeType: Int, Sendable {
    /// Whether a user is online.
    case onlineStatus = 1
    /// A user's profile. Not yet told by this service.
    case userProfile = 2
}

// `@unchecked Sendable` of the classes below: immutable.

/// Something about users changed that this user subscribed to.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionChangedEvent) @objcMembers
#endif
public final class SubscriptionChangedEvent: NSObject, @unchecked Sendable {
    public let events: [SubscriptionInfo]

    init(events: [SubscriptionInfo]) {
        self.events = events
        super.init()
    }
}

/// What changed about a user.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionInfo) @objcMembers
#endif
public final class SubscriptionInfo: NSObject, @unchecked Sendable {
    public let userId: String
    public let subscribeType: SubscribeType
    public let details: [SubscriptionDetail]

    init(userId: String, subscribeType: SubscribeType, details: [SubscriptionDetail]) {
        self.userId = userId
        self.subscribeType = subscribeType
        self.details = details
        super.init()
    }
}

/// One change.
#if canImport(ObjectiveC)
    @objc(NCSubscriptionDetail) @objcMembers
#endif
public final class SubscriptionDetail: NSObject, @unchecked Sendable {
    /// 1 online, 0 offline.
    public let eventValue: Int
    /// Milliseconds since 1970.
    public let changeTime: Int64
    /// Not told by this service: always empty.
    public let platform: String

    init(eventValue: Int, changeTime: Int64, platform: String) {
        self.eventValue = eventValue
        self.changeTime = changeTime
        self.platform = platform
        super.init()
    }
}
