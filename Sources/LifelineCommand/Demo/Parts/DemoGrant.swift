import ConnectionEngine
import HTTPTransport
import PubNubProtocol
import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Grants a right with a signed request, as an app's own server does (access manager, version 2).
enum DemoGrant {
    /// Permits the holder of an auth key to read and write a channel for an hour.
    static func allow(authKey: String, channel: String, subscribeKey: String, secretKey: String, port: Int) async throws {
        let settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: "127.0.0.1", port: port, usesTLS: false), publishKey: "demo", subscribeKey: subscribeKey,
            secretKey: secretKey, userID: "backend", sdk: "Lifeline-Demo")
        let request = PubNubRequest(
            path: ["v2", "auth", "grant", "sub-key", PercentEncoding.encode(subscribeKey)],
            parameters: [
                .init("auth", authKey), .init("channel", channel), .init("r", "1"), .init("w", "1"), .init("ttl", "60"),
            ])
        let target = request.target(settings, timestamp: Int(time(nil)))
        let answer = try await HTTPCaller().send(
            HTTPCall(url: "http://127.0.0.1:\(port)\(target)"), timeout: .seconds(5))
        if let failure = answer.failure { throw failure }
    }
}
