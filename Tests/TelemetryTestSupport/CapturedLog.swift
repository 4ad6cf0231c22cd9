import Logging
import NIOConcurrencyHelpers

/// A log that a test can read.
public final class CapturedLog: Sendable {
    /// One line.
    public struct Line: Sendable {
        public var level: Logger.Level
        public var text: String
        public var metadata: [String: String]
    }

    private let box = NIOLockedValueBox<[Line]>([])

    public init() {}

    /// Everything so far.
    public var lines: [Line] { box.withLockedValue { $0 } }

    /// All of it as one text, to search for what must not be there.
    public var everything: String {
        lines.map { "\($0.level) \($0.text) \($0.metadata)" }.joined(separator: "\n")
    }

    /// Writes here.
    public func logger(level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(log: self) })
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var logLevel = Logger.Level.trace
        var metadata = Logger.Metadata()

        init(log: CapturedLog) {
            self.log = log
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(level: event.level, text: "\(event.message)", metadata: all.mapValues { "\($0)" })
            log.box.withLockedValue { $0.append(line) }
        }
    }
}
