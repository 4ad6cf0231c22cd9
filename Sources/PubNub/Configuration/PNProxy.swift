/// A proxy that forwards connections with the HTTP method `CONNECT`. An addition to the Cocoa SDK.
///
/// Its text description never contains the password.
public struct PNProxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    /// The TCP port of the proxy, 1 to 65535.
    public var port: Int
    /// The user name for the proxy; nil for a proxy without authentication.
    public var user: String?
    /// The password for the proxy; nil for none. A secret.
    public var password: String?

    /// A proxy at a host and port, with a user name and password if the proxy requires them.
    public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    public var description: String { "PNProxy(\(host):\(port))" }
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}
