import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore
import TransportCommon
import WebSocketFraming

/// Carries a session over WebSocket: opens connections, upgrades them, reads and writes frames, and reports failures in the engine's
/// categories.
///
/// Any thread may call any method; none blocks. All work of one attempt happens on one event loop of the process.
public final class WebSocketTransport<Session: WebSocketSession>: ClientTransport {
    typealias Attempt = WebSocketAttempt<Session.Decoder>

    private let decoder: @Sendable () -> Session.Decoder
    private let configuration: WebSocketTransportConfiguration
    private let group: any EventLoopGroup
    private let lookUp: SystemResolver.LookUp
    /// The attempts to connect whose socket may still be open, with their connections.
    private let attempts = NIOLockedValueBox<[AttemptID: Attempt]>([:])

    /// Makes a transport.
    ///
    /// - Parameters:
    ///   - decoder: makes a decoder for each attempt.
    ///   - group: the event loops, of NIO's sockets or of NIOTransportServices; those of the process by default (rule SO-103).
    public convenience init(
        decoder: @escaping @Sendable () -> Session.Decoder,
        configuration: WebSocketTransportConfiguration = WebSocketTransportConfiguration(),
        group: (any EventLoopGroup)? = nil
    ) {
        self.init(
            decoder: decoder, configuration: configuration, group: group ?? ClientEventLoops.group(proxy: configuration.proxy),
            lookUp: SystemResolver.lookUp)
    }

    init(
        decoder: @escaping @Sendable () -> Session.Decoder, configuration: WebSocketTransportConfiguration,
        group: any EventLoopGroup, lookUp: @escaping SystemResolver.LookUp
    ) {
        self.decoder = decoder
        self.configuration = configuration
        self.group = group
        self.lookUp = lookUp
    }

    deinit {
        for attempt in attempts.withLockedValue({ Array($0.values) }) { attempt.cut() }
    }

    public func open(
        _ endpoint: WebSocketEndpoint, attempt id: AttemptID,
        report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        let attempt = Attempt(eventLoop: group.next(), report: report)
        // The transport owns the table of attempts. The closure below therefore captures the transport weakly, so that an attempt does not
        // keep the transport alive.
        let replaced = attempts.withLockedValue { $0.updateValue(attempt, forKey: id) }
        replaced?.cut()
        attempt.whenOver { [weak self, weak attempt] in
            self?.attempts.withLockedValue { table in
                if table[id] === attempt { table[id] = nil }
            }
        }
        WebSocketDialer(
            endpoint: endpoint, configuration: configuration, attempt: attempt, decoder: decoder(), lookUp: lookUp
        ).dial()
    }

    public func send(_ outbound: WebSocketOutbound, attempt id: AttemptID) {
        attempts.withLockedValue { $0[id] }?.send(outbound)
    }

    public func close(_ id: AttemptID, reason: CloseReason) {
        let attempt = attempts.withLockedValue { $0[id] }
        switch reason {
        case .abort: attempt?.abort()
        case .goodbye: attempt?.sayGoodbye()
        }
    }

    /// The number of sockets that may be open, including those that wait until the peer closes the connection.
    var openAttempts: Int { attempts.withLockedValue { $0.count } }
}
