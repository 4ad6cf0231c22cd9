import ChatProtocol
import ClientRuntime
import ConnectionEngine
import HTTPTransport
import WireCoding

/// Gets the access token for a connection attempt, in the way that the client's ``NexconnAccess`` specifies.
struct ChatTokenIssuer: Sendable {
    let settings: ChatAdapterSettings
    let http: any HTTPSending
    /// How long the server may take to answer the token request. The time limit of the connection attempt applies in addition.
    let limit: Duration
    /// The Unix time in seconds, used only for the request's signature.
    let unixSeconds: @Sendable () -> Int
    private let clock = ClockOffset()

    init(
        settings: ChatAdapterSettings, http: any HTTPSending, limit: Duration, unixSeconds: @escaping @Sendable () -> Int
    ) {
        self.settings = settings
        self.http = http
        self.limit = limit
        self.unixSeconds = unixSeconds
    }

    /// The token with which the session is made: the configured token, or an empty one until a token has been requested.
    var initialToken: String {
        if case .token(let token) = settings.access.kind { token } else { "" }
    }

    /// Whether a token is requested for each connection attempt; false for a configured token.
    var isNeeded: Bool {
        if case .token = settings.access.kind { false } else { true }
    }

    func token() async throws(ConnectionFailure) -> String {
        switch settings.access.kind {
        case .token(let token): return token
        case .secret(let credentials):
            let answer = try await clock.send(by: http, timeout: limit, unixSeconds: unixSeconds) { seconds in
                request(for: credentials, at: seconds)
            }
            return try Self.token(in: answer)
        case .provider(let provider):
            do {
                return try await provider()
            } catch let error as LifelineError where error.code == .accessDenied {
                // The app's refusal gets the category with which the service refuses a token. With a provider, this category ends the
                // connection attempts.
                throw ConnectionFailure(.credentialsRejected, error.reason)
            } catch {
                throw TokenProvider.failure(of: error)
            }
        // With `tokens`, the client normally gets its tokens from a `TokenSource`, which renews them. This case gets only a first token.
        case .tokens(let provider): return try await provider.token(TokenRequest(.first)).text
        }
    }

    /// The server API request `auth/access-token/issue`, signed with the application's secret (rule NP-21).
    private func request(for credentials: ChatCredentials, at seconds: Int) -> HTTPCall {
        let nonce = ChatAdapterSettings.randomID()
        // The timestamp is the last millisecond of the second. A server refuses calls that were signed before its start (rule NA-8), and
        // the beginning of the second could be earlier than the start of a server that was started in this second.
        let timestamp = "\(seconds)999"
        let signature = ChatServerSignature.sign(secret: credentials.secret, nonce: nonce, timestamp: timestamp)
        let body: JSONValue = ["userId": .string(credentials.user), "name": .string(credentials.name)]
        return HTTPCall(
            method: "POST", url: settings.host.url(target: (settings.path ?? "") + "/v4/auth/access-token/issue"),
            headers: [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", settings.appKey), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", timestamp), HTTPField("Signature", signature),
            ], body: Array(body.text.utf8))
    }

    /// The token in the server's answer, or the failure. Refusals by the server itself are final, because they concern the request and its
    /// signature. They do not have the category `credentialsRejected`, which would request another token (rule LL-61).
    ///
    /// Answers of an intermediary, such as a captive portal, are not final.
    static func token(in answer: HTTPCallAnswer) throws(ConnectionFailure) -> String {
        let json = try? JSONText(bytes: answer.body)
        if answer.isSuccess, let token = json?["result"]?["accessToken"]?.string { return token }
        let code = json?["code"]?.integer.map { ChatErrorCode($0) }
        // The server's own text is preferred, because it describes this request; the text for a code is the same for all requests.
        let own = ["errorMessage", "message"].lazy.compactMap { json?[$0]?.string }.first { !$0.isEmpty }
        let words = own.map { " It says: \($0.prefix(300))" } ?? code.map { " \($0.sentence)" } ?? ""
        var failure =
            answer.failure
            ?? ConnectionFailure(
                .malformedResponse,
                answer.isWebPage ? HTTPCallAnswer.webPageReason : "The server's answer to the token request has no token.",
                origin: .server,
                httpStatus: answer.status)
        switch answer.status {
        case 200..<400, 407, 408, 511: break
        case 401, 403:
            failure.category = .refused
            failure.reason =
                "The server issued no token (status \(answer.status)): it does not accept the request's signature. Check the "
                + "application's key and secret, and the clock.\(words)"
            throw failure
        case 429, 500...599: failure.category = .overloaded
        default: failure.category = .refused
        }
        if !answer.isSuccess { failure.reason = "The server issued no token (status \(answer.status)).\(words)" }
        throw failure
    }
}
