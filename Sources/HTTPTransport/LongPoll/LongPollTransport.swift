import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore
import TransportCommon

/// Carries a session over HTTP: one outstanding poll on a connection of its own, any number of calls on others.
///
/// `opened` is reported at once; the first request dials. The outcome of a request is reported under its number, failures
/// included: whether one of them ends the connection is the session's decision. `closed` only ever follows a goodbye.
///
/// Any thread may call any method; none blocks. Everything of one transport happens on one event loop of the process.
public final class LongPollTransport<Session: LongPollSession>: ClientTransport {
    private let decoder: @Sendable () -> Session.Decoder
    private let configuration: LongPollTransportConfiguration
    private let eventLoop: any EventLoop
    /// Held here, so that connections outlive attempts.
    private let pools: LongPollPools
    private let attempts = NIOLockedValueBox<[AttemptID: LongPollAttempt]>([:])

    /// A transport.
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
        // The table is reached weakly, so that an attempt never keeps the transport alive.
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

/// The connections of a transport: those for polls and those for calls. Shared with all transports of the same configuration
/// on the same event loop.
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
        // Polls hold their connections; one that had to wait for another's end would never be made.
        settings.limits = ConnectionLimits(perHost: 1 << 14, total: 1 << 14)
        polls = .connections(for: settings)
    }
}

/// What every request of an attempt has in common.
struct LongPollSettings: Sendable {
    let endpoint: HTTPEndpoint
    let configuration: LongPollTransportConfiguration
    let pools: LongPollPools
    let eventLoop: any EventLoop
}
