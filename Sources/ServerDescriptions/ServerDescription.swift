/// The OpenAPI descriptions of the server's HTTP APIs, which are files in the program (rules SV-87 to SV-89).
package enum ServerDescription: String, CaseIterable, Hashable, Sendable {
    /// Describes the HTTP API of Pusher Channels.
    case pusher = "pusher.json"
    /// Describes the server API of chat.
    case chat = "chat.json"
    /// Describes health, readiness, metrics, and the requests for these descriptions.
    case server = "server.json"

    /// The description as a JSON document in UTF-8.
    package var bytes: [UInt8] {
        switch self {
        case .pusher: PackageResources.pusher_json
        case .chat: PackageResources.chat_json
        case .server: PackageResources.server_json
        }
    }
}
