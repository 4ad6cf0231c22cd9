import Logging
import NIOConcurrencyHelpers

/// The least severe log level that is written. All loggers that a threshold has made share this level, so a change takes effect at once,
/// even for a client that is already signed in.
final class LogThreshold: Sendable {
    private let box: NIOLockedValueBox<LogLevel>

    init(_ level: LogLevel) {
        box = NIOLockedValueBox(level)
    }

    var level: LogLevel {
        get { box.withLockedValue { $0 } }
        set { box.withLockedValue { $0 = newValue } }
    }

    /// Makes a logger that writes to `base`. Only this threshold decides which lines are written; the level of `base` has no effect.
    func logger(over base: Logger) -> Logger {
        var base = base
        base.logLevel = .trace
        let handler = Handler(threshold: self, base: base.handler)
        return Logger(label: base.label) { _ in handler }
    }

    private struct Handler: LogHandler {
        let threshold: LogThreshold
        var base: any LogHandler
        /// The level that was set for this copy of the logger; nil if none was set.
        private var ownLevel: Logger.Level?

        init(threshold: LogThreshold, base: any LogHandler) {
            self.threshold = threshold
            self.base = base
        }

        var logLevel: Logger.Level {
            // With ``LogLevel/none`` this returns `critical`, the least verbose level of swift-log, and ``log(event:)`` writes nothing.
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
    /// The least severe level of swift-log that is written; nil when nothing is written.
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
