import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import NIOPosix
import SocketTestSupport

/// An answer as a test can compare it.
struct PlainAnswer: Hashable, Sendable {
    var head: HTTPAnswerHead
    var body: String
    var isPoll: Bool
}

struct PlainDecoder: LongPollDecoder {
    func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> PlainAnswer {
        PlainAnswer(head: head, body: String(decoding: body, as: UTF8.self), isPoll: isPoll)
    }
}

/// The least session that a long-poll transport can carry.
struct PlainSession: LongPollSession {
    typealias Decoder = PlainDecoder
    typealias Inbound = LongPollInbound<PlainAnswer>
    typealias Outbound = LongPollOutbound
    typealias Endpoint = HTTPEndpoint

    static func endpoint(for memory: Int) -> HTTPEndpoint { HTTPEndpoint(host: "", port: 0, usesTLS: false) }
    init(memory: inout Int) {}
    mutating func opened(memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func received(_ inbound: Inbound, memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func perform(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    static func performOffline(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    typealias Memory = Int
    typealias Command = Int
    typealias Reply = Int
    typealias Event = Int
    typealias Job = Int
    typealias JobResult = Int
}

/// One attempt of a transport of its own, with everything that it reports.
final class PollClient: Sendable {
    private let held: NIOLockedValueBox<LongPollTransport<PlainSession>?>
    let events = Inbox<TransportEvent<PlainSession.Inbound>>()
    let attempt = AttemptID(1)

    var transport: LongPollTransport<PlainSession>? { held.withLockedValue { $0 } }

    init(_ configuration: LongPollTransportConfiguration = LongPollTransportConfiguration()) {
        held = NIOLockedValueBox(LongPollTransport(decoder: { PlainDecoder() }, configuration: configuration))
    }

    /// Opens an attempt and takes the report that it is open.
    convenience init(
        _ configuration: LongPollTransportConfiguration = LongPollTransportConfiguration(), to endpoint: HTTPEndpoint
    ) async throws {
        self.init(configuration)
        open(endpoint)
        guard case .opened = try await events.next() else { throw Unexpected(event: "not opened") }
    }

    func open(_ endpoint: HTTPEndpoint) {
        transport?.open(endpoint, attempt: attempt) { [events] in events.put($0) }
    }

    func poll(_ id: UInt64 = 1, method: String = "GET", target: String = "/v2/subscribe", timeout: Duration = .seconds(60)) {
        transport?.send(
            .poll(HTTPExchange(id: id, method: method, target: target, timeout: timeout)), attempt: attempt)
    }

    func call(_ id: UInt64 = 2, method: String = "GET", target: String = "/time/0", timeout: Duration = .seconds(60)) {
        transport?.send(
            .call(HTTPExchange(id: id, method: method, target: target, timeout: timeout)), attempt: attempt)
    }

    func send(_ outbound: LongPollOutbound) { transport?.send(outbound, attempt: attempt) }
    func close(_ reason: CloseReason) { transport?.close(attempt, reason: reason) }
    func release() { held.withLockedValue { $0 = nil } }

    struct Unexpected: Error { var event: String }

    /// The next outcome of a request; signs of life in between are skipped.
    func outcome() async throws -> LongPollInbound<PlainAnswer> {
        while true {
            switch try await events.next() {
            case .received(let batch):
                guard batch.count == 1 else { throw Unexpected(event: "\(batch)") }
                return batch[0]
            case .heard: continue
            case let other: throw Unexpected(event: "\(other)")
            }
        }
    }

    /// The next outcome, which has to be an answer.
    func answer() async throws -> PlainAnswer { try await outcome().result.get() }

    /// The next outcome, which has to be a failure.
    func failure() async throws -> ConnectionFailure {
        let outcome = try await outcome()
        guard case .failure(let failure) = outcome.result else { throw Unexpected(event: "\(outcome)") }
        return failure
    }

    /// The failure that ends the attempt.
    func closed() async throws -> ConnectionFailure {
        let event = try await events.next()
        guard case .closed(let failure) = event else { throw Unexpected(event: "\(event)") }
        return failure
    }
}
