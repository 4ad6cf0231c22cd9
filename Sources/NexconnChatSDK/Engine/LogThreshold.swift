import Logging
import NIOConcurrencyHelpers

/// The least severe lines that are written. All loggers over one threshold share it, so that a change takes effect at once, also for a
/// client that is signed in.
final class LogThreshold: Sendable {
    private let box: NIOLockedValueBox<LogLevel>

    init(_ level: LogLevel) {
        box = NIOLockedValueBox(level)
    }

    var level: LogLevel {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    /// A logger that writes what the threshold admits to `base`, whatever the level of `base` is.
    func logger(over base: Logger) -> Logger {
        var base = base
        base.logLevel = .trace
        let handler = Handler(threshold: self, base: base.handler)
        return Logger(label: base.label) { _ in handler }
    }

    private struct Handler: LogHandler {
        let threshold: LogThreshold
        var base: any LogHandler
        /// The level of this copy of the logger, if somebody has set one.
        private var ownLevel: Logger.Level?

        init(threshold: LogThreshold, base: any LogHandler) {
            self.threshold = threshold
            self.base = base
        }

        var logLevel: Logger.Level {
            // Swift-log's least verbose level is `critical`; ``log(event:)`` refuses everything with ``LogLevel/none``.
            get { ownLevel ?? threshold.level.least ?? .critical }
            set { ownLevel = newValue }
        }

        var metadata: Logger.Metadata {
            get { base.metadata }
            set { base.metadata = newValue }
        }

        var metadataProvider: Logger.MetadataProvider? {
            get { base.metadataProvider }
            set { base.metadataProvider = newValue }
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { base[metadataKey: key] }
            set { base[metadataKey: key] = newValue }
        }

        func log(event: LogEvent) {
            if threshold.level.least != nil { base.log(event: event) }
        }
    }
}

extension LogLevel {
    /// The least severe level that is written; nil for nothing.
    fileprivate var least: Logger.Level? {
        switch self {
        case .none: nil
        case .error: .error
        case .warn: .warning
        case .info: .info
        case .debug: .debug
        case .verbose: .trace
        }
    }
}
