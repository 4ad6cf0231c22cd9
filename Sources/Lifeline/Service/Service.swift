import EngineRuntime
import TransportCommon

/// The service that a client uses, with its keys and user. There is one static function for each service.
public struct Service: Sendable {
    /// The service's name, for people.
    public let name: String
    /// Makes an adapter with real sockets, or on a double of the service.
    let makeAdapter: @Sendable (ClientOptions, (any ServiceDouble)?) -> any ServiceAdapter
    /// The double of the service in tests; nil for the service itself.
    var double: (any ServiceDouble)?

    init(
        name: String, makeAdapter: @escaping @Sendable (ClientOptions, (any ServiceDouble)?) -> any ServiceAdapter
    ) {
        self.name = name
        self.makeAdapter = makeAdapter
    }
}

/// The address of a service.
public struct ServiceHost: Hashable, Sendable {
    /// A name or an address; IPv6 addresses without brackets.
    public var name: String
    /// The TCP port, 1 to 65535.
    public var port: Int
    /// Whether connections use TLS. Nothing is sent unencrypted when this is true.
    public var tls: Bool

    /// An address.
    ///
    /// - Parameters:
    ///   - name: a name or an address; IPv6 addresses without brackets.
    ///   - port: nil for 443 with TLS and 80 without.
    ///   - tls: whether connections use TLS; nil for yes, unless the host is this machine itself: `localhost`, an address of 127.0.0.0/8,
    ///     or `::1` (rule LL-50).
    public init(_ name: String, port: Int? = nil, tls: Bool? = nil) {
        let tls = tls ?? !Loopback.contains(name)
        self.name = name
        self.port = port ?? (tls ? 443 : 80)
        self.tls = tls
    }
}
