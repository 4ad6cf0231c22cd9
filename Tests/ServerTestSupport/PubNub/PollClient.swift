import Identifiers
import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// A client of PubNub's API on one connection, for tests: sends targets as they are and reads whole answers.
final class PollClient {
    struct Reply: Hashable, Sendable {
        var status: Int
        var head: String
        var body: String

        private var json: JSONText? { try? JSONText(body) }
        var cursor: String { json?["t"]?["t"]?.string ?? "" }
        var region: Int { json?["t"]?["r"]?.integer ?? 0 }
        /// Whether the answer says that messages may be missing before it.
        var followsGap: Bool { json?["t"]?["d"]?.text == "true" }
        var messages: [JSONText] { json?["m"]?.elements ?? [] }
        /// The payloads, as JSON text.
        var payloads: [String] { messages.compactMap { $0["d"]?.text } }
        /// The body without spaces.
        var packed: String { body.filter { $0 != " " } }
        /// The token of an acknowledgement.
        var token: String { json?.elements?.last?.identifier ?? "" }
    }

    let socket: RawSocket
    private var unread = ""

    private init(_ socket: RawSocket) {
        self.socket = socket
    }

    static func connect(_ server: LifelineServer) async throws -> PollClient {
        try await connect(port: server.port)
    }

    static func connect(port: Int) async throws -> PollClient {
        PollClient(try await RawSocket.connect(port: port))
    }

    func send(_ target: String, _ fields: String = "") async throws {
        try await socket.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    }

    func post(_ target: String, _ body: ByteBuffer, _ fields: String = "") async throws -> Reply {
        try await send("POST", target, body, fields)
        return try await reply()
    }

    func patch(_ target: String, _ body: ByteBuffer, _ fields: String = "") async throws -> Reply {
        try await send("PATCH", target, body, fields)
        return try await reply()
    }

    func send(_ method: String, _ target: String, _ body: ByteBuffer, _ fields: String = "") async throws {
        var bytes = ByteBuffer(
            string: "\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.readableBytes)\r\n\(fields)\r\n")
        bytes.writeImmutableBuffer(body)
        try await socket.send(bytes)
    }

    func delete(_ target: String) async throws -> Reply {
        try await socket.send("DELETE \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        return try await reply()
    }

    func get(_ target: String) async throws -> Reply {
        try await send(target)
        return try await reply()
    }

    /// The next answer, complete.
    func reply(within limit: TimeAmount = .seconds(60)) async throws -> Reply {
        while true {
            if let end = unread.firstRange(of: "\r\n\r\n") {
                let head = String(unread[..<end.lowerBound])
                let length = Int(head.value(of: "content-length") ?? "") ?? 0
                let rest = unread[end.upperBound...]
                if rest.utf8.count >= length {
                    let bodyEnd = rest.utf8.index(rest.startIndex, offsetBy: length)
                    let body = String(rest[..<bodyEnd])
                    unread = String(rest[bodyEnd...])
                    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                    return Reply(status: status, head: head, body: body)
                }
            }
            let bytes = try #require(try await socket.next(within: limit), "The connection ended.")
            unread += String(buffer: bytes)
        }
    }

    /// Whether nothing comes for a while.
    func isSilent(for limit: TimeAmount = .milliseconds(150)) async -> Bool {
        guard unread.isEmpty else { return false }
        do {
            guard let bytes = try await socket.next(within: limit) else { return false }
            unread += String(buffer: bytes)
            return false
        } catch {
            return true
        }
    }

    /// Shakes hands and returns the cursor.
    func handshake(_ channels: String, _ query: String = "") async throws -> String {
        try await get("/v2/subscribe/demo/\(channels)/0?tt=0&uuid=u\(query)").cursor
    }

    /// Publishes and returns the token.
    @discardableResult
    func publish(_ payload: String, to channel: String, _ query: String = "") async throws -> String {
        let reply = try await get("/publish/demo/demo/0/\(channel)/0/\(PercentEncoding.encode(payload))?uuid=p\(query)")
        try #require(reply.status == 200, "\(reply.body)")
        return reply.token
    }
}

extension String {
    /// A header field of a head.
    fileprivate func value(of name: String) -> String? {
        for line in split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return parts[1].drop { $0 == " " }.description }
        }
        return nil
    }
}

extension LifelineServer {
    func changeGroup(_ group: Identifier, adding channels: [Identifier]) async throws {
        let application = try #require(self.services.pubnub.application(subscribeKey: "demo"))
        _ = try await application.changeGroup { try $0.add(channels, to: group) }
    }

    /// Waits until so many polls are held.
    func holds(_ count: Int) async throws { try await services.pubnub.holds(count) }
}

extension PubNubService {
    /// Waits until so many polls are held. Asks the event loops, since statistics lag behind.
    func holds(_ count: Int) async throws {
        var found = -1
        // A poll that is held answers nothing, so that there is nothing to wait for; ten seconds at most.
        for _ in 0..<2000 {
            found = 0
            for loop in context.loops {
                found += try await loop.eventLoop.submit {
                    self.mailboxes[loop.number].part.polls.values.reduce(0) { $0 + $1.counts.held }
                }.get()
            }
            if found == count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("\(found) polls are held instead of \(count).")
    }
}
