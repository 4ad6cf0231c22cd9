import AsyncHTTPClient
import ChatProtocol
import NIOCore
import ServerStorage
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// Calls the server API of a running server.
struct ChatAPIClient: Sendable {
    struct Answer: Hashable, Sendable {
        var status: Int
        var body: JSONValue
        var fields: [String: String]

        var code: Int? { body["code"]?.integer }
        var result: JSONValue { body["result"] ?? .null }
    }

    struct Refused: Error, CustomStringConvertible {
        var description: String
    }

    let server: LifelineServer
    var key = "app-key"
    var secret = "app-secret"

    /// The header fields of a call.
    func headers(nonce: String? = nil, timestamp: Int64? = nil) -> [(String, String)] {
        let nonce = nonce ?? String(UInt64.random(in: .min ... .max))
        let timestamp = String(timestamp ?? server.chat.now)
        let signature = ChatServerSignature.sign(secret: secret, nonce: nonce, timestamp: timestamp)
        return [("App-Key", key), ("Nonce", nonce), ("Timestamp", timestamp), ("Signature", signature)]
    }

    func call(
        _ path: String, _ body: String, headers: [(String, String)]? = nil, method: String = "POST"
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: server.url + "/v4/" + path)
        request.method = .init(rawValue: method)
        request.headers = .init(headers ?? self.headers())
        request.headers.add(name: "Content-Type", value: "application/json")
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 8 << 20)
        let fields = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        return Answer(status: Int(response.status.code), body: try JSONValue(parsing: String(buffer: bytes)), fields: fields)
    }

    /// A call that has to succeed; returns its result.
    @discardableResult
    func done(_ path: String, _ body: JSONValue = [:]) async throws -> JSONValue {
        let answer = try await call(path, body.text)
        guard answer.status == 200, answer.code == 0 else {
            throw Refused(description: "\(path): \(answer.status) \(answer.body.text)")
        }
        return answer.result
    }

    /// A call that has to be refused; returns status and code.
    func refused(_ path: String, _ body: JSONValue = [:]) async throws -> [Int] {
        let answer = try await call(path, body.text)
        guard answer.status >= 400, let text = answer.body["errorMessage"]?.string, !text.isEmpty else {
            throw Refused(description: "\(path) not refused: \(answer.status) \(answer.body.text)")
        }
        return [answer.status, answer.code ?? -1]
    }

    /// Registers a user and connects a device with the token that this gives.
    func device(_ user: String, _ device: String = "d-1") async throws -> ChatTestClient {
        let result = try await done("auth/access-token/issue", ["userId": .string(user), "name": .string(user)])
        return try await ChatTestClient.live(server, token: result["accessToken"]?.string ?? "", device: device)
    }
}

/// Runs `body` with a server and somebody who calls its API.
func withChatAPI(
    _ settings: ChatApplication = .development, _ body: (ChatAPIClient) async throws -> Void
) async throws {
    try await withChatServer(settings) { try await body(ChatAPIClient(server: $0)) }
}

extension JSONValue {
    /// Members of the objects of a list.
    func each(_ name: String) -> [String] { array?.compactMap { $0[name]?.string } ?? [] }
}
