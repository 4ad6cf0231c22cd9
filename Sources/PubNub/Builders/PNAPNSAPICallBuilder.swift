import Foundation

/// Makes the builders of requests that enable, disable or list push notifications of channels for a device.
public final class PNAPNSAPICallBuilder: PNAPICallBuilder {
    /// Enables push notifications.
    public var enable: () -> PNAPNSModificationAPICallBuilder { { PNAPNSModificationAPICallBuilder(self.client, .enable) } }
    /// Disables push notifications of the given channels for a device. If no channels are given, push notifications of all channels are
    /// disabled.
    public var disable: () -> PNAPNSModificationAPICallBuilder { { PNAPNSModificationAPICallBuilder(self.client, .disable) } }
    /// Disables push notifications of all channels for a device.
    public var disableAll: () -> PNAPNSModificationAPICallBuilder {
        { PNAPNSModificationAPICallBuilder(self.client, .disableAll) }
    }
    /// Requests the channels whose push notifications a device gets.
    public var audit: () -> PNAPNSAuditAPICallBuilder { { PNAPNSAuditAPICallBuilder(self.client) } }
}

/// Builds a request that enables or disables push notifications of channels for a device.
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

    /// The device token: `Data` for Apple's push services, a `String` for all other push services.
    public var token: (Any) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.token = $1 } }
    /// The device token for Apple's older push service. Setting the token also selects this push service.
    @available(*, deprecated, message: "Replace apnsToken by token and pushType(.PNAPNSPush).")
    public var apnsToken: (Data) -> PNAPNSModificationAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNAPNSPush) }
    }
    /// The device token for Google's push service. Setting the token also selects this push service.
    @available(*, deprecated, message: "Replace fcmToken by token and pushType(.PNFCMPush).")
    public var fcmToken: (String) -> PNAPNSModificationAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNFCMPush) }
    }
    /// The channels' names.
    public var channels: ([String]?) -> PNAPNSModificationAPICallBuilder { argument { $0.names = $1 ?? [] } }
    /// The environment of Apple's HTTP/2 push service; development by default.
    public var environment: (PNAPNSEnvironment) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.environment = $1 } }
    /// The push service; by default Apple's older push service.
    public var pushType: (PNPushType) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.type = $1 } }
    /// The topic for Apple's HTTP/2 push service: the app's bundle identifier, by default that of the running app.
    public var topic: (String) -> PNAPNSModificationAPICallBuilder { argument { $0.draft.topic = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNAPNSModificationAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
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

/// Builds a request for the channels whose push notifications a device gets.
public final class PNAPNSAuditAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = PushDraft()

    /// The device token: `Data` for Apple's push services, a `String` for all other push services.
    public var token: (Any) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.token = $1 } }
    /// The device token for Apple's older push service. Setting the token also selects this push service.
    @available(*, deprecated, message: "Replace apnsToken by token and pushType(.PNAPNSPush).")
    public var apnsToken: (Data) -> PNAPNSAuditAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNAPNSPush) }
    }
    /// The device token for Google's push service. Setting the token also selects this push service.
    @available(*, deprecated, message: "Replace fcmToken by token and pushType(.PNFCMPush).")
    public var fcmToken: (String) -> PNAPNSAuditAPICallBuilder {
        argument { ($0.draft.token, $0.draft.type) = ($1, .PNFCMPush) }
    }
    /// The environment of Apple's HTTP/2 push service; development by default.
    public var environment: (PNAPNSEnvironment) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.environment = $1 } }
    /// The push service; by default Apple's older push service.
    public var pushType: (PNPushType) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.type = $1 } }
    /// The topic for Apple's HTTP/2 push service: the app's bundle identifier, by default that of the running app.
    public var topic: (String) -> PNAPNSAuditAPICallBuilder { argument { $0.draft.topic = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNAPNSAuditAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNPushNotificationsStateAuditCompletionBlock) -> Void {
        { self.client.pushChannels(self.draft, query: self.query, $0) }
    }
}

extension PubNub {
    /// Makes the builders of requests that enable, disable or list push notifications of channels for a device.
    public var push: () -> PNAPNSAPICallBuilder { { PNAPNSAPICallBuilder(self) } }
}
