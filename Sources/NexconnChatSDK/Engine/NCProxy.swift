import TransportCommon

/// A proxy that forwards connections with the method `CONNECT`. An addition to the vendor's SDK.
///
/// Descriptions never show the password.
public struct NCProxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// A name or an address; IPv6 addresses without brackets.
    public var host: String
    public var port: Int
    /// Who asks; nil when the proxy serves anybody.
    public var user: String?
    /// A secret.
    public var password: String?

    public init(host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    public var description: String { "NCProxy(\(host):\(port))" }
    public var customMirror: Mirror { Mirror(self, children: ["host": host, "port": port]) }
}

extension HTTPProxy {
    init(_ proxy: NCProxy) {
        self.init(
            host: proxy.host, port: proxy.port,
            credentials: proxy.user.map { Credentials(user: $0, password: proxy.password ?? "") })
    }
}
