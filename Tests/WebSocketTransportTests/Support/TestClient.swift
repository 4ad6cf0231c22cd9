import ConnectionEngine
import EngineRuntime
import NIOCore
import NIOPosix
import SocketTestSupport
import TransportCommon
import WebSocketFraming

@testable import WebSocketTransport

/// What a connection brought, as a test can compare it.
enum Arrival: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
    case pong([UInt8])
}

struct ArrivalDecoder: WebSocketDecoder {
    func text(_ bytes: UnsafeRawBufferPointer) -> Arrival? {
        bytes.isEmpty ? nil : .text(String(decoding: bytes, as: UTF8.self))
    }
    func binary(_ bytes: UnsafeRawBufferPointer) -> Arrival? { .binary(Array(bytes)) }
    func pong(_ payload: UnsafeRawBufferPointer) -> Arrival? { .pong(Array(payload)) }
}

/// The least session that a transport can carry.
struct ArrivalSession: WebSocketSession {
    typealias Decoder = ArrivalDecoder
    typealias Inbound = Arrival
    typealias Outbound = WebSocketOutbound
    typealias Endpoint = WebSocketEndpoint

    static func endpoint(for memory: Int) -> WebSocketEndpoint { WebSocketEndpoint(host: "", port: 0, usesTLS: false) }
    init(memory: inout Int) {}
    mutating func opened(memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func received(_ inbound: Arrival, memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func perform(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    static func performOffline(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    typealias Memory = Int
    typealias Command = Int
    typealias Reply = Int
    typealias Event = Int
    typealias Job = Int
    typealias JobResult = Int
}

/// One dial of a transport of its own, with everything that it reports.
final class TestClient: Sendable {
    let transport: WebSocketTransport<ArrivalSession>
    let events = Inbox<TransportEvent<Arrival>>()
    let attempt = AttemptID(1)

    init(
        _ configuration: WebSocketTransportConfiguration = WebSocketTransportConfiguration(),
        lookUp: SystemResolver.LookUp? = nil
    ) {
        // Network.framework looks names up by itself.
        let group: any EventLoopGroup =
            lookUp == nil ? ClientEventLoops.group(proxy: configuration.proxy) : MultiThreadedEventLoopGroup.singleton
        transport = WebSocketTransport(
            decoder: { ArrivalDecoder() }, configuration: configuration, group: group,
            lookUp: lookUp ?? SystemResolver.lookUp)
    }

    func open(_ endpoint: WebSocketEndpoint) {
        transport.open(endpoint, attempt: attempt) { [events] in events.put($0) }
    }

    func send(_ outbound: WebSocketOutbound) { transport.send(outbound, attempt: attempt) }
    func close(_ reason: CloseReason) { transport.close(attempt, reason: reason) }

    struct Unexpected: Error { var event: String }

    /// Returns once the transport holds no attempt any more, which is a moment after its last word; false when that takes too long.
    func holdsNothing() async -> Bool {
        let limit = ContinuousClock.now + .seconds(60)
        while transport.openAttempts > 0 {
            if ContinuousClock.now > limit { return false }
            await Task.yield()
        }
        return true
    }

    func opened() async throws {
        let event = try await events.next()
        guard case .opened = event else { throw Unexpected(event: "\(event)") }
    }

    /// The next values for the session; signs of life in between are skipped.
    func received() async throws -> [Arrival] {
        while true {
            switch try await events.next() {
            case .received(let arrivals): return arrivals
            case .heard: continue
            case let other: throw Unexpected(event: "\(other)")
            }
        }
    }

    /// The failure that ends the attempt; what comes before is skipped.
    func closed() async throws -> ConnectionFailure {
        while true { if case .closed(let failure) = try await events.next() { return failure } }
    }
}
