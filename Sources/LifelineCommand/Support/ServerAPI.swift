import ConnectionEngine
import Foundation
import HTTPTransport
import Lifeline
import LifelineBackend
import PubNubProtocol
import PusherProtocol
import TransportCommon
import WireCoding

/// Makes signed calls of a server's HTTP API, as an application's own server does.
struct ServerAPI: Sendable {
    let credentials: ServerCredentials
    let address: ServiceAddress
    let trustRoots: TrustRoots
    let proxy: HTTPProxy?
    private let caller: HTTPCaller
    private let limit: Duration
    let unixMilliseconds: @Sendable () -> Int

    /// The largest accepted answer in bytes: 32 MiB, because an answer may list many channels.
    private static let longestAnswer = 32 << 20

    init(
        _ options: ServerAccessOptions, for service: ServiceKind, connections: Int = 8,
        unixMilliseconds: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970 * 1000) }
    ) throws(CommandFailure) {
        if let ca = options.ca, !FileManager.default.isReadableFile(atPath: ca) {
            throw CommandFailure("--ca \(ca) cannot be read. Name a PEM file with certificates.", .usage)
        }
        credentials = try options.credentials(for: service)
        let url = try options.address()
        address = try ServiceAddress(url)
        if service == .pubnub, address.path != nil {
            throw CommandFailure("--url \(url): PubNub is not below a path.", .usage)
        }
        trustRoots = options.ca.map { .file($0) } ?? .system
        proxy = try options.proxy.map { text throws(CommandFailure) in try DoctorTarget.readProxy(text) }
        caller = HTTPCaller(
            trustRoots: trustRoots, proxy: proxy, bodyLimit: Self.longestAnswer,
            connectionsPerHost: connections)
        limit = .seconds(options.timeout)
        self.unixMilliseconds = unixMilliseconds
    }

    /// Calls Pusher's HTTP API with a signed request.
    ///
    /// - Parameter path: relative to the app's path, percent-encoded.
    func pusher(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) async throws(ConnectionFailure) -> HTTPCallAnswer {
        try await caller.send(pusherCall(method, path, parameters: parameters, body: body), timeout: limit)
    }

    func pusherCall(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) -> HTTPCall {
        let key = PusherKey(credentials.key, secret: credentials.secret.revealed)
        return PusherRequests(appID: credentials.appID, key: key, address: backend, unixMilliseconds: unixMilliseconds)
            .call(method, path, parameters: parameters, body: body)
    }

    /// Calls PubNub's HTTP API with a request that is signed with the secret key.
    func pubnub(_ request: PubNubRequest) async throws(ConnectionFailure) -> HTTPCallAnswer {
        try await caller.send(pubnubCall(request), timeout: limit)
    }

    func pubnubCall(_ request: PubNubRequest, isSigned: Bool = true) -> HTTPCall {
        let host = address.host
        let settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: host.name, port: host.port, usesTLS: host.tls), publishKey: credentials.publishKey,
            subscribeKey: credentials.key, secretKey: isSigned ? credentials.secret.revealed : nil, userID: "lifeline",
            sdk: "Lifeline/\(PackageVersion.current)")
        return PubNubRequests(settings, address: backend, unixMilliseconds: unixMilliseconds).call(request)
    }

    /// Calls the server API of chat with a signed request.
    ///
    /// - Parameter path: the path after `/v4/`.
    func chat(_ path: String, _ body: JSONValue) async throws(ConnectionFailure) -> HTTPCallAnswer {
        let key = ChatKey(credentials.key, secret: credentials.secret.revealed)
        let call = ChatRequests(key: key, address: backend, unixMilliseconds: unixMilliseconds).call(path, Array(body.text.utf8))
        return try await caller.send(call, timeout: limit)
    }

    /// Starts any call and returns at once, for callers that make many calls at the same time.
    ///
    /// - Parameter completion: called once, on a thread of the runtime. Must not block.
    func start(_ call: HTTPCall, completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void) {
        _ = caller.send(call, timeout: limit, completion: completion)
    }

    private var backend: BackendAddress {
        BackendAddress(address.host.name, port: address.host.port, tls: address.host.tls, path: address.path ?? "")
    }
}

/// Parses answers as JSON, and makes errors with advice from failed calls.
extension ServerAPI {
    /// The body of the answer as JSON. Throws for an answer that is not a success.
    static func json(
        _ call: () async throws(ConnectionFailure) -> HTTPCallAnswer
    ) async throws(CommandFailure) -> JSONText {
        let answer: HTTPCallAnswer
        do throws(ConnectionFailure) {
            answer = try await call()
        } catch {
            throw CommandFailure(error.reason)
        }
        guard answer.isSuccess else { throw refusal(answer) }
        guard let json = try? JSONText(bytes: answer.body), json.kind == .object else {
            throw CommandFailure(
                "The server's answer is not a JSON object, so a program other than the service listens at this address. Check --url."
            )
        }
        return json
    }

    static func refusal(_ answer: HTTPCallAnswer) -> CommandFailure {
        let json = try? JSONText(bytes: answer.body)
        let own = json?["errorMessage"]?.string ?? json?["error"]?["message"]?.string ?? json?["message"]?.string
        let words = (own ?? String(decoding: answer.body.prefix(200), as: UTF8.self)).prefix(200).printable.trimmingSpaces
        let said = words.isEmpty ? "." : ": \(words)\(words.hasSuffix(".") ? "" : ".")"
        let advice =
            switch answer.status {
            case 401, 403: " Check the key, the id and the secret, and the clock of this machine."
            case 404: " Check the address, and the app's id and key."
            case 429: " The server limits the rate of calls: wait a moment, then try again."
            default: ""
            }
        return CommandFailure("The server refused the call with status \(answer.status)\(said)\(advice)")
    }
}
