import Foundation

/// A proxy that forwards connections with the method `CONNECT`. An addition to PusherSwift 10.1.
///
/// Immutable, hence safe to share between threads. Descriptions never show the password.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PusherProxy: NSObject, Sendable {
    /// The proxy's host name or IP address; IPv6 addresses without brackets.
    public let host: String
    /// The TCP port of the proxy, 1 to 65535.
    public let port: Int
    /// The user name for the proxy; nil when the proxy requires none.
    public let user: String?
    /// The password for the proxy, which is a secret; nil when the proxy requires none.
    public let password: String?

    /// Creates a proxy at a host and port, with credentials if the proxy requires them.
    public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    public override var description: String { "PusherProxy(\(host):\(port))" }
    public override var debugDescription: String { description }
}

extension PusherProxy: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
