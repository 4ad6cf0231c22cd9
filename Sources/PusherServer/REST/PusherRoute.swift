import ServerRuntime

/// The operation of the Pusher HTTP API that a request's method and path select.
enum PusherRoute: Hashable, Sendable {
    /// A plain HTTP request for the path of WebSocket connections, without the upgrade to WebSocket.
    case webSocket
    case publish(application: String)
    case publishBatch(application: String)
    case channels(application: String)
    case channel(application: String, name: String)
    case users(application: String, channel: String)
    /// The older form of publishing, with the channel in the path.
    case publishTo(application: String, channel: String)
    /// The number of connections of an application. The operation comes from Laravel Reverb; Pusher does not have it.
    case connections(application: String)
    /// Closes a user's connections. One official library sends the path without an application, which is then determined by the key (rule
    /// SV-10).
    case terminateConnections(application: String?, user: String)

    /// Whether a path belongs to the Pusher API.
    static func owns(_ segments: [String]) -> Bool {
        switch segments.first {
        case "app", "apps", "users", "pusher": segments.count > 1
        default: false
        }
    }

    /// Throws 404 for an unknown path and 405 for a known path with another method.
    init(method: String, segments: [String]) throws(HTTPProblem) {
        let (route, allowed): (PusherRoute, String)
        switch segments.count {
        case 2 where segments[0] == "app": (route, allowed) = (.webSocket, "GET")
        case 3 where segments[0] == "users" && segments[2] == "terminate_connections":
            (route, allowed) = (.terminateConnections(application: nil, user: segments[1]), "POST")
        case 3... where segments[0] == "pusher" && segments[1] == "app": throw .noFallbackTransport
        case 3... where segments[0] == "apps":
            (route, allowed) = try Self.applicationRoute(segments[1], Array(segments.dropFirst(2)))
        default: throw .notFound
        }
        guard method == allowed || (method == "HEAD" && allowed == "GET") else {
            throw .methodNotAllowed(allowed == "GET" ? "GET, HEAD" : allowed)
        }
        self = route
    }

    /// Whether a path is that of a batch of events.
    static func isBatch(_ segments: [String]) -> Bool {
        segments.count == 3 && segments[0] == "apps" && segments[2] == "batch_events"
    }

    private static func applicationRoute(_ id: String, _ rest: [String]) throws(HTTPProblem) -> (PusherRoute, String) {
        switch (rest.count, rest[0]) {
        case (1, "events"): (.publish(application: id), "POST")
        case (1, "batch_events"): (.publishBatch(application: id), "POST")
        case (1, "channels"): (.channels(application: id), "GET")
        case (2, "channels"): (.channel(application: id, name: rest[1]), "GET")
        case (1, "connections"): (.connections(application: id), "GET")
        case (3, "channels") where rest[2] == "events": (.publishTo(application: id, channel: rest[1]), "POST")
        case (3, "channels") where rest[2] == "users": (.users(application: id, channel: rest[1]), "GET")
        case (3, "users") where rest[2] == "terminate_connections":
            (.terminateConnections(application: id, user: rest[1]), "POST")
        default: throw .notFound
        }
    }
}
