import Foundation

/// The parameters of a sign-in, read by ``NCEngine/connect(params:databaseOpenedHandler:completionHandler:)``.
#if canImport(ObjectiveC)
    @objc(NCConnectParams) @objcMembers
#endif
public class ConnectParams: NSObject {
    /// The access token that your server requested for the user. It is a secret.
    public let token: String
    /// How many seconds the first connection may take; 0 or less, the default, for no limit (rule NC-3).
    public var timeout: Int = 0
    /// Which session ends when this device reconnects after another device of its class has signed in. True: the session of this device
    /// ends, and this device stays disconnected. False, the default: the other device is signed out.
    public var reconnectKickEnable = false
    /// The class of this device. A user can have one session for each class. An addition to the vendor's SDK.
    public var deviceClass: NCDeviceClass = .mobile

    /// Creates parameters with a token and default values.
    public init(token: String) {
        self.token = token
    }
}

/// Classes of devices. A user can be signed in with one device of each class at a time.
#if canImport(ObjectiveC)
    @objc(NCDeviceClass)
#endif
public enum NCDeviceClass: Int, Sendable {
    /// A phone or tablet.
    case mobile = 0
    /// A desktop computer.
    case desktop = 1
    /// A browser.
    case web = 2
}
