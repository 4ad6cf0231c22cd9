import ChatServer
import PubNubServer
import PusherServer
import ServerConsole
import ServerRuntime
import WireCoding

// The actions of an admin, performed through the applications' APIs, with their limits.
extension ServerConsoleSource {
    private static func text(_ body: JSONValue, _ name: String, upTo limit: Int = 1_024) throws(HTTPProblem) -> String {
        guard let text = body[name]?.string, !text.isEmpty, text.utf8.count <= limit else {
            throw HTTPProblem(400, "\(name) is a text of 1 to \(limit) bytes.")
        }
        return text
    }

    func publish(_ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        let channel = try Self.text(body, "channel")
        let data = body["data"]?.string ?? ""
        switch body["service"]?.string {
        case "pusher":
            let application = try pusherApplication(body["app"]?.string)
            let call: JSONValue = [
                "name": .string(try Self.text(body, "event")), "channels": [.string(channel)], "data": .string(data),
            ]
            _ = try await services.pusher.ask("POST", ["events"], body: Array(call.text.utf8), of: application)
            return ["told": "The event was published."]
        case "pubnub":
            // Data that are not JSON are sent as a string.
            let message = (try? JSONText(data))?.text ?? JSONWriter.string(data)
            do {
                let token = try await services.pubnub.publish(
                    subscribeKey: body["app"]?.string ?? "", channel: channel, message: message, metadata: nil, user: "console")
                return ["told": .string("The message was published, with the timetoken \(token).")]
            } catch {
                switch error {
                case .unknownKeyset: throw .unknownApplication
                case .invalid(let reason): throw HTTPProblem(400, reason)
                case .notStored: throw HTTPProblem(503, "The store could not keep the message, and it was not published.")
                }
            }
        case "chat": return try await send(body, to: channel, data)
        default: throw Self.unknownService
        }
    }

    private func send(_ body: JSONValue, to channel: String, _ data: String) async throws(HTTPProblem) -> JSONValue {
        let application = try chatApplication(body["app"]?.string)
        let (path, receivers): (String, String)
        switch body["kind"]?.string ?? "open" {
        case "open": (path, receivers) = ("open-channel/message/send", "toChannelIds")
        case "group": (path, receivers) = ("group-channel/message/send", "toGroupIds")
        case "direct": (path, receivers) = ("direct-channel/message/send", "toUserIds")
        default: throw HTTPProblem(400, "kind is open, group or direct.")
        }
        // A plain text becomes the content of a text message; a JSON object is the content itself.
        let isObject = (try? JSONText(data))?.kind == .object
        let content = isObject ? data : JSONValue(dictionaryLiteral: ("content", .string(data))).text
        let call: JSONValue = .object([
            "fromUserId": .string(try Self.text(body, "user", upTo: 64)), receivers: [.string(channel)],
            "messageType": .string(body["event"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? "RC:TxtMsg"),
            "content": .string(content),
        ])
        _ = try await services.chat.ask(path, call, of: application)
        return ["told": "The message was sent."]
    }

    func terminate(_ body: JSONValue) async throws(HTTPProblem) -> JSONValue {
        let user = try Self.text(body, "user")
        switch body["service"]?.string {
        case "pusher":
            let application = try pusherApplication(body["app"]?.string)
            _ = try await services.pusher.ask("POST", ["users", user, "terminate_connections"], of: application)
            return ["told": "The user's connections are being ended, on all servers."]
        case "chat":
            let application = try chatApplication(body["app"]?.string)
            let count = try await services.chat.endSessions(of: user, in: application)
            return ["told": .string(count == 1 ? "The user's session was ended." : "\(count) sessions of the user were ended.")]
        default: throw HTTPProblem(400, "service is pusher or chat: polls of PubNub have no sessions to end.")
        }
    }
}
