import ConnectionEngine
import Logging

/// Observes a client for logs and metrics. The methods are called in order, on the thread that drives the engine; they must not block.
public protocol EngineObserver: Sendable {
    /// The phase of the connection has changed.
    func changed(_ change: ConnectionChange)
    /// An event occurred in the client that is not a change of the connection's phase. The default implementation does nothing.
    func noted(_ report: ClientReport)
}

extension EngineObserver {
    public func noted(_ report: ClientReport) {}
}

/// An event in a client that is not a change of the connection's phase. Contains no payload, token or key.
public enum ClientReport: Hashable, Sendable {
    /// The service confirmed the subscription to a channel. `isRenewal` is true when the service had confirmed this subscription before, on
    /// an earlier connection.
    case subscribed(channel: String, isRenewal: Bool)
    /// The service refused the subscription to a channel, or did not answer the request for it.
    case subscriptionFailed(channel: String, category: StatusCategory, code: Int?, willRetry: Bool)
    /// Messages of `channel` may have been lost; of all channels if `channel` is nil.
    case gap(channel: String?)
    /// This number of messages arrived in one batch.
    case received(Int)
    /// A message was published, or publishing failed. `category` and `code` describe the failure; `roundTrip` is the time from the request
    /// to its outcome.
    case published(PublishResult, category: StatusCategory?, code: Int?, roundTrip: Duration)

    /// The outcome of publishing a message.
    public enum PublishResult: String, Hashable, Sendable, CaseIterable {
        case accepted, refused, unknown
    }

    /// The report of a message whose publishing failed or whose answer was lost.
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

/// Passes the events of one client to its logger and its metrics.
public struct ClientTelemetry: EngineObserver {
    private let observers: [any EngineObserver]

    /// Creates the observers for a logger and for metrics.
    ///
    /// - Parameters:
    ///   - service: the name of the service in logs and metrics.
    ///   - logger: nil for no log.
    ///   - metrics: nil for no metrics.
    /// - Returns: nil when there is neither a logger nor metrics.
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

/// A setting whose value cannot be compared. Comparing two values of this type always finds them equal.
package struct Uncompared<Value: Sendable>: Hashable, Sendable {
    package var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package static func == (left: Self, right: Self) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
