import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import WebSocketFraming
import WebSocketTransport

/// Plays the cases of a suite's server with the transport of the client SDKs.
struct EchoClient {
    enum Failure: Error {
        /// The suite did not say how many cases there are.
        case noCount
        case refused(ConnectionFailure)
    }

    private let transport: WebSocketTransport<EchoSession>
    private let port: Int

    init(port: Int) {
        self.port = port
        var configuration = WebSocketTransportConfiguration()
        configuration.limits = ConformanceEcho.limits
        transport = WebSocketTransport(decoder: { EchoDecoder() }, configuration: configuration)
    }

    func caseCount() async throws -> Int {
        let messages = try await connect("/getCaseCount", attempt: 0, echoes: false)
        guard case .text(let text)? = messages.first, let count = Int(text), count > 0 else { throw Failure.noCount }
        return count
    }

    func play(_ number: Int) async throws {
        _ = try await connect("/runCase?case=\(number)&agent=lifeline", attempt: UInt64(number), echoes: true)
    }

    func finish() async throws {
        _ = try await connect("/updateReports?agent=lifeline", attempt: 1 << 32, echoes: false)
    }

    /// Connects, and returns the first message when the connection has ended.
    private func connect(_ target: String, attempt: UInt64, echoes: Bool) async throws -> [WebSocketOutbound] {
        let id = AttemptID(attempt)
        let first = NIOLockedValueBox<[WebSocketOutbound]>([])
        let isOpen = NIOLockedValueBox(false)
        let endpoint = WebSocketEndpoint(host: "127.0.0.1", port: port, usesTLS: false, target: target)
        let failure = await withCheckedContinuation { done in
            transport.open(endpoint, attempt: id) { [transport] event in
                switch event {
                case .opened: isOpen.withLockedValue { $0 = true }
                case .received(let messages):
                    first.withLockedValue { if $0.isEmpty { $0 = Array(messages.prefix(1)) } }
                    if echoes { for message in messages { transport.send(message, attempt: id) } }
                case .heard: break
                // The last word of an attempt, which comes once.
                case .closed(let failure): done.resume(returning: failure)
                }
            }
        }
        guard isOpen.withLockedValue({ $0 }) else { throw Failure.refused(failure) }
        return first.withLockedValue { $0 }
    }
}

/// Messages as they would be sent back.
private struct EchoDecoder: WebSocketDecoder {
    func text(_ bytes: UnsafeRawBufferPointer) -> WebSocketOutbound? { .text(String(decoding: bytes, as: UTF8.self)) }
    func binary(_ bytes: UnsafeRawBufferPointer) -> WebSocketOutbound? { .binary(Array(bytes)) }
    func pong(_ payload: UnsafeRawBufferPointer) -> WebSocketOutbound? { nil }
}

/// The least session that a transport can carry; no engine runs it.
private struct EchoSession: WebSocketSession {
    typealias Decoder = EchoDecoder
    typealias Inbound = WebSocketOutbound
    typealias Outbound = WebSocketOutbound
    typealias Endpoint = WebSocketEndpoint
    typealias Memory = Int
    typealias Command = Int
    typealias Reply = Int
    typealias Event = Int
    typealias Job = Int
    typealias JobResult = Int

    static func endpoint(for memory: Int) -> WebSocketEndpoint { WebSocketEndpoint(host: "", port: 0, usesTLS: false) }
    init(memory: inout Int) {}
    mutating func opened(memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func received(_ inbound: WebSocketOutbound, memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func perform(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    static func performOffline(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
}
