import Foundation
import Logging
import NIOConcurrencyHelpers
import WireCoding

/// The formats of log lines.
enum ServeLogFormat: String, CaseIterable, Sendable {
    case text, json
}

/// The log level of the whole program, which a reload may change while it runs (rule SO-95).
final class ServeLogLevel: Sendable {
    private let level: NIOLockedValueBox<Logger.Level>

    init(_ level: Logger.Level) {
        self.level = NIOLockedValueBox(level)
    }

    var current: Logger.Level { level.withLockedValue { $0 } }

    func change(to level: Logger.Level) { self.level.withLockedValue { $0 = level } }
}

/// Writes each entry of the log as one line on standard error: as text, or as a JSON object. Rules SO-94 and SO-95.
struct ServeLogHandler: LogHandler {
    let label: String
    let format: ServeLogFormat
    let level: ServeLogLevel
    /// Milliseconds since 1970.
    var clock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
    var write: @Sendable (String) -> Void = { StandardError.write($0 + "\n") }
    var metadata: Logger.Metadata = [:]

    init(label: String, format: ServeLogFormat, level: ServeLogLevel) {
        (self.label, self.format, self.level) = (label, format, level)
    }

    /// The level of all loggers, because all handlers share it: a change for one logger changes it for all.
    var logLevel: Logger.Level {
        get { level.current }
        set { level.change(to: newValue) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = event.metadata.map { metadata.merging($0) { $1 } } ?? metadata
        let time = TimeOfDay.timestamp(milliseconds: clock())
        let sorted = all.sorted { $0.key < $1.key }
        switch format {
        case .text:
            let pairs = sorted.map { " \($0.key)=\($0.value)" }.joined()
            write("\(time) \(event.level.rawValue) \(label):\(pairs) \(event.message)".printable)
        case .json:
            var bytes = Array("{".utf8)
            let fields = [("time", time), ("level", event.level.rawValue), ("logger", label), ("message", "\(event.message)")]
            for (name, value) in fields + sorted.map({ (Self.name($0.key), "\($0.value)") }) {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                JSONWriter.appendString(value, to: &bytes)
            }
            write(String(decoding: bytes, as: UTF8.self) + "}")
        }
    }

    /// The name of a metadata field in JSON. A name that every line already has gets a `_`, so that metadata never replaces such a field.
    private static func name(_ key: String) -> String {
        ["time", "level", "logger", "message"].contains(key) ? key + "_" : key
    }
}
