import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore
import TransportCommon

/// Carries a session over HTTP long polling: one poll at a time on a connection of its own, and any number of calls on other connections.
///
/// `opened` is reported at once, and the first request opens a connection. The outcome of each request is reported under its number. A
/// failed request does not end the connection: the session decides about that. `closed` is reported only after the session has asked to
/// close.
///
/// Any thread may call any method; none blocks. All work of one transport happens on one event loop of the process.
public final class LongPollTransport<Session: LongPollSession>: ClientTransport {
    private let decoder: @Sendable () -> Session.Decoder
    private let configuration: LongPollTransportConfiguration
    private let eventLoop: any EventLoop
    /// The pools belong to the transport and not to an attempt, so that connections stay open from one attempt to the next.
    private let pools: LongPollPools
    private let attempts = NIOLockedValueBox<[AttemptID: LongPollAttempt]>([:])

    /// Makes a transport.
    ///
    /// - Parameter decoder: makes a decoder for each attempt.
    public init(
        decoder: @escaping @Sendable () -> Session.Decoder,
        configuration: LongPollTransportConfiguration = LongPollTransportConfiguration()
    ) {
        self.decoder = decoder
        self.configuration = configuration
        eventLoop = ClientEventLoops.group(proxy: configuration.proxy).next()
        pools = LongPollPools(configuration, on: eventLoop)
    }

    deinit {
        for attempt in attempts.withLockedValue({ Array($0.values) }) { attempt.abort() }
    }

    public func open(
        _ endpoint: HTTPEndpoint, attempt id: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        let settings = LongPollSettings(
            endpoint: endpoint, configuration: configuration, pools: pools, eventLoop: eventLoop)
        let reporter = LongPollReporter(decoder: decoder(), eventLoop: eventLoop, report: report)
        // The transport is captured weakly, so that an attempt does not keep the transport alive.
        let attempt = LongPollAttempt(settings, reports: reporter) { [weak self] in
            _ = self?.attempts.withLockedValue { $0.removeValue(forKey: id) }
        }
        attempts.withLockedValue { $0.updateValue(attempt, forKey: id) }?.abort()
        report(.opened)
    }

    public func send(_ outbound: LongPollOutbound, attempt id: AttemptID) {
        attempts.withLockedValue { $0[id] }?.send(outbound)
    }

    public func close(_ id: AttemptID, reason: CloseReason) {
        switch reason {
        case .abort: attempts.withLockedValue { $0.removeValue(forKey: id) }?.abort()
        case .goodbye: attempts.withLockedValue { $0[id] }?.sayGoodbye()
        }
    }
}

/// The connection pools of a transport, one for polls and one for calls. They are shared with all transports of the same configuration on
/// the same event loop.
struct LongPollPools: Sendable {
    let polls: SharedConnections
    let calls: SharedConnections

    init(_ configuration: LongPollTransportConfiguration, on eventLoop: any EventLoop) {
        var settings = SharedConnections.Settings(
            trustRoots: configuration.trustRoots, pins: configuration.pins, certificate: configuration.certificate,
            proxy: configuration.proxy,
            connectTimeout: configuration.connectTimeout,
            keepAlive: configuration.keepAlive, liveness: configuration.liveness, paths: configuration.paths,
            eventLoop: .init(eventLoop: eventLoop))
        calls = .connections(for: settings)
        settings.purpose = .polls
        // The number of connections for polls is practically unlimited: a poll keeps its connection busy, so another poll that had to wait
        // for it might never be sent.
        settings.limits = ConnectionLimits(perHost: 1 << 14, total: 1 << 14)
        polls = .connections(for: settings)
    }
}

/// The settings that all requests of an attempt share.
struct LongPollSettings: Sendable {
    let endpoint: HTTPEndpoint
    let configuration: LongPollTransportConfiguration
    let pools: LongPollPools
    let eventLoop: any EventLoop
}
