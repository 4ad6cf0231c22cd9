/// The host to connect to.
public enum PusherHost: Sendable {
    /// A host name or an IP address; IPv6 addresses with or without brackets.
    case host(String)
    /// The short name of a Pusher cluster, such as `eu`.
    case cluster(String)

    /// Pusher's host for apps without a cluster, `ws.pusherapp.com`.
    public static var defaultHost: Self { .host("ws.pusherapp.com") }

    /// The name of the host, such as `ws-eu.pusher.com` for the cluster `eu`.
    public var stringValue: String {
        switch self {
        case .host(let name): name
        case .cluster(let cluster): "ws-\(cluster).pusher.com"
        }
    }
}
