/// The OpenAPI description of one HTTP API of the server, a file that is part of the program (rules SV-87 to SV-89).
package enum ServerDescription: String, CaseIterable, Hashable, Sendable {
    /// The HTTP API of Pusher Channels.
    case pusher = "pusher.json"
    /// The server API of chat.
    case chat = "chat.json"
    /// Health, readiness, metrics, and the descriptions themselves.
    case server = "server.json"

    /// A JSON document in UTF-8.
    package var bytes: [UInt8] {
        switch self {
        case .pusher: PackageResources.pusher_json
        case .chat: PackageResources.chat_json
        case .server: PackageResources.server_json
        }
    }
}
