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

/// Limits the log entries of an event loop about refusals: a burst of 20, then five per second for each level. Suppressed entries are
/// counted, and the next entry contains their number (rule SO-117). Debug entries are not limited, except those about error answers on
/// connections that stay open (rule SO-175). Used on that event loop only.
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

    /// Returns the number of entries that were suppressed before this one; nil when this entry has to be suppressed, too.
    package mutating func admit(_ blame: Blame, at now: MonotonicInstant) -> Int? {
        switch blame {
        case .nobody: 0
        case .client: Self.admit(&client, at: now)
        case .server: Self.admit(&server, at: now)
        }
    }

    /// Applies the limit to a debug entry about an error answer on a connection that stays open. Returns the number of suppressed entries
    /// before it; nil to suppress it.
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
    /// Logs that a connection ended or a request was refused, if the limit of such entries allows it. `blame` determines the level.
    package func note(_ message: Logger.Message, _ blame: Blame, in context: ServerContext, _ details: () -> Logger.Metadata) {
        let level: Logger.Level =
            switch blame {
            case .nobody: .debug
            case .client: .notice
            case .server: .warning
            }
        guard context.logger.logLevel <= level, let omitted = refusals.admit(blame, at: context.now) else { return }
        write(message, at: level, omitted: omitted, in: context, details)
    }

    /// Logs at debug level that a request got an error answer on a connection that stays open. Use it only for errors that are not the
    /// server's fault. Does nothing when the limit of such entries is reached (rule SO-175).
    package func noteAnswer(_ message: Logger.Message, in context: ServerContext, _ details: () -> Logger.Metadata) {
        guard context.logger.logLevel <= .debug, let omitted = refusals.admitAnswer(at: context.now) else { return }
        write(message, at: .debug, omitted: omitted, in: context, details)
    }

    private func write(
        _ message: Logger.Message, at level: Logger.Level, omitted: Int, in context: ServerContext,
        _ details: () -> Logger.Metadata
    ) {
        var metadata = details()
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        context.logger.log(level: level, message, metadata: metadata)
    }
}

/// Makes a text safe for the log: one line, at most `limit` bytes of UTF-8, without control characters.
package func logText(_ bytes: some Collection<UInt8>, limit: Int = 200) -> String {
    var line = String.UnicodeScalarView()
    for scalar in String(decoding: bytes.prefix(limit), as: UTF8.self).unicodeScalars where scalar != "\u{FFFD}" {
        line.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(line)
}

/// Describes a store's error for the log. The error must contain no passwords and no messages; the errors of this package's stores contain
/// none.
package func logText(_ error: any Error) -> String { logText("\(error)".utf8, limit: 400) }

/// Returns the first four characters of an unknown key, for the log. Keys are public, but some users put their secret in the place of the
/// key.
package func logKey(_ key: String) -> String {
    let text = logText(key.utf8)
    return text.count > 4 ? text.prefix(4) + "…" : text
}
