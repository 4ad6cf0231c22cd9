import ConnectionEngine
import Logging

/// Observes a client for logs and metrics. Called in order, on the thread that drives the engine; must not block.
public protocol EngineObserver: Sendable {
    /// The connection is in another phase.
    func changed(_ change: ConnectionChange)
    /// An event other than a change of phase. The default implementation does nothing.
    func noted(_ report: ClientReport)
}

extension EngineObserver {
    public func noted(_ report: ClientReport) {}
}

/// An event in a client beside its connection's phases. Contains no payload, token or key.
public enum ClientReport: Hashable, Sendable {
    /// The service confirmed a channel, for the first time or again on a new connection.
    case subscribed(channel: String, isRenewal: Bool)
    /// The service refused a channel, or did not answer.
    case subscriptionFailed(channel: String, category: StatusCategory, code: Int?, willRetry: Bool)
    /// Messages may be missing. `channel` is nil when that holds for all of them.
    case gap(channel: String?)
    /// This number of messages arrived together.
    case received(Int)
    /// A message was published, or could not be. `category` and `code` are those of the failure; `roundTrip` is the time until the
    /// outcome.
    case published(PublishResult, category: StatusCategory?, code: Int?, roundTrip: Duration)

    /// The outcome of a published message.
    public enum PublishResult: String, Hashable, Sendable, CaseIterable {
        case accepted, refused, unknown
    }

    /// The report of a message that could not be published, or whose answer was lost.
    package static func notPublished(_ failure: ConnectionFailure, after roundTrip: Duration) -> ClientReport {
        let isUnknown =
            switch failure.category {
            case .networkUnavailable, .unexpectedDisconnect, .timeout, .proxyUnavailable, .malformedResponse, .disconnected,
                .cancelled,
                .serverRestart:
                true
            default: (failure.httpStatus ?? 0) >= 500
            }
        return .published(
            isUnknown ? .unknown : .refused, category: failure.category, code: failure.code, roundTrip: roundTrip)
    }
}

/// The logger and the metrics of one client.
public struct ClientTelemetry: EngineObserver {
    private let observers: [any EngineObserver]

    /// - Parameters:
    ///   - service: the service's name, for both.
    ///   - logger: nil for no log.
    ///   - metrics: nil for no metrics.
    /// - Returns: nil when there is neither.
    public init?(service: String, logger: Logger?, metrics: ClientMetrics?) {
        var observers: [any EngineObserver] = []
        if let logger { observers.append(LoggingObserver(logger, service: service)) }
        if let metrics { observers.append(MetricsObserver(metrics, service: service)) }
        if observers.isEmpty { return nil }
        self.observers = observers
    }

    public func changed(_ change: ConnectionChange) {
        for observer in observers { observer.changed(change) }
    }

    public func noted(_ report: ClientReport) {
        for observer in observers { observer.noted(report) }
    }
}

/// A setting that is ignored when two values are compared, because it cannot be compared itself.
package struct Uncompared<Value: Sendable>: Hashable, Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package static func == (left: Self, right: Self) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
