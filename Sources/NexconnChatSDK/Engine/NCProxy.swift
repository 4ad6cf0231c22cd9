import TransportCommon

/// A proxy that forwards connections with the method `CONNECT`. An addition to the vendor's SDK.
///
/// Descriptions never show the password.
public struct NCProxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    /// The TCP port of the proxy, 1 to 65535.
    public var port: Int
    /// The user name for the proxy; nil when the proxy requires none.
    public var user: String?
    /// The password for the proxy, which is a secret; nil when the proxy requires none.
    public var password: String?

    /// Creates a proxy at a host and port, with credentials if the proxy requires them.
    public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// The host and port of the proxy, without credentials.
    public var description: String { "NCProxy(\(host):\(port))" }
    /// Shows the proxy's host and port in dumps, without credentials.
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
