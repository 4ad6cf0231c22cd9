import ChatProtocol
import Foundation

/// The parameters of a subscription to changes of users.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCSubscribeEventParams) @objcMembers
#endif
public final class SubscribeEventParams: NSObject, @unchecked Sendable {
    /// The ids of the users to subscribe to, 1 … 200.
    public let userIds: [String]
    /// The property to subscribe to.
    @Guarded public var subscribeType: SubscribeType
    /// How long the subscription lasts, in seconds: 60 … 2,592,000.
    @Guarded public var expiry: Int

    /// Creates the parameters of a subscription; `expiry` is in seconds.
    public init(userIds: [String], subscribeType: SubscribeType = .onlineStatus, expiry: Int = 86_400) {
        self.userIds = userIds
        self.subscribeType = subscribeType
        self.expiry = expiry
        super.init()
    }
}

/// A present subscription of the signed-in user to another user's changes.
#if canImport(ObjectiveC)
    @objc(NCSubscribeEvent) @objcMembers
#endif
public final class SubscribeEvent: NSObject, Sendable {
    /// The user's id.
    public let userId: String
    /// The subscribed property.
    public let subscribeType: SubscribeType
    /// When the subscription began, in milliseconds since 1970.
    public let subscribeTime: Int64
    /// When the subscription ends, in milliseconds since 1970.
    public let expireTime: Int64

    init(_ subscription: ChatSubscription) {
        userId = subscription.user
        subscribeType = .onlineStatus
        subscribeTime = subscription.subscribed
        expireTime = subscription.expires
        super.init()
    }
}

/// Pages of subscriptions.
public typealias SubscribeQuery = PagedQuery<SubscribeEvent>
