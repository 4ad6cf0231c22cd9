import ClientRuntime
import ConnectionEngine
import HTTPTransport
import Identifiers
import PubNubProtocol
import WireCoding

/// Makes all requests to PubNub except the subscription's. Needs no connection.
struct PubNubCaller: Sendable {
    let host: ServiceHost
    let settings: PubNubSettings
    let cipher: PubNubCipher?
    let http: any HTTPSending
    let limit: Duration
    /// The Unix time in seconds, used only for signatures.
    let unixSeconds: @Sendable () -> Int
    let now: @Sendable () -> Moment
    /// The source of tokens; nil for a client that uses the token in its settings.
    let tokens: TokenSource<String>?
    private let clock = ClockOffset()

    init(
        host: ServiceHost, settings: PubNubSettings, cipher: PubNubCipher?, http: any HTTPSending, limit: Duration,
        unixSeconds: @escaping @Sendable () -> Int, now: @escaping @Sendable () -> Moment,
        tokens: TokenSource<String>? = nil
    ) {
        self.host = host
        self.settings = settings
        self.cipher = cipher
        self.http = http
        self.limit = limit
        self.unixSeconds = unixSeconds
        self.now = now
        self.tokens = tokens
    }

    /// Makes a request that does not belong to the subscription. Throws a `LifelineError`.
    func ask<Call: PubNubCall>(_ call: Call) async throws(LifelineError) -> Call.Answer {
        do throws(PubNubProblem) { return try await perform(call) } catch { throw LifelineError(error) }
    }

    /// Makes a request that does not belong to the subscription. Throws the complete `PubNubProblem`.
    func answer<Call: PubNubCall>(to call: Call) async throws(PubNubProblem) -> Call.Answer { try await perform(call) }

    /// Makes a request and returns its decoded answer.
    private func perform<Call: PubNubCall>(_ call: Call) async throws(PubNubProblem) -> Call.Answer {
        try await perform(call, call.request(settings))
    }

    private func perform<Call: PubNubCall>(
        _ call: Call, _ request: PubNubRequest
    ) async throws(PubNubProblem) -> Call.Answer {
        guard let tokens else { return try await perform(call, as: request, with: settings) }
        var (settings, used) = (settings, 0)
        do throws(ConnectionFailure) {
            (settings.auth, used) = try await tokens.value()
        } catch {
            // No token could be obtained, so the call was not sent and may be repeated (rule LL-13).
            var failure = error
            failure.precedesSending = true
            throw PubNubProblem(failure)
        }
        let refusal: PubNubProblem
        do throws(PubNubProblem) {
            return try await perform(call, as: request, with: settings)
        } catch {
            guard [401, 403].contains(error.failure.httpStatus) else { throw error }
            refusal = error
        }
        // The refused request had no effect, so it is repeated once with another token (rule LL-82).
        tokens.refuse(LifelineError(refusal), number: used)
        let number: Int
        do throws(ConnectionFailure) { (settings.auth, number) = try await tokens.value() } catch { throw refusal }
        guard number != used else { throw refusal }
        return try await perform(call, as: request, with: settings)
    }

    private func perform<Call: PubNubCall>(
        _ call: Call, as request: PubNubRequest, with settings: PubNubSettings
    ) async throws(PubNubProblem) -> Call.Answer {
        let headers = request.body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")]
        func signed(at seconds: Int?) -> HTTPCall {
            HTTPCall(
                method: request.method, url: host.url(target: request.target(settings, timestamp: seconds)), headers: headers,
                body: request.body)
        }
        let answer: HTTPCallAnswer
        do throws(ConnectionFailure) {
            if settings.secretKey == nil {
                answer = try await http.send(signed(at: nil), timeout: limit)
            } else {
                answer = try await clock.send(by: http, timeout: limit, unixSeconds: unixSeconds) { signed(at: $0) }
            }
        } catch {
            throw PubNubProblem(error)
        }
        let head = HTTPAnswerHead(
            status: answer.status, contentType: answer.first("Content-Type"), retryAfter: answer.failure?.retryAfter)
        if let problem = answer.body.withUnsafeBytes({ PubNubProblem(head, body: $0) }) { throw problem }
        return try call.answer(answer.body)
    }

