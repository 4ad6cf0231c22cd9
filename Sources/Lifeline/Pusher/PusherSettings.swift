/// The arguments of `Service.pusher(…)`, for the Pusher adapter.
struct PusherSettings: Sendable {
    var key: String
    var host: ServiceHost
    /// The address of the HTTP API.
    var api: ServiceHost
    var path: String?
    var access: PusherAccess
    /// This client's member on presence channels that the client authorises itself; nil for none.
    var user: Member?
    /// How the client signs in its user; nil when the client does not sign in.
    var signIn: PusherSignIn?
    /// Whether the client requests the replay of missed messages after a reconnect.
    var recoversMessages = true

    /// The path prefix of the HTTP API: the WebSocket prefix if both have the same address, otherwise empty.
    var apiPrefix: String {
        guard api == host, let path else { return "" }
        let parts = path.split(separator: "/")
        return parts.isEmpty ? "" : "/" + parts.joined(separator: "/")
    }

    static let serviceName = "Pusher Channels"
}

extension Service {
    /// The service Pusher Channels, or a server that speaks its protocol.
    ///
    /// - Parameters:
    ///   - key: the app key.
    ///   - host: the WebSocket host; see ``ServiceHost/pusher(cluster:)``.
    ///   - api: the host of the HTTP API; nil for `host`, or for the matching API host when `host` is one of Pusher's own.
    ///   - path: a prefix of `/app/…`, and of the HTTP API's paths when it is on the same host.
    ///   - access: how channels are authorised and published messages are signed.
    ///   - user: the client's member on presence channels, when the client signs with the secret; `info` must be JSON text.
    ///   - signIn: how the connection's user is authenticated; nil for a client that does not sign in.
    ///   - recoversMessages: whether the client asks its server to replay the messages that it missed without a connection. Lifeline's own
    ///     server replays events of the last two minutes, up to 100 of a channel. Other servers ignore the request, and the client declares
    ///     a gap.
    public static func pusher(
        key: String, host: ServiceHost = .pusher(cluster: "mt1"), api: ServiceHost? = nil, path: String? = nil,
        access: PusherAccess = .none, user: Member? = nil, signIn: PusherSignIn? = nil,
        recoversMessages: Bool = true
    ) -> Service {
        let settings = PusherSettings(
            key: key, host: host, api: api ?? host.pusherAPI, path: path, access: access, user: user,
            signIn: signIn, recoversMessages: recoversMessages)
        return Service(name: PusherSettings.serviceName) { options, parts in
            PusherAdapter.on(parts, settings, options: options)
        }
    }
}

extension ServiceHost {
    /// The WebSocket host of a cluster of Pusher's own servers, such as `mt1` or `eu`, with TLS.
    public static func pusher(cluster: String) -> ServiceHost {
        ServiceHost("ws-\(cluster).pusher.com")
    }

    /// The host of the HTTP API that belongs to this WebSocket host. Pusher's own hosts come in pairs, such as `ws-eu` and `api-eu`; other
    /// hosts serve both.
    var pusherAPI: ServiceHost {
        guard name.hasPrefix("ws-"), name.hasSuffix(".pusher.com") else { return self }
        return ServiceHost("api-" + name.dropFirst(3), port: port, tls: tls)
    }
}
