import ChatProtocol
import PusherProtocol
import ServerRuntime
import ServerStorage
import ServerValues
import WireCoding

@testable import ChatServer
@testable import PusherServer

/// What clients of Pusher and of chat send to the server: frames and bodies of HTTP requests.
enum ServerTargets {
    static let all = [
        FuzzTarget(name: "pusher-server", run: pusher), FuzzTarget(name: "pusher-rest", run: rest),
        FuzzTarget(name: "chat-server", run: chat), FuzzTarget(name: "chat-rest", run: chatREST),
    ]

    private static let application = Application(
        id: "1", key: "key", secret: "secret", allowsClientEvents: true, announcesSubscriptionCounts: true)

    /// Frames of one connection, one a line.
    @Sendable private static func pusher(_ input: FuzzInput) {
        var input = input
        var front = PusherFront(socketID: SocketID(high: 1, low: 2))
        var parser = PusherEnvelopeParser()
        for (index, line) in input.lines(upTo: 64).enumerated() where JSONBytes.firstInvalidUTF8(line.bytes) == nil {
            let now = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000)
            _ = front.receive(line.bytes, parser: &parser, application: application, at: now)
        }
        _ = front.leaveAll()
    }

    /// The query of a request in the first line, its body behind.
    @Sendable private static func rest(_ input: FuzzInput) {
        var input = input
        guard let target = try? RequestTarget(parsing: "/apps/1/events?" + input.line().text) else { return }
        let request = RESTRequest(method: "POST", target: target, body: input.array)
        _ = try? PublishRequest(parsing: request, limits: application.limits)
        _ = try? PublishRequest(parsing: request, to: "channel", limits: application.limits)
        _ = try? PublishRequest.batch(parsing: input.array, limits: application.limits)
        _ = request.repeatsParameters
        _ = try? PusherRequestSignature.check(
            method: "POST", path: "/apps/1/events", parameters: target.parameters.map { ($0.name, $0.value) }, body: input.array,
            key: "key", secret: "secret", now: 1_763_710_000)
    }

    /// Frames of one session, one a line.
    @Sendable private static func chat(_ input: FuzzInput) {
        var input = input
        var parser = ChatClientFrameParser()
        for line in input.lines(upTo: 64) where JSONBytes.firstInvalidUTF8(line.bytes) == nil {
            guard let frame = try? parser.parse(line.bytes) else { continue }
            let written = ChatClientFrames.bytes(frame)
            let again = try? written.withUnsafeBytes { bytes in try parser.parse(bytes) }
            require(again == frame, "The frame is not read as it is written: \(String(decoding: written, as: UTF8.self))")
        }
    }

    /// The body of a call of the chat server's HTTP API.
    @Sendable private static func chatREST(_ input: FuzzInput) {
        guard let fields = try? ChatAPIFields(input.array) else { return }
        for name in ["userId", "a", "messageId", "content", "time", "users"] {
            _ = try? fields.optionalText(name)
            _ = try? fields.optionalID(name)
            _ = try? fields.optionalIDs(name, upTo: 100)
            _ = try? fields.texts(name, upTo: 100)
            _ = try? fields.pairs(name)
            _ = try? fields.optionalWhole(name, 0...100)
            _ = try? fields.optionalTime(name)
            _ = try? fields.flag(name, true)
        }
    }
}
