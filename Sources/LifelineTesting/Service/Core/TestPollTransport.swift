import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers

/// Connects a long-poll session to a test service with requests in memory. The session's own decoder decodes the answers.
final class TestPollTransport<Session: LongPollSession>: ClientTransport {
    typealias Report = @Sendable (TransportEvent<Session.Inbound>) -> Void

    private struct Attempt {
        let endpoint: HTTPEndpoint
        let report: Report
        var decoder: Session.Decoder
        /// The number that the test service has given the poll in progress; nil without a poll.
        var poll: UInt64?
        /// The unanswered requests: for the number that the session uses, the number that the test service has given the request.
        var requests: [UInt64: UInt64] = [:]
    }

    private let core: ServiceCore
    private let decoder: @Sendable () -> Session.Decoder
    private let attempts = NIOLockedValueBox<[AttemptID: Attempt]>([:])

    init(core: ServiceCore, decoder: @escaping @Sendable () -> Session.Decoder) {
        self.core = core
        self.decoder = decoder
    }

    deinit {
        for attempt in attempts.withLockedValue({ Array($0.values) }) { for id in attempt.requests.values { core.cancel(id) } }
    }

    func open(_ endpoint: HTTPEndpoint, attempt: AttemptID, report: @escaping Report) {
        core.work.note("a client has begun to connect")
        attempts.withLockedValue { $0[attempt] = Attempt(endpoint: endpoint, report: report, decoder: decoder()) }
        core.change { $0.outbox.append { report(.opened) } }
    }

    func send(_ outbound: LongPollOutbound, attempt: AttemptID) {
        switch outbound {
        case .poll(let exchange), .renewPoll(let exchange):
            cancelPoll(attempt)
            send(exchange, isPoll: true, attempt)
        case .cancelPoll: cancelPoll(attempt)
        case .call(let exchange): send(exchange, isPoll: false, attempt)
        }
    }

    func close(_ attempt: AttemptID, reason: CloseReason) {
        guard let ended = attempts.withLockedValue({ $0.removeValue(forKey: attempt) }) else { return }
        for id in ended.requests.values { core.cancel(id) }
        if reason == .goodbye { core.change { $0.outbox.append { ended.report(.closed(.goodbye)) } } }
    }

    private func cancelPoll(_ attempt: AttemptID) {
        let poll = attempts.withLockedValue { attempts in
            defer { attempts[attempt]?.poll = nil }
            return attempts[attempt]?.poll
        }
        if let poll { core.cancel(poll) }
    }

    private func send(_ exchange: HTTPExchange, isPoll: Bool, _ attempt: AttemptID) {
        guard let endpoint = attempts.withLockedValue({ $0[attempt]?.endpoint }) else { return }
        let request = HTTPCall(
            method: exchange.method, url: "http://\(endpoint.host)\(exchange.target)",
            headers: exchange.headers.map { HTTPField($0.name, $0.value) }, body: exchange.body)
        let id = core.send(request, timeout: exchange.timeout) { [weak self] result in
            self?.finish(exchange.id, result, isPoll: isPoll, attempt)
        }
        let isOpen = core.read { $0.requests[id] != nil }
        attempts.withLockedValue { attempts in
            if isOpen { attempts[attempt]?.requests[exchange.id] = id }
            if isPoll { attempts[attempt]?.poll = id }
        }
    }

    private func finish(
        _ id: UInt64, _ result: Result<HTTPCallAnswer, ConnectionFailure>, isPoll: Bool, _ attempt: AttemptID
    ) {
        let told = attempts.withLockedValue { attempts -> (Report, Session.Inbound)? in
            guard var found = attempts[attempt] else { return nil }
            let answer = result.map { answer in
                let retryAfter = answer.headers.first { $0.name == "Retry-After" }.flatMap { Int($0.value) }
                let head = HTTPAnswerHead(
                    status: answer.status, contentType: answer.headers.first { $0.name == "Content-Type" }?.value,
                    retryAfter: retryAfter.map { .seconds($0) })
                return answer.body.withUnsafeBytes { found.decoder.decode(head, body: $0, isPoll: isPoll) }
            }
            found.requests[id] = nil
            attempts[attempt] = found
            return (found.report, LongPollInbound(id: id, result: answer))
        }
        if let (report, inbound) = told { report(.received([inbound])) }
    }
}
