import AsyncHTTPClient
import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage

/// Without subscription counts, so that tests see only what they ask for.
let quietApplication: Application = {
    var application = Application.development
    application.announcesSubscriptionCounts = false
    return application
}()

/// Runs `body` with a server on a free port and stops it, whatever happens.
func withServer(
    _ application: Application = quietApplication, _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (LifelineServer) async throws -> Void
) async throws {
    var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
    configuration.applications = InMemoryApplicationRegistry([application])
    change(&configuration)
    let server = try await LifelineServer.start(configuration)
    do {
        try await body(server)
        try await server.stop()
    } catch {
        try await server.stop()
        throw error
    }
}

struct Answer: Hashable, Sendable {
    var status: Int
    var body: String
}

/// The target of a signed request.
func signed(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = "", key: String = "app-key",
    secret: String = "app-secret", timestamp: Int = ServerClock.system.unixSeconds()
) -> String {
    let parameters = PusherRequestSignature.signed(
        method: method, path: path, parameters: query, body: Array(body.utf8), key: key, secret: secret, timestamp: timestamp)
    return path + "?" + parameters.map { $0.name + "=" + $0.value }.joined(separator: "&")
}

extension Answer {
    /// The answer to a request.
    static func of(_ method: String, _ url: String, body: String = "") async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 1 << 20)
        return Answer(status: Int(response.status.code), body: String(buffer: bytes))
    }
}

extension LifelineServer {
    /// A request as it is, unsigned.
    func request(_ method: String, _ target: String, body: String = "") async throws -> Answer {
        try await Answer.of(method, url + target, body: body)
    }

    /// The target of a signed request.
    func signedTarget(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [], body: String = "",
        key: String = "app-key", secret: String = "app-secret", timestamp: Int = ServerClock.system.unixSeconds()
    ) -> String {
        signed(method, path, query: query, body: body, key: key, secret: secret, timestamp: timestamp)
    }

    func get(_ path: String, query: [(name: String, value: String)] = []) async throws -> Answer {
        try await request("GET", signedTarget("GET", path, query: query))
    }

    func post(_ path: String, _ body: String) async throws -> Answer {
        try await request("POST", signedTarget("POST", path, body: body), body: body)
    }
}

extension String {
    func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
