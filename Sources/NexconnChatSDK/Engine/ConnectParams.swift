import Foundation

/// How to sign in, read by ``NCEngine/connect(params:databaseOpenedHandler:completionHandler:)``.
#if canImport(ObjectiveC)
    @objc(NCConnectParams) @objcMembers
#endif
public class ConnectParams: NSObject {
    /// The access token that your server got for the user. A secret.
    public let token: String
    /// Seconds within which the first connection has to come about; 0 or less, the default, for no limit (rule NC-3).
    public var timeout: Int = 0
    /// Whether this device gives way when it reconnects and another one of its class has signed in meanwhile; else the other one is
    /// kicked. False by default.
    public var reconnectKickEnable = false
    /// Which of a user's devices this one may stand beside: the server keeps one session for each class. An addition to the vendor's
    /// SDK.
    public var deviceClass: NCDeviceClass = .mobile

    public init(token: String) {
        self.token = token
    }
}

/// Classes of devices. A user is signed in with one device of each.
#if canImport(ObjectiveC)
    @objc(NCDeviceClass)
#endif
public enum NCDeviceClass: Int, Sendable {
    case mobile = 0
    case desktop = 1
    case web = 2
}
