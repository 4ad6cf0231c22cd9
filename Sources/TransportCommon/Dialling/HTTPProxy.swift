/// A proxy that forwards connections by the method `CONNECT`, to servers with `https` and with `http`.
///
/// Descriptions and reflection never show the credentials.
public struct HTTPProxy: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    /// The TCP port of the proxy, 1 to 65535.
    public var port: Int
    /// The user name and password, sent to the proxy only, in `Proxy-Authorization: Basic`; nil for none.
    public var credentials: Credentials?

    /// The user name and password for a proxy.
    public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The user name.
        public var user: String
        /// The password. It is secret and not shown in descriptions.
        public var password: String

        /// Makes credentials from a user name and a password.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        public var description: String { "credentials" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// Makes a proxy at a host and port, with credentials if the proxy requires them.
    public init(host: String, port: Int, credentials: Credentials? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}
