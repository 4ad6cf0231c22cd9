import ChatAppModel
import Foundation
import Lifeline

/// The chat app in a terminal: `example-chatapp [NAME] [--service pusher|pubnub|nexconn] [--port 6001] [--once]`.
@main
struct ChatTerminal {
    @MainActor
    static func main() async throws {
        let arguments = Arguments()
        let model = ChatModel(
            arguments.service, name: arguments.name, channel: arguments.channel,
            options: ClientOptions(timing: arguments.isOnce ? .fast : .standard))
        let screen = Screen()
        let (states, continuation) = AsyncStream.makeStream(of: ChatState.self)
        model.onChange = { state in
            screen.show(state)
            continuation.yield(state)
        }
        try await model.start()
        if arguments.isOnce {
            let line = Line(from: arguments.name, text: "hello from \(arguments.name)")
            await model.send(line.text)
            // The program ends when its own line has come back.
            for await state in states where state.rows.contains(where: { $0.content == .line(line) }) { break }
        } else {
            for await text in typed { await model.send(text) }
        }
        await model.stop()
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

/// Prints what has changed.
@MainActor
final class Screen {
    private var last = ChatState()
    private var lastRow = 0

    func show(_ state: ChatState) {
        if state.banner != last.banner, let text = state.banner.text { say("-- \(text)") }
        if state.present != last.present { say("-- here: \(state.present.joined(separator: ", "))") }
        for row in state.rows where row.id > lastRow {
            switch row.content {
            case .line(let line): say("\(line.from): \(line.text)")
            case .gap: say("-- lines may be missing here")
            case .unreadable: say("-- something that is no line of chat")
            }
            lastRow = row.id
        }
        for line in state.outbox where !last.outbox.contains(line) {
            switch line.state {
            case .refused(let reason): say("-- not sent: \(line.text) (\(reason))")
            case .unknown: say("-- perhaps sent: \(line.text)")
            case .sending, .accepted: continue
            }
        }
        last = state
    }

    private func say(_ line: String) { print(line) }
}

struct Arguments {
    var name = "guest"
    var serviceName = "pubnub"
    var port = 6001
    var isOnce = false

    init() {
        var rest = CommandLine.arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--service": serviceName = rest.popFirst() ?? serviceName
            case "--port": port = rest.popFirst().flatMap { Int($0) } ?? port
            case "--once": isOnce = true
            default: name = argument
            }
        }
    }

    /// All that differs between the services is said here.
    var service: Service {
        let host = ServiceHost("127.0.0.1", port: port, tls: false)
        return switch serviceName {
        case "pusher": .pusher(key: "app-key", host: host, access: .secret("app-secret", appID: "1001"), user: Member(id: name))
        case "nexconn": .nexconn(appKey: "app-key", host: host, access: .secret("app-secret", user: name))
        default: .pubnub(publishKey: "demo", subscribeKey: "demo", userID: name, host: host)
        }
    }

    /// Pusher shows who is there on presence channels only.
    var channel: String { serviceName == "pusher" ? "presence-chatapp" : "chatapp" }
}
