import ChatProtocol
import Identifiers
import NIOHTTP1
import ServerRuntime
import WireCoding

/// Handles calls of the server API of chat: signed calls of the application's own server (rules NA-1 to NA-6).
struct ChatAPI: Sendable {
    let backend: any ChatStateBackend
    /// The server (node) whose metrics count the messages that calls send; nil if no server counts them.
    let node: (any ChatNode)?
    /// The SHA-256 of the token to issue, in a cluster: the node that received the call makes the token and adds it to the answer (rule
    /// CC-33). Nil if this process makes the token itself.
    var tokenHash: Identifier?

    /// The size limit of a body in bytes. It is four times the configured limit, because a message's content is escaped in the body.
    static func maximumBody(_ configured: Int) -> Int { configured > .max / 4 ? configured : 4 * configured }

    /// - Parameter reply: called once, on any thread.
    func answer(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPAnswer) -> Void) {
        let requestID = Self.requestID(request.headers)
        let send: @Sendable (Result<JSONValue, ChatAPIProblem>) -> Void = { result in
            var answer = Self.answer(result)
            if let requestID { answer.fields.append(("x-request-id", requestID)) }
            reply(answer)
        }
        do throws(ChatAPIProblem) {
            guard let route = ChatAPIRoute(request.target.segments) else { throw .unknownPath }
            guard request.method == "POST" else { throw .wrongMethod }
            let application = try authenticated(request.headers)
            if !route.countsReceivers { try application.spend(.calls(route), named: "calls of this address") }
            let call = ChatAPICall(
                application: application, fields: try ChatAPIFields(request.body), answer: send, node: node,
                tokenHash: tokenHash)
            // The call is performed outside of the event loop, because sending a message to a thousand receivers would block the event
            // loop.
            Task {
                do {
                    try call.perform(route)
                } catch {
                    send(.failure(ChatAPIProblem(error)))
                }
            }
        } catch {
            send(.failure(error))
        }
    }

    // MARK: Authentication

    /// The application that a call names. Checks that the call is signed with the application's secret, recent and not a repetition (rules
    /// NA-1 and NA-2).
    private func authenticated(_ headers: HTTPHeaders) throws(ChatAPIProblem) -> ServedChatApplication {
        let key = try Self.header("App-Key", in: headers, rule: "the application's key")
        guard let application = backend.application(key: Identifier(key)) else { throw .unknownApplication }
        let nonce = try Self.header("Nonce", in: headers, rule: "1 to 128 characters at random")
        let timestamp = try Self.header("Timestamp", in: headers, rule: "milliseconds since 1970")
        let signature = try Self.header("Signature", in: headers, rule: "40 hexadecimal digits")
        guard timestamp.utf8.count <= 16, let time = Int64(timestamp), time >= 0 else {
            throw .header("Timestamp", rule: "milliseconds since 1970")
        }
        let now = application.now
        guard abs(now - time) <= ChatAPIReplays.tolerance else { throw .staleTimestamp }
        let isSigned = ConstantTime.anyIsRight(application.settings.validSecrets) { secret in
            ChatServerSignature.isValid(signature, secret: secret.revealed, nonce: nonce, timestamp: timestamp)
        }
        guard isSigned else { throw .wrongSignature }
        if application.refusal != nil { throw .disabledApplication }
        guard !application.gate.mayPrecede(age: now - time, at: application.clock.monotonic()) else { throw .signedBeforeStart }
        guard application.gate.admit(signature: signature.lowercased(), timestamp: time, at: now) else { throw .replayed }
        return application
    }

    private static func header(_ name: String, in headers: HTTPHeaders, rule: String) throws(ChatAPIProblem) -> String {
        let values = headers[name]
        guard values.count == 1, let value = values.first, (1...128).contains(value.utf8.count) else {
            throw .header(name, rule: rule)
        }
        return value
    }

    /// The `X-Request-ID` of a call, which the answer repeats; nil unless it has 1 to 128 visible characters.
    private static func requestID(_ headers: HTTPHeaders) -> String? {
        guard let id = headers.first(name: "X-Request-ID"), (1...128).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return id
    }

    private static func answer(_ result: Result<JSONValue, ChatAPIProblem>) -> HTTPAnswer {
        switch result {
        case .failure(let problem): return HTTPAnswer(problem)
        case .success(let value):
            var body = Array(#"{"code":0,"result":"#.utf8)
            value.append(to: &body)
            body.append(UInt8(ascii: "}"))
            return HTTPAnswer(.json, body)
        }
    }
}

extension ServedChatApplication {
    /// Counts `count` uses of a quota of the server API. Throws an error with the waiting time when the quota is used up; `what` names the
    /// quota in the error's text.
    func spend(_ quota: ServerAPIRateLimiter.Quota, _ count: Int = 1, named what: String) throws(ChatAPIProblem) {
        let wait = gate.spend(
            count, of: quota, callsPerSecond: settings.limits.callsPerSecond, at: clock.monotonic())
        if let wait { throw .tooMany(what, retryAfter: wait) }
    }
}

/// An authenticated call.
struct ChatAPICall: Sendable {
    let application: ServedChatApplication
    let fields: ChatAPIFields
    /// Sends the answer of the call. Call it once.
    let answer: @Sendable (Result<JSONValue, ChatAPIProblem>) -> Void
    /// The server (node) whose metrics count the messages that the call sends; nil if no server counts them.
    var node: (any ChatNode)?
    /// See ``ChatAPI/tokenHash``.
    var tokenHash: Identifier?

    /// Makes a change of the state, and answers once the change is durable.
    func change(_ decide: (inout ChatState, inout ChatChange) throws -> JSONValue) {
        let answer = answer
        application.change(
            decide,
            completion: { (result: Result<JSONValue, ChatRequestRefusal>) in answer(result.mapError { ChatAPIProblem($0) }) })
    }

    /// Answers a call with values of the application's current state, without a change.
    func read(_ body: (ChatState) throws -> JSONValue) throws {
        answer(.success(try application.read(body)))
    }

    /// Performs a request of the client protocol on behalf of a user, with the rights of the application's server.
    func perform(
        _ request: ChatRequest, as user: Identifier = "",
        _ result: @escaping @Sendable (ChatResult) -> JSONValue = { _ in .nothing }
    ) {
        let answer = answer
        application.perform(request, by: .server(user: user)) { outcome in
            answer(outcome.map(result).mapError { ChatAPIProblem($0) })
        }
    }

    /// The page size that a call requests; `fallback` if the call names none.
    func page(_ range: ClosedRange<Int> = 1...100, fallback: Int = 50) throws(ChatAPIProblem) -> Int {
        try fields.optionalWhole("pageSize", range) ?? fallback
    }
}

extension JSONValue {
    /// The result of a call that returns no data.
    static let nothing: JSONValue = [:]

    /// Returns the object with one more member; unchanged if `value` is nil.
    func with(_ key: String, _ value: JSONValue?) -> JSONValue {
        guard let value, case .object(var members) = self else { return self }
        members[key] = value
        return .object(members)
    }

    static func whole(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(Int(clamping: value))) }
    static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map { .string($0) }) }
    static func ids(_ values: some Sequence<Identifier>) -> JSONValue { .array(values.map { .string($0.text) }) }
    static func id(_ value: Identifier) -> JSONValue { .string(value.text) }
    static func pairs(_ pairs: [String: String]) -> JSONValue {
        .object(.init(uniqueKeysWithValues: pairs.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }
}
