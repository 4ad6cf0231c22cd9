import ChatProtocol

/// The arguments of a sign-in: an immutable copy of ``ConnectParams``.
struct SignIn: Sendable {
    /// The access token, which is a secret.
    var token: String
    /// The time limit of the first connection; nil for no limit.
    var limit: Duration?
    var yields: Bool
    var deviceClass: ChatDevice.Class

    init(_ params: ConnectParams) {
        token = params.token
        limit = params.timeout > 0 ? .seconds(params.timeout) : nil
        yields = params.reconnectKickEnable
        deviceClass =
            switch params.deviceClass {
            case .mobile: .mobile
            case .desktop: .desktop
            case .web: .web
            }
    }
}

extension ChatDevice {
    /// The name of this operating system, which the server passes to webhooks.
    static var currentSystem: String {
        #if os(iOS)
            "iOS"
        #elseif os(macOS)
            "macOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(visionOS)
            "visionOS"
        #elseif os(Android)
            "Android"
        #else
            "Linux"
        #endif
    }
}
