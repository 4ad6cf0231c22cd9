/// The address of a service's HTTP API.
public struct BackendAddress: Hashable, Sendable {
    /// A host name or an IP address; IPv6 addresses without brackets.
    public var host: String
    /// The TCP port, 1 to 65535.
    public var port: Int
    /// Whether calls use TLS; true by default.
    public var tls: Bool
    /// A prefix of the service's paths, such as `/realtime`; empty for none. A proxy removes the prefix, so it is not part of signatures.
    public var path: String

    /// Makes the address of a service.
    ///
    /// - Parameters:
    ///   - host: a host name or an IP address; IPv6 addresses without brackets.
    ///   - port: nil for 443 with TLS and 80 without.
    ///   - tls: whether calls use TLS.
    ///   - path: a prefix of the service's paths.
    public init(_ host: String, port: Int? = nil, tls: Bool = true, path: String = "") {
        self.host = host
        self.port = port ?? (tls ? 443 : 80)
        self.tls = tls
        self.path = path
    }

    /// The address of Pusher's own service in a cluster, such as `eu`.
    public static func pusherCluster(_ cluster: String) -> BackendAddress { BackendAddress("api-\(cluster).pusher.com") }

    /// The URL of a target on this host.
    ///
    /// - Parameter target: path and query, percent-encoded, with the leading slash.
    func url(_ target: String) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        let prefix = path.split(separator: "/").map { "/\($0)" }.joined()
        return "\(tls ? "https" : "http")://\(name):\(port)\(prefix)\(target)"
    }
}
