import Foundation

/// Enables, disables or lists the channels whose push notifications a device gets.
public final class PNAPNSAPICallBuilder: PNAPICallBuilder {
    /// Enables push notifications.
    public var enable: () -> PNAPNSModificationAPICallBuilder { { PNAPNSModificationAPICallBuilder(self.client, .enable) } }
    /// Disables push notifications, on all channels when none are given.
    public var disable: () -> PNAPNSModificationAPICallBuilder { { PNAPNSModificationAPICallBuilder(self.client, .disable) } }
    /// Disables push notifications on all channels.
    public var disableAll: () -> PNAPNSModificationAPICallBuilder {
        { PNAPNSModificationAPICallBuilder(self.client, .disableAll) }
    }
    /// Reads the channels on which push notifications are enabled.
    public var audit: () -> PNAPNSAuditAPICallBuilder { { PNAPNSAuditAPICallBuilder(self.client) } }
}

/// Enables or disables the channels whose push notifications a device gets.
public final class PNAPNSModificationAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    enum Change {
        case enable, disable, disableAll
    }

    private let change: Change
    private var draft = PushDraft()
    private var names: [String] = []

    init(_ client: PubNub, _ change: Change) {
        self.change = change
        super.init(client)
    }

    /// The device token: `Data` for Apple's services, a `String` for the others.
    public var token: (Any) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.token = $1 } }
    /// The device token of Apple's services.
    @available(*, deprecated, message: "Use token, with pushType(.PNAPNSPush).")
    public var apnsToken: (Data) -> PNAPNSModificationAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNAPNSPush) }
    }
    /// The device token of Google's service.
    @available(*, deprecated, message: "Use token, with pushType(.PNFCMPush).")
    public var fcmToken: (String) -> PNAPNSModificationAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNFCMPush) }
    }
    /// The channels' names.
    public var channels: ([String]?) -> PNAPNSModificationAPICallBuilder { argument { $0.names = $1 ?? [] } }
    /// The environment of Apple's HTTP/2 service; development by default.
    public var environment: (PNAPNSEnvironment) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.environment = $1 } }
    /// The push service; Apple's older one by default.
    public var pushType: (PNPushType) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.type = $1 } }
    /// The topic for Apple's HTTP/2 service: the app's bundle identifier, which is also the default.
    public var topic: (String) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.topic = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNAPNSModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (PNPushNotificationsStateModificationCompletionBlock?) -> Void {
        { block in
            switch self.change {
            case .enable: self.client.push(.add, self.names, draft: self.draft, query: self.query, block)
            case .disable where !self.names.isEmpty:
                self.client.push(.remove, self.names, draft: self.draft, query: self.query, block)
            case .disable, .disableAll: self.client.pushOff(self.draft, query: self.query, block)
            }
        }
    }
}

/// Lists the channels whose push notifications a device gets.
public final class PNAPNSAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PushDraft()

    /// The device token: `Data` for Apple's services, a `String` for the others.
    public var token: (Any) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.token = $1 } }
    /// The device token of Apple's services.
    @available(*, deprecated, message: "Use token, with pushType(.PNAPNSPush).")
    public var apnsToken: (Data) -> PNAPNSAuditAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNAPNSPush) }
    }
    /// The device token of Google's service.
    @available(*, deprecated, message: "Use token, with pushType(.PNFCMPush).")
    public var fcmToken: (String) -> PNAPNSAuditAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNFCMPush) }
    }
    /// The environment of Apple's HTTP/2 service; development by default.
    public var environment: (PNAPNSEnvironment) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.environment = $1 } }
    /// The push service; Apple's older one by default.
    public var pushType: (PNPushType) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.type = $1 } }
    /// The topic for Apple's HTTP/2 service: the app's bundle identifier, which is also the default.
    public var topic: (String) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.topic = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNAPNSAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNPushNotificationsStateAuditCompletionBlock) -> Void {
        { self.client.pushChannels(self.draft, query: self.query, $0) }
    }
}

extension PubNub {
    /// Enables, disables or lists the channels whose push notifications a device gets.
    public var push: () -> PNAPNSAPICallBuilder { { PNAPNSAPICallBuilder(self) } }
}
