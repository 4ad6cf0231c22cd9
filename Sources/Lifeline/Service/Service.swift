import ClientRuntime
import TransportCommon

/// The service that a client uses, with its keys and user. Each service has a static function that makes it, such as `pusher(…)`.
public struct Service: Sendable {
    /// The human-readable name of the service, such as `PubNub`.
    public let name: String
    /// Makes the adapter of a client from the client's options and parts.
    let makeAdapter: @Sendable (ClientOptions, ClientParts) -> any ServiceAdapter
    /// The transport, timer and HTTP parts of the service's clients: real ones, or those of a test double.
    private(set) var parts = ClientParts.live

    init(
        name: String, makeAdapter: @escaping @Sendable (ClientOptions, ClientParts) -> any ServiceAdapter
    ) {
        self.name = name
        self.makeAdapter = makeAdapter
    }

    /// The same service with a test double in place of its servers. Its clients open no sockets and use the double's clock.
    package func on(_ double: any ServiceDouble) -> Service {
        var service = self
        service.parts = .doubled(double)
        return service
    }
}

/// The address of a service.
public struct ServiceHost: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var name: String
    /// The TCP port, 1 to 65535.
    public var port: Int
    /// Whether connections use TLS. If true, nothing is sent unencrypted.
    public var tls: Bool

    /// Makes an address.
    ///
    /// - Parameters:
    ///   - name: a host name or an IP address; IPv6 addresses without brackets.
    ///   - port: nil for 443 with TLS and 80 without.
    ///   - tls: whether connections use TLS. Nil means true, except for a host that is this machine itself: `localhost`, an address of
    ///     127.0.0.0/8, or `::1` (rule LL-50).
    public init(_ name: String, port: Int? = nil, tls: Bool? = nil) {
        let tls = tls ?? !Loopback.contains(name)
        self.name = name
        self.port = port ?? (tls ? 443 : 80)
        self.tls = tls
    }
}
