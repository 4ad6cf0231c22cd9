import ConnectionEngine
import Metrics
import NIOConcurrencyHelpers

/// The metrics factory that receives a client's metrics.
public struct ClientMetrics: Sendable {
    fileprivate let factory: (any MetricsFactory)?

    /// The factory that the program passed to `MetricsSystem.bootstrap` before it created the client.
    public static let processWide = ClientMetrics(factory: nil)

    /// A metrics factory that the application supplies.
    public static func factory(_ factory: any MetricsFactory) -> ClientMetrics {
        ClientMetrics(factory: factory)
    }

    fileprivate var recipient: any MetricsFactory { factory ?? MetricsSystem.factory }
}

/// Counts and times the events of a client. `docs/metrics.md` lists the metrics; every label has few possible values (rule OB-3).
public struct MetricsObserver: EngineObserver {
    private struct Times {
        /// When the current attempt to connect began; nil without an attempt.
        var attempt: Moment?
        /// When the service confirmed the current connection; nil without a connection.
        var connected: Moment?
        /// The category of the latest failure since the last working connection.
        var loss: StatusCategory?
    }

    private let factory: any MetricsFactory
    private let service: String
    private let messages: Counter
    private let gaps: Counter
    private let connects: Counter
    private let connectTime: Timer
    private let connectedTime: Timer
    private let publishTime: Timer
    private let publishes: [ClientReport.PublishResult: Counter]
    private let times = NIOLockedValueBox(Times())

    /// Creates an observer that reports to `metrics`.
    ///
    /// - Parameter service: the value of the label `service`.
    public init(_ metrics: ClientMetrics, service: String) {
        let factory = metrics.recipient
        let labels = [("service", service)]
        self.factory = factory
        self.service = service
        messages = Counter(label: "lifeline_client_messages_total", dimensions: labels, factory: factory)
        gaps = Counter(label: "lifeline_client_gaps_total", dimensions: labels, factory: factory)
        connects = Counter(label: "lifeline_client_connects_total", dimensions: labels, factory: factory)
        connectTime = Timer(label: "lifeline_client_connect_seconds", dimensions: labels, factory: factory)
        connectedTime = Timer(label: "lifeline_client_connected_seconds", dimensions: labels, factory: factory)
        publishTime = Timer(label: "lifeline_client_publish_seconds", dimensions: labels, factory: factory)
        publishes = Dictionary(
            uniqueKeysWithValues: ClientReport.PublishResult.allCases.map { result in
                (
                    result,
                    Counter(
                        label: "lifeline_client_publishes_total", dimensions: labels + [("outcome", result.rawValue)],
                        factory: factory)
                )
            })
    }

    public func changed(_ change: ConnectionChange) {
        let (before, lost) = times.withLockedValue { times -> (Times, StatusCategory?) in
            let before = times
            var lost: StatusCategory?
            switch change.phase {
            case .connecting:
                times.attempt = change.at
            case .connected:
                times = Times(connected: change.at)
            case .waiting, .suspended, .failed:
                lost = change.category
                times = Times(loss: change.category)
            case .disconnecting, .disconnected, .idle:
                times = Times()
            }
            return (before, lost)
        }
        if let began = before.connected, change.phase != .connected {
            connectedTime.recordNanoseconds(change.at.duration(since: began).clampedNanoseconds)
        }
        if change.phase == .connected {
            if let began = before.attempt { connectTime.recordNanoseconds(change.at.duration(since: began).clampedNanoseconds) }
            if let loss = before.loss { count("lifeline_client_reconnects_total", loss) } else { connects.increment() }
        }
        guard let lost else { return }
        count(change.phase == .failed ? "lifeline_client_failures_total" : "lifeline_client_retries_total", lost)
    }

    public func noted(_ report: ClientReport) {
        switch report {
        case .subscribed: return
        case .subscriptionFailed(_, let category, _, _): count("lifeline_client_subscription_failures_total", category)
        case .gap: gaps.increment()
        case .received(let count): messages.increment(by: count)
        case .published(let result, _, _, let roundTrip):
            publishes[result]?.increment()
            publishTime.recordNanoseconds(roundTrip.clampedNanoseconds)
        }
    }

    /// Increments the counter `label` for failures of `category`, which is a dimension of the counter. The counter is looked up at each
    /// call, because failures are rare.
    private func count(_ label: String, _ category: StatusCategory) {
        // A category that this package does not create is counted as `other`. Applications may make up any category, and a dimension of a
        // counter must have few values.
        let category = StatusCategory.failures.contains(category) ? category.rawValue : "other"
        Counter(label: label, dimensions: [("service", service), ("category", category)], factory: factory).increment()
    }
}

extension StatusCategory {
    /// All categories of the failures that this package creates.
    fileprivate static let failures: Set<StatusCategory> = [
        .disconnected, .unexpectedDisconnect, .networkUnavailable, .background, .timeout, .tlsFailed, .tlsUntrusted,
        .proxyUnavailable,
        .malformedResponse, .badRequest, .requestTooLong, .malformedFilter, .accessDenied, .credentialsRejected, .kicked, .banned,
        .accountDeleted, .refused, .overloaded, .serverRestart, .decryptionFailed, .messageCountExceeded, .cancelled, .unknown,
    ]
}
