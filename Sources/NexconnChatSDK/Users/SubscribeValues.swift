import Foundation
import NexconnProtocol

/// What to subscribe to, of whom, for how long.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, a `NIOLockedValueBox`.
#if canImport(ObjectiveC)
    @objc(NCSubscribeEventParams) @objcMembers
#endif
public final class SubscribeEventParams: NSObject, @unchecked Sendable {
    /// 1 … 200.
    public let userIds: [String]
    @Guarded public var subscribeType: SubscribeType
    /// Seconds: 60 … 2,592,000.
    @Guarded public var expiry: Int

    public init(userIds: [String], subscribeType: SubscribeType = .onlineStatus, expiry: Int = 86_400) {
        self.userIds = userIds
        self.subscribeType = subscribeType
        self.expiry = expiry
        super.init()
    }
}

/// A subscription.
#if canImport(ObjectiveC)
    @objc(NCSubscribeEvent) @objcMembers
#endif
public final class SubscribeEvent: NSObject, Sendable {
    public let userId: String
    public let subscribeType: SubscribeType
    /// When it began, ms since 1970.
    public let subscribeTime: Int64
    /// When it ends, ms since 1970.
    public let expireTime: Int64

    init(_ subscription: NexconnSubscription) {
        userId = subscription.user
        subscribeType = .onlineStatus
        subscribeTime = subscription.subscribed
        expireTime = subscription.expires
        super.init()
    }
}

public typealias SubscribeQuery = PagedQuery<SubscribeEvent>