    /// Publishes in the body of a POST, because proxies do not repeat POST requests (rule LL-15).
    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        var message = JSONText(checked: publication.json)
        if let cipher {
            do throws(PubNubCipherError) {
                message = JSONText(checked: try cipher.encrypt(message: publication.json))
            } catch {
                throw LifelineError(.unencodable, "The message could not be encrypted. \(error)")
            }
        }
        let call = PubNubPublishCall(
            channel: publication.channel, message: message, isStored: publication.options.isStored,
            customType: publication.event == Message.defaultEvent ? nil : publication.event, usesPost: true)
        let request: PubNubRequest
        do throws(PubNubProblem) {
            request = try call.request(settings)
        } catch {
            throw LifelineError(error)
        }
        do throws(PubNubProblem) {
            return .accepted(id: try await perform(call, request).timetoken.description)
        } catch {
            return Self.outcome(of: error)
        }
    }

    /// The outcome of a failed publish. A refusal by the service gives `refused`. A 5xx answer, or an answer in another format, may come
    /// from an intermediary, so the outcome is `unknown`.
    static func outcome(of problem: PubNubProblem) -> PublishOutcome {
        switch problem.failure.httpStatus {
        case nil: PublishOutcome(ofRequest: problem.failure)
        case (200..<300)? where problem.category == .malformedResponse: .unknown(LifelineError(problem))
        case (500..<600)?: .unknown(LifelineError(problem))
        default: .refused(LifelineError(problem))
        }
    }

    /// Loads one page of the history with one request (rule LL-20).
    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage {
        var call = PubNubFetchCall(channels: [channel], includesCustomType: true)
        call.limit = min(request.limit, call.maximumLimit)
        if let before = request.before {
            guard let start = Timetoken(before) else { throw .notAnID }
            call.start = start
        }
        let stored: [PubNubStoredMessage]
        do throws(PubNubProblem) {
            stored = try await perform(call)[channel]
        } catch {
            throw LifelineError(error)
        }
        var page = HistoryPage(messages: [])
        // `older` stays nil when the page is not full, because it is then the last page. `older` also stays nil when the oldest message has
        // no timetoken, because the next request would need the timetoken.
        if stored.count >= call.limit ?? 1 { page.older = stored.first?.timetoken?.description }
        let receivedAt = now()
        for message in stored {
            do throws(PubNubCipherError) {
                page.messages.append(
                    Message(
                        channel: channel, event: PubNubNews.event(message.customType, message.kind),
                        text: try PubNubNews.opened(message.payload.text, message.kind, with: cipher),
                        id: message.timetoken?.description, user: message.publisher, publishedAt: message.timetoken?.date,
                        receivedAt: receivedAt))
            } catch {
                page.failures.append(.init(id: message.timetoken?.description, error: .undecryptable(error)))
                page.places.append(page.messages.count)
            }
        }
        return page
    }

    /// Sets the user's state on a channel, and returns the state as the service has accepted it.
    func setState(_ json: String, of channel: String) async throws(LifelineError) -> JSONText {
        try await ask(
            PubNubSetStateCall(channels: [channel], userID: settings.userID, state: JSONText(checked: json)))
    }

    /// How many requests one here-now query may make; each returns at most 1,000 users of a channel.
    private static let mostPages = 10

    func members(of channel: String) async throws(LifelineError) -> [Member] {
        try await present(in: channel).first { $0.name.isExactly(channel) }?.members ?? []
    }

    /// The users on each channel of a room: on the room's channel, or on the channels of its group. At most ``mostPages`` pages are
    /// requested.
    func present(in room: String) async throws(LifelineError) -> [GroupRoster.Channel] {
        let group = PubNubGroupRoom.group(of: room)
        var names: [Identifier] = []
        var members: [Identifier: [Member]] = [:]
        do throws(PubNubProblem) {
            for page in 0..<Self.mostPages {
                let call = PubNubHereNowCall(
                    channels: group == nil ? [room] : [], groups: group.map { [$0] } ?? [],
                    limit: PubNubHereNowCall.maximumLimit, offset: page == 0 ? nil : page * PubNubHereNowCall.maximumLimit)
                var hasMore = false
                for channel in try await perform(call).channels {
                    let (name, users) = (Identifier(channel.name), channel.users ?? [])
                    let known = members[name] ?? []
                    if members[name] == nil { names.append(name) }
                    members[name] = known + users.map { Member(id: $0.id, info: $0.state?.text) }
                    let isFull = users.count >= PubNubHereNowCall.maximumLimit
                    if isFull, known.count + users.count < channel.occupancy { hasMore = true }
                }
                guard hasMore else { break }
            }
        } catch {
            throw LifelineError(error)
        }
        return names.map { GroupRoster.Channel(name: $0.text, members: members[$0] ?? []) }
    }
}
