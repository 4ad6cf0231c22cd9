import ChatProtocol
import HTTPTransport
import WireCoding

/// The chat server's API for an application's own server: tokens, users, groups, messages and bans.
///
/// A value without a connection: each call is one signed `POST /v4/…`. Any task may make any call at any time. Calls without a separate
/// function are made with ``call(_:json:)``; `docs/chat-protocol.md` lists all calls.
///
/// ## Which calls are repeated
///
/// Calls that only read are repeated after a lost connection, a timeout and the statuses 429 and 500 or more. Sending a message with a
/// client id to one receiver is repeated too, because the server recognises the repetition. All other calls are repeated only when the
/// failure occurred before any byte was sent; ``PusherBackend`` explains why.
public struct ChatBackend: Sendable {
    let key: ChatKey
    /// The secrets with which a webhook may be signed: the present one and the previous one.
    let secrets: [String]
    let address: BackendAddress
    let caller: BackendCaller
    let unixMilliseconds: @Sendable () -> Int

    /// Makes a backend for one application.
    ///
    /// - Parameters:
    ///   - key: the application's key with its secret.
    ///   - previousSecret: the previous secret while the secret is being replaced; webhooks may still be signed with it. Nil for none.
    ///   - address: the address of the server.
    ///   - options: the options of calls.
    /// - Throws: `badRequest` when the key or the secret is empty.
    public init(
        key: ChatKey, previousSecret: String? = nil, address: BackendAddress, options: BackendOptions = BackendOptions()
    ) throws(BackendError) {
        try self.init(
            key: key, previousSecret: previousSecret, address: address, caller: BackendCaller(options),
            unixMilliseconds: BackendClock.unixMilliseconds)
    }

    init(
        key: ChatKey, previousSecret: String? = nil, address: BackendAddress, caller: BackendCaller,
        unixMilliseconds: @escaping @Sendable () -> Int
    ) throws(BackendError) {
        guard !key.key.isEmpty, !key.secret.isEmpty else {
            throw .badRequest("The application's key or secret is empty. Pass both.")
        }
        self.key = key
        secrets = [key.secret] + [previousSecret].compactMap { $0 }
        self.address = address
        self.caller = caller
        self.unixMilliseconds = unixMilliseconds
    }

    /// Makes any call of the chat's server API.
    ///
    /// - Parameters:
    ///   - path: the path after `/v4/`, such as `open-channel/create`.
    ///   - json: the body: a JSON object.
    /// - Throws: the error of the call.
    /// - Returns: the `result` of the answer, as a JSON object.
    public func call(_ path: String, json: String) async throws(BackendError) -> String {
        guard let body = try? JSONValue(parsing: json), body.object != nil else {
            throw .badRequest("The body of call \(path) is not a JSON object.")
        }
        return try await result(path, body: body, repetition: .beforeSending).text
    }

    func result(
        _ path: String, body: JSONValue, repetition: BackendCaller.Repetition
    ) async throws(BackendError) -> JSONText {
        let bytes = Array(body.text.utf8)
        let answer = try await caller.json(repetition) {
            ChatRequests(key: key, address: address, unixMilliseconds: unixMilliseconds).call(path, bytes)
        }
        return answer["result"] ?? .init(checked: "{}")
    }
}

/// The contents of one webhook request of the chat server.
public struct ChatWebhook: Hashable, Sendable {
    /// The type of the request's events, such as `message:send`.
    public var type: String
    /// The id of the request's batch of events. It stays the same when the server sends the batch again.
    public var id: String
    /// The events, each a JSON object as text.
    public var events: [String]
}

// Webhooks. Rule BK-6.
extension ChatBackend {
    /// Reads a webhook request, after its signature has been verified.
    ///
    /// The signature covers the headers and not the body: accept webhooks over TLS only.
    ///
    /// - Parameters:
    ///   - body: the bytes of the body.
    ///   - maximumAge: how much the request's time may differ from this machine's time; nil for no limit.
    ///   - header: returns the value of a request header by its name, regardless of case; called on the calling thread only.
    /// - Throws: `signatureInvalid` for a wrong signature or an old request, `badRequest` for a signed body that is not a webhook.
    public func webhook(
        body: [UInt8], maximumAge: Duration? = .seconds(300), header: (String) -> String?
    ) throws(BackendError) -> ChatWebhook {
        guard let given = header("App-Key"), let nonce = header("Nonce"), let timestamp = header("Timestamp"),
            let signature = header("Signature")
        else { throw BackendError(.signatureInvalid, "The webhook lacks the header App-Key, Nonce, Timestamp or Signature.") }
        let isKnown = ConstantTime.areEqual(given, key.key)
        let isRight = ConstantTime.anyIsRight(secrets) {
            ChatServerSignature.isValid(signature, secret: $0, nonce: nonce, timestamp: timestamp)
        }
        guard isKnown, isRight, let time = Int(timestamp) else {
            throw BackendError(.signatureInvalid, "The webhook's signature does not match the application's key and secrets.")
        }
        let (difference, overflow) = time.subtractingReportingOverflow(unixMilliseconds())
        if let maximumAge, overflow || Duration.milliseconds(difference.magnitude) > maximumAge {
            throw BackendError(.signatureInvalid, "The webhook's time differs from this machine's by more than maximumAge.")
        }
        guard let json = try? JSONText(bytes: body), let type = json["type"]?.string, let id = json["id"]?.string,
            let data = json["data"]?.elements
        else { throw .badRequest("The webhook's body is not a JSON object with type, id and data.") }
        return ChatWebhook(type: type, id: id, events: data.map(\.text))
    }
}
