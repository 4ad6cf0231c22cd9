/// Which service a client talks to, and as whom. Made by one static function per service.
public struct Service: Sendable {
    /// The service's name, for people.
    public let name: String
    let makeAdapter: @Sendable (ClientOptions) -> any ServiceAdapter

    init(
        name: String, makeAdapter: @escaping @Sendable (ClientOptions) -> any ServiceAdapter
    ) {
        self.name = name
        self.makeAdapter = makeAdapter
    }
}

/// Where a service is.
public struct ServiceHost: Hashable, Sendable {
    /// A name or an address; IPv6 addresses without brackets.
    public var name: String
    /// The TCP port, 1 to 65535.
    public var port: Int
    /// Whether to encrypt. Nothing is ever sent unencrypted when this is true.
    public var tls: Bool

    /// - Parameter port: nil for 443 with TLS and 80 without.
    public init(_ name: String, port: Int? = nil, tls: Bool = true) {
        self.name = name
        self.port = port ?? (tls ? 443 : 80)
        self.tls = tls
    }
}
