import ConnectionEngine
import HTTPTransport
import NexconnProtocol
import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The calls of an application's own server: signed calls of the server API.
struct NexconnDemoBackend: Sendable {
    let port: Int
    private let caller = HTTPCaller()

    init(port: Int) {
        self.port = port
    }

    func token(for user: String) async throws -> String {
        let answer = try await call(
            "auth/access-token/issue", ["userId": .string(user), "name": .string(user), "avatarUrl": .string("")])
        guard let token = answer["result"]?["accessToken"]?.string else {
            throw ConnectionFailure(.malformedResponse, "The server issued no token.")
        }
        return token
    }

    /// Invalidates all tokens of a user that were issued before now.
    func expireTokens(of user: String) async throws {
        _ = try await call(
            "auth/access-token/expire",
            ["userIds": .array([.string(user)]), "expiresAt": .number(JSONNumber(Self.milliseconds))])
    }

    func ban(_ user: String) async throws {
        _ = try await call(
            "user/ban", ["userIds": .array([.string(user)]), "durationMinutes": .number(JSONNumber(1))])
    }

    private func call(_ path: String, _ members: KeyValuePairs<String, JSONValue>) async throws -> JSONValue {
        let stamp = String(Self.milliseconds)
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        let signature = NexconnServerSignature.sign(secret: "app-secret", nonce: nonce, timestamp: stamp)
        let body = JSONValue.object(.init(uniqueKeysWithValues: members.map { ($0.key, $0.value) }))
        let answer = try await caller.send(
            HTTPCall(
                method: "POST", url: "http://127.0.0.1:\(port)/v4/\(path)",
                headers: [
                    .init("Content-Type", "application/json"), .init("App-Key", "app-key"), .init("Nonce", nonce),
                    .init("Timestamp", stamp), .init("Signature", signature),
                ], body: Array(body.text.utf8)), timeout: .seconds(5))
        if let failure = answer.failure { throw failure }
        return try JSONValue(parsing: answer.body)
    }

    /// Milliseconds since 1970.
    private static var milliseconds: Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
    }
}
