import Lifeline

/// Who is online, kept up to date.
///
/// `example-presence [NAME] [--port 6001] [--once]`. Start it several times with several names. With `--once` it brings a visitor of
/// its own, who comes and goes.
@main
struct PresenceBoard {
    static func main() async throws {
        var name = "guest"
        var port = 6001
        var isOnce = false
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--port": port = arguments.popFirst().flatMap { Int($0) } ?? port
            case "--once": isOnce = true
            default: name = argument
            }
        }
        let host = ServiceHost("127.0.0.1", port: port, tls: false)
        let client = LifelineClient(service(for: name, at: host))
        try await client.connect(timeout: .seconds(20))
        let room = try await client.channel("presence-lobby").subscribe()

        // Throws where the channel has no presence: nothing is ever an empty list by accident.
        let presence = try room.presence
        let changes = presence.changes
        show(presence.members, "You are here.")

        let visitor = isOnce ? try await visit(host) : nil
        // After an outage this brings the difference, not everybody once more.
        for await change in changes {
            show(presence.members, "\(change.member.id): \(change.action)")
            // Only now, or the visitor could be gone from the list before the line that tells of the coming.
            if change.action == .join { await visitor?.disconnect() }
            if isOnce, change.action == .leave { break }
        }
        await client.disconnect()
    }

    static func service(for name: String, at host: ServiceHost) -> Service {
        .pusher(
            key: "app-key", host: host, access: .secret("app-secret", appID: "1001"),
            user: Member(id: name, info: #"{"name":"\#(name)"}"#))
    }

    static func show(_ members: [Member], _ news: String) {
        print("\(news) Online: \(members.map(\.id).sorted().joined(separator: ", "))")
    }

    /// Somebody who comes, and stays until disconnected.
    static func visit(_ host: ServiceHost) async throws -> LifelineClient {
        let visitor = LifelineClient(service(for: "visitor", at: host))
        try await visitor.connect(timeout: .seconds(20))
        _ = try await visitor.channel("presence-lobby").subscribe()
        return visitor
    }
}
