import Logging
import ServerValues

/// Whose fault it is that a connection ended or a request was refused. It decides the level of the line in the log (rule SO-116).
public enum Blame: Hashable, Sendable {
    /// No fault: a client disconnected, the server stops, a network was cut.
    case nobody
    /// The client's or its application's: a wrong key, signature or message.
    case client
    /// The server is the cause, or one of its configured limits: too many connections, or too slow for the messages to send.
    case server
}

/// Which of these lines an event loop writes: a few at once and five a second for each level. Those that are left out are counted, and
/// the next line says how many they were (rule SO-117). Debug lines are not limited. Touched on that loop only.
package struct RefusalLog: Sendable {
    package static let burst = 20
    package static let perSecond = 5

    private struct Level: Sendable {
        var bucket: TokenBucket
        var omitted = 0
    }

    private var client: Level?
    private var server: Level?

    package init() {}

    /// Whether a line may be written now: how many were left out before it; nil when this one is left out, too.
    package mutating func admit(_ blame: Blame, at now: MonotonicInstant) -> Int? {
        switch blame {
        case .nobody: 0
        case .client: Self.admit(&client, at: now)
        case .server: Self.admit(&server, at: now)
        }
    }

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
    /// Writes that a connection ended or a request was refused, with the level of whose fault it is, if that may be written now.
    package func note(_ message: Logger.Message, _ blame: Blame, in context: ServerContext, _ details: () -> Logger.Metadata) {
        let level: Logger.Level =
            switch blame {
            case .nobody: .debug
            case .client: .notice
            case .server: .warning
            }
        guard context.logger.logLevel <= level, let omitted = refusals.admit(blame, at: context.now) else { return }
        var metadata = details()
        if omitted > 0 { metadata["omitted"] = "\(omitted)" }
        context.logger.log(level: level, message, metadata: metadata)
    }
}

/// A piece of text for a log: one line, at most 200 bytes of UTF-8, without control characters.
package func logText(_ bytes: some Collection<UInt8>) -> String {
    var line = String.UnicodeScalarView()
    for scalar in String(decoding: bytes.prefix(200), as: UTF8.self).unicodeScalars where scalar != "\u{FFFD}" {
        line.append(scalar.properties.generalCategory == .control ? " " : scalar)
    }
    return String(line)
}
