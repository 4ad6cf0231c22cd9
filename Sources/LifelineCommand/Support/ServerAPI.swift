import ConnectionEngine
import Foundation
import HTTPTransport
import Lifeline
import NexconnProtocol
import PubNubProtocol
import PusherProtocol
import TransportCommon
import WireCoding

/// Signed calls of a server's HTTP API, as an application's own server makes them.
struct ServerAPI: Sendable {
    let credentials: ServerCredentials
    let address: ServiceAddress
    let trustRoots: TrustRoots
    let proxy: HTTPProxy?
    private let caller: HTTPCaller
    private let limit: Duration
    let unixMilliseconds: @Sendable () -> Int

    /// An answer may list many channels.
    private static let longestAnswer = 32 << 20

    init(
        _ options: ServerAccessOptions, for service: ServiceName, connections: Int = 8,
        unixMilliseconds: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970 * 1000) }
    ) throws(CommandFailure) {
        if let ca = options.ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        credentials = try options.credentials(for: service)
        address = try ServiceAddress(options.url)
        if service == .pubnub, address.path != nil {
            throw CommandFailure("--url \(options.url): PubNub is not below a path.", .usage)
        }
        trustRoots = options.ca.map { .file($0) } ?? .system
        proxy = try options.proxy.map { text throws(CommandFailure) in try DoctorTarget.readProxy(text) }
        caller = HTTPCaller(
            trustRoots: trustRoots, proxy: proxy, bodyLimit: Self.longestAnswer,
            connectionsPerHost: connections)
        limit = .seconds(options.timeout)
        self.unixMilliseconds = unixMilliseconds
    }

    /// Pusher's HTTP API.
    ///
    /// - Parameter path: below the app's own, percent-encoded.
    func pusher(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) async throws(ConnectionFailure) -> HTTPAnswer {
        try await caller.send(pusherCall(method, path, parameters: parameters, body: body), timeout: limit)
    }

    func pusherCall(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) -> HTTPCall {
        let path = "/apps/\(PercentEncoding.encode(credentials.appID))/\(path)"
        let query = PusherRequestSignature.signed(
            method: method, path: path, parameters: parameters, body: body, key: credentials.key,
            secret: credentials.secret.revealed, timestamp: unixMilliseconds() / 1000)
        let text = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return HTTPCall(
            method: method, url: "\(base)\(path)?\(text)",
            headers: body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: body)
    }

    /// PubNub's API, signed with the secret key.
    func pubnub(_ request: PubNubRequest) async throws(ConnectionFailure) -> HTTPAnswer {
        try await caller.send(pubnubCall(request), timeout: limit)
    }

    func pubnubCall(_ request: PubNubRequest, isSigned: Bool = true) -> HTTPCall {
        let host = address.host
        let settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: host.name, port: host.port, usesTLS: host.tls), publishKey: credentials.publishKey,
            subscribeKey: credentials.key, secretKey: isSigned ? credentials.secret.revealed : nil, userID: "lifeline",
            sdk: "Lifeline/\(PackageVersion.current)")
        return HTTPCall(
            method: request.method, url: base + request.target(settings, timestamp: unixMilliseconds() / 1000),
            headers: request.body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: request.body)
    }

    /// The chat's server API.
    ///
    /// - Parameter path: behind `/v4/`.
    func chat(_ path: String, _ body: JSONValue) async throws(ConnectionFailure) -> HTTPAnswer {
        let timestamp = String(unixMilliseconds())
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        let signature = NexconnServerSignature.sign(
            secret: credentials.secret.revealed, nonce: nonce, timestamp: timestamp)
        let call = HTTPCall(
            method: "POST", url: "\(base)/v4/\(path)",
            headers: [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", credentials.key), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", timestamp), HTTPField("Signature", signature),
            ], body: Array(body.text.utf8))
        return try await caller.send(call, timeout: limit)
    }

    /// Makes any call and returns at once; for callers that make many.
    ///
    /// - Parameter completion: called once, on a thread of the runtime. Must not block.
    func start(_ call: HTTPCall, completion: @escaping @Sendable (Result<HTTPAnswer, ConnectionFailure>) -> Void) {
        _ = caller.send(call, timeout: limit, completion: completion)
    }

    private var base: String {
        let host = address.host
        let name = host.name.contains(":") ? "[\(host.name)]" : host.name
        let path = (address.path ?? "").split(separator: "/").map { "/\($0)" }.joined()
        return "\(host.tls ? "https" : "http")://\(name):\(host.port)\(path)"
    }
}

/// Answers as JSON, and failures in words that say what to do.
extension ServerAPI {
    /// The answer's body when it says success.
    static func json(
        _ call: () async throws(ConnectionFailure) -> HTTPAnswer
    ) async throws(CommandFailure) -> JSONText {
        let answer: HTTPAnswer
        do throws(ConnectionFailure) {
            answer = try await call()
        } catch {
            throw CommandFailure(error.reason)
        }
        guard answer.isSuccess else { throw refusal(answer) }
        guard let json = try? JSONText(bytes: answer.body), json.kind == .object else {
            throw CommandFailure("The answer is no JSON object: something else than the service answers at this address.")
        }
        return json
    }

    static func refusal(_ answer: HTTPAnswer) -> CommandFailure {
        let json = try? JSONText(bytes: answer.body)
        let own = json?["errorMessage"]?.string ?? json?["error"]?["message"]?.string ?? json?["message"]?.string
        let words = (own ?? String(decoding: answer.body.prefix(200), as: UTF8.self)).prefix(200).printable.trimmingSpaces
        let said = words.isEmpty ? "." : ": \(words)\(words.hasSuffix(".") ? "" : ".")"
        let advice =
            switch answer.status {
            case 401, 403: " Check the key, the id and the secret, and this machine's clock."
            case 404: " Check the address, and the app's id and key."
            case 429: " Wait a moment, then try again."
            default: ""
            }
        return CommandFailure("The server refused the call with status \(answer.status)\(said)\(advice)")
    }
}
