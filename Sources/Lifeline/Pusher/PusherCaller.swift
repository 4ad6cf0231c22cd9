import ClientRuntime
import ConnectionEngine
import HTTPTransport
import PusherProtocol
import WireCoding

/// Publishes and queries over the HTTP API, signed with the app's secret. Needs no connection. Rules LL-13 and LL-25.
struct PusherCaller: Sendable {
    let settings: PusherSettings
    let credentials: PusherCredentials
    let http: any HTTPSending
    let limit: Duration
    /// The Unix time in seconds, used only for the signature.
    let unixSeconds: @Sendable () -> Int
    private let clock = ClockOffset()

    init(
        settings: PusherSettings, credentials: PusherCredentials, http: any HTTPSending, limit: Duration,
        unixSeconds: @escaping @Sendable () -> Int
    ) {
        self.settings = settings
        self.credentials = credentials
        self.http = http
        self.limit = limit
        self.unixSeconds = unixSeconds
    }

    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        let body = try body(of: publication)
        do throws(ConnectionFailure) {
            return Self.outcome(of: try await send("POST", "events", body: body))
        } catch {
            return PublishOutcome(ofRequest: error)
        }
    }

    /// The signed request.
    func request(for publication: Publication) throws(LifelineError) -> HTTPCall {
        signed("POST", "events", body: try body(of: publication), at: clock.seconds(at: unixSeconds()))
    }

    /// The body of a publish request. The data is encrypted for an encrypted channel.
    private func body(of publication: Publication) throws(LifelineError) -> [UInt8] {
        var data = publication.json
        if PusherChannelKind(of: publication.channel).access == .encrypted {
            var generator = SystemRandomNumberGenerator()
            guard let secret = credentials.sharedSecret(of: publication.channel),
                let sealed = try? PusherEncryption.encrypt(
                    data, sharedSecret: secret, nonce: PusherEncryption.randomNonce(using: &generator))
            else {
                throw LifelineError(
                    .badRequest,
                    "Channel \(publication.channel) is encrypted: pass a master key of 32 bytes in base64 as "
                        + "`encryptionMasterKey`.")
            }
            data = sealed
        }
        let body: JSONValue = [
            "name": .string(publication.event), "channels": [.string(publication.channel)], "data": .string(data),
        ]
        return Array(body.text.utf8)
    }

    /// Sends a signed request. If the server refuses this machine's time, repeats the request with the server's time (rule LL-60).
    private func send(_ method: String, _ path: String, body: [UInt8] = []) async throws(ConnectionFailure) -> HTTPCallAnswer {
        try await clock.send(by: http, timeout: limit, unixSeconds: unixSeconds) { seconds in
            signed(method, path, body: body, at: seconds)
        }
    }

    /// Makes a request and its signature.
    ///
    /// - Parameter path: relative to the app's path, without characters that need percent-encoding.
    private func signed(_ method: String, _ path: String, body: [UInt8], at seconds: Int) -> HTTPCall {
        let path = "/apps/\(PercentEncoding.encode(credentials.appID))/\(path)"
        let query = PusherRequestSignature.signed(
            method: method, path: path, body: body, key: settings.key, secret: credentials.secret, timestamp: seconds)
        let parameters = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        // The API's path prefix is sent but not signed, because servers remove it before they verify the signature (rule SR-23).
        return HTTPCall(
            method: method, url: settings.api.url(target: "\(settings.apiPrefix)\(path)?\(parameters)"),
            headers: body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: body)
    }

    /// The outcome of a publish request. A 2xx answer is success (Pusher documentation, HTTP API). A 5xx answer or a web page may come from
    /// an intermediary, so the outcome is `unknown`.
    static func outcome(of answer: HTTPCallAnswer) -> PublishOutcome {
        switch answer.status {
        case 200...299 where answer.isWebPage:
            return .unknown(
                LifelineError(
                    .init(.malformedResponse), HTTPCallAnswer.webPageReason, number: answer.status))
        case 200...299:
            return .accepted(id: nil)
        case 500...599:
            return .unknown(
                LifelineError(
                    .init(.unknown), "The service answered with status \(answer.status); the message may have been published.",
                    number: answer.status))
        default:
            return .refused(refusal(of: "message", answer))
        }
    }

    /// The longest accepted answer in bytes: enough for 10,000 members with ids of 100 characters.
    static let longestAnswer = 1 << 20

    /// Requests the members of a presence channel, without their data (Pusher documentation, HTTP API, GET users).
    func members(of channel: PusherChannelName) async throws(LifelineError) -> [Member] {
        let answer: HTTPCallAnswer
        do throws(ConnectionFailure) {
            // The name is not encoded, because the characters that a channel name may have need no percent-encoding in a path.
            answer = try await send("GET", "channels/\(channel.name)/users")
        } catch {
            throw LifelineError(error)
        }
        guard answer.isSuccess else {
            if (500...599).contains(answer.status), let failure = answer.failure { throw LifelineError(failure) }
            throw Self.refusal(of: "question who is on channel \(channel.name)", answer)
        }
        guard let users = (try? JSONText(bytes: answer.body))?["users"]?.elements else {
            throw LifelineError(
                .init(.malformedResponse), "The service's answer is not a JSON object whose field users is a list.")
        }
        return users.compactMap { user in user["id"].flatMap { $0.string ?? $0.text }.map { Member(id: $0) } }
    }

    /// Makes the error for a refused request. It contains at most 200 bytes of the service's text, on one line.
    private static func refusal(of question: String, _ answer: HTTPCallAnswer) -> LifelineError {
        let words = String(decoding: answer.body.prefix(200), as: UTF8.self)
            .split(whereSeparator: { $0.isWhitespace || ($0.asciiValue ?? 0x20) < 0x20 }).joined(separator: " ")
        let code: LifelineError.Code =
            switch answer.status {
            case 401, 403: .accessDenied
            case 429: .init(.overloaded)
            default: .badRequest
            }
        var error = LifelineError(
            code, "The service refused the \(question) with status \(answer.status): \(words)", number: answer.status)
        error.retryAfter = answer.failure?.retryAfter
        return error
    }
}

extension HTTPCallAnswer {
    /// Whether the answer is a web page, such as the sign-in page of a captive portal. A service's answer is JSON, which never begins with
    /// `<`.
    var isWebPage: Bool {
        let type = first("Content-Type")?.lowercased() ?? ""
        return type.hasPrefix("text/html") || body.first == UInt8(ascii: "<")
    }

    static let webPageReason = "The answer is a web page and not from the service: the network may require a sign-in first."
}
