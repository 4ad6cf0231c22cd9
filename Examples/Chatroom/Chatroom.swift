import Foundation
import Lifeline

/// A chat room for the terminal: what you type goes to everybody, and what others type appears.
///
/// The service is chosen in one line of ``service(_:)``. Nothing else in this program knows which one it is.
@main
struct Chatroom {
    struct Line: Codable {
        var from: String
        var text: String
    }

    static let arguments = Arguments()

    /// All that differs between the services is said here.
    static func service(_ name: String) -> Service {
        let host = ServiceHost("127.0.0.1", port: arguments.port, tls: false)
        return switch arguments.service {
        case "pubnub": .pubnub(publishKey: "demo", subscribeKey: "demo", userID: name, host: host)
        case "nexconn": .nexconn(appKey: "app-key", host: host, access: .secret("app-secret", user: name))
        default: .pusher(key: "app-key", host: host, access: .secret("app-secret", appID: "1001"), user: Member(id: name))
        }
    }

    static func main() async throws {
        let name = arguments.name
        let client = LifelineClient(service(name))
        // A room that does not say when it is cut off is not to be trusted.
        let statuses = client.statuses
        let watching = Task { for await status in statuses { print("-- \(status)") } }
        try await client.connect(timeout: .seconds(20))
        let room = try await client.channel("chatroom").subscribe()

        await showHistory(of: room)
        print("-- You are \(name). Type, and press return. An empty line ends.")
        let deliveries = room.deliveries
        let reading = Task { await show(deliveries) }

        for await text in arguments.isOnce ? AsyncStream.once("hello from \(name)") : .typed {
            // Accepted, refused or unknown: a chat that loses messages in silence is worse than one that says so.
            let outcome = try await room.publish(Line(from: name, text: text))
            if !outcome.isAccepted { print("-- not sent for sure: \(outcome)") }
        }
        // With --once the program ends when its own line has come back.
        if arguments.isOnce { _ = await reading.value }
        await client.disconnect()
        reading.cancel()
        // A loop that is cancelled tells what it had got, the end of the connection too.
        watching.cancel()
        await watching.value
    }

    /// What was said before, where the service keeps it.
    static func showHistory(of room: Room) async {
        do throws(LifelineError) {
            for message in try await room.history(last: 10) { show(message, before: true) }
        } catch {
            print("-- no history: \(error.reason)")
        }
    }

    static func show(_ deliveries: Deliveries) async {
        for await delivery in deliveries {
            switch delivery {
            case .message(let message):
                show(message)
                if arguments.isOnce { return }
            case .gap: print("-- here something may be missing")
            case .failed(let error, _): print("-- \(error)")
            }
        }
    }

    static func show(_ message: Message, before: Bool = false) {
        guard let line = try? message.decode(Line.self) else { return print("-- something that is no line of chat") }
        print("\(before ? "(earlier) " : "")\(line.from): \(line.text)")
    }
}

/// `example-chatroom [NAME] [--service pusher|pubnub|nexconn] [--port 6001] [--once]`
struct Arguments {
    var name = "guest"
    var service = "pusher"
    var port = 6001
    /// Says one line, waits for it to come back, and ends.
    var isOnce = false

    init() {
        var rest = CommandLine.arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--service": service = rest.popFirst() ?? service
            case "--port": port = rest.popFirst().flatMap { Int($0) } ?? port
            case "--once": isOnce = true
            default: name = argument
            }
        }
    }
}

extension AsyncStream<String> {
    static func once(_ text: String) -> AsyncStream<String> {
        AsyncStream { continuation in
            continuation.yield(text)
            continuation.finish()
        }
    }

    /// What is typed, until an empty line. On a thread of its own, since reading blocks.
    static var typed: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine(), !line.isEmpty { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
