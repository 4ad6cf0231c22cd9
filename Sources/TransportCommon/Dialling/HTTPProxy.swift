/// A proxy that forwards connections with the method `CONNECT`, for `https` as well as for `http`.
///
/// Descriptions and reflection never show the credentials.
public struct HTTPProxy: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    /// The TCP port of the proxy, 1 to 65535.
    public var port: Int
    /// The credentials in `Proxy-Authorization: Basic`, which are sent to the proxy only.
    public var credentials: Credentials?

    /// A user of the proxy.
    public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The user name.
        public var user: String
        /// The password. A secret.
        public var password: String

        /// Credentials for a proxy.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        public var description: String { "credentials" }
        public var debugDescription: String { description }
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// A proxy at a host and port, with credentials if it asks for them.
    public init(host: String, port: Int, credentials: Credentials? = nil) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}
