import Logging
import ServerValues

/// Who caused the end of a connection or the refusal of a request. It determines the level of the log entry (rule SO-116).
public enum Blame: Hashable, Sendable {
    /// Nobody is at fault: a client disconnected, the server stops, or a network failed.
    case nobody
    /// The client or its application: a wrong key, signature or message.
    case client
    /// The server, or one of its configured limits: too many connections, or messages faster than the client can read.
    case server
}

/// Limits the log entries of an event loop: a small burst, then five per second for each level. Suppressed entries are counted, and
/// the next entry contains their number (rule SO-117). Debug entries are not limited, apart from those about answers on connections that
/// go on (rule SO-175). Used on that event loop only.
package struct RefusalLog: Sendable {
    package static let burst = 20
    package static let perSecond = 5

    private struct Level: Sendable {
        var bucket: TokenBucket
        var omitted = 0
    }

    private var client: Level?
    private var server: Level?
    private var answers: Level?

    package init() {}

    /// Whether an entry may be written now: the number of suppressed entries before it, or nil when it is suppressed too.
    package mutating func admit(_ blame: Blame, at now: MonotonicInstant) -> Int? {
        switch blame {
        case .nobody: 0
        case .client: Self.admit(&client, at: now)
        case .server: Self.admit(&server, at: now)
        }
    }

    /// The same for a debug entry about a request that was answered with an error, on a connection that goes on.
    package mutating func admitAnswer(at now: MonotonicInstant) -> Int? { Self.admit(&answers, at: now) }

    private static func admit(_ level: inout Level?, at now: MonotonicInstant) -> Int? {
        var present = level ?? Level(bucket: TokenBucket(burst: burst, at: now))
        defer { level = present }
        guard present.bucket.take(perSecond: perSecond, burst: burst, at: now) else {
            present.omitted += 1
            return nil
        }
        defer { present.omitted = 0 }
        return present.omitted
    }
}

extension LoopState {
    /// Logs that a connection ended or a request was refused, with the level for its cause, if the limit allows it.
    package func note(_ message: Logger.Message, _ blame: Blame, in context: ServerContext, _ details: () -> Logger.Metadata) {
        let level: Logger.Level =
            switch blame {
            case .nobody: .debug
            case .client: .notice
            case .server: .warning
            }
        guard context.logger.logLevel <= level, let omitted = refusals.admit(blame, at: context.now) else { return }
        write(message, level, omitted, in: context, details)
    }

    /// Logs at debug that a request was answered with an error for which the server is not responsible, on a connection that goes on, if the
    /// limit of such entries allows it (rule SO-175).
    package func noteAnswer(_ message: Logger.Message, in context: ServerContext, _ details: () -> Logger.Metadata) {
        guard context.logger.logLevel <= .debug, let omitted = refusals.admitAnswer(at: context.now) else { return }
        write(message, .debug, omitted, in: context, details)
    }

    private func write(
        _ message: Logger.Message, _ level: Logger.Level, _ omitted: Int, in context: ServerContext,
        _ details: () -> Logger.Metadata
    ) {
        var metadata = details()
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        context.logger.log(level: level, message, metadata: metadata)
    }
}

/// A text for the log: one line, at most `limit` bytes of UTF-8, without control characters.
package func logText(_ bytes: some Collection<UInt8>, limit: Int = 200) -> String {
    var line = String.UnicodeScalarView()
    for scalar in String(decoding: bytes.prefix(limit), as: UTF8.self).unicodeScalars where scalar != "\u{FFFD}" {
        line.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(line)
}

/// An error of a store for the log. It has to contain neither passwords nor messages, as the errors of this package's stores.
package func logText(_ error: any Error) -> String { logText("\(error)".utf8, limit: 400) }

/// A key for the log that no application has: its first four characters. A key is public, but some users put their secret in its place.
package func logKey(_ key: String) -> String {
    let text = logText(key.utf8)
    return text.count > 4 ? text.prefix(4) + "…" : text
}
