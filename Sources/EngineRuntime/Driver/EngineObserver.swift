import ConnectionEngine
import Logging
import Metrics

/// Looks on while a connection lives, for logs and metrics. Called in order, on whatever thread drives the engine; must not block.
public protocol EngineObserver: Sendable {
    func changed(_ change: ConnectionChange)
}

/// Logs every change of phase at level `debug`, with constant text and the facts as metadata.
public struct LoggingObserver: EngineObserver {
    private let logger: Logger

    public init(_ logger: Logger) {
        self.logger = logger
    }

    public func changed(_ change: ConnectionChange) {
        logger.debug("connection changed phase", metadata: metadata(of: change))
    }

    private func metadata(of change: ConnectionChange) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "engine.phase": "\(change.phase)", "engine.category": "\(change.category)", "engine.attempt": "\(change.attempt)",
        ]
        if let cause = change.cause { metadata["engine.cause"] = "\(cause.reason)" }
        if let code = change.cause?.code { metadata["engine.code"] = "\(code)" }
        if let pause = change.retryIn { metadata["engine.retry_in"] = "\(pause.inSeconds)" }
        return metadata
    }
}

/// Counts changes of phase as `lifeline_connection_changes`, by phase and category. Both label sets are bounded.
public struct MetricsObserver: EngineObserver {
    private let factory: (any MetricsFactory)?

    /// - Parameter factory: nil for the process-wide one.
    public init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
    }

    public func changed(_ change: ConnectionChange) {
        let labels = [("phase", "\(change.phase)"), ("category", change.category.rawValue)]
        let counter =
            if let factory {
                Counter(label: "lifeline_connection_changes", dimensions: labels, factory: factory)
            } else {
                Counter(label: "lifeline_connection_changes", dimensions: labels)
            }
        counter.increment()
    }
}
