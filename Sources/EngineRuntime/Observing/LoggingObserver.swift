import ConnectionEngine
import Logging

/// Writes a client's events to a log. Entries for the same kind of event have the same text; the values of the event are metadata of the
/// entry (rules OB-1 and OB-2).
public struct LoggingObserver: EngineObserver {
    private let logger: Logger

    /// Creates an observer that writes to `logger`.
    ///
    /// - Parameter service: the name of the service, which every entry has as metadata.
    public init(_ logger: Logger, service: String) {
        var logger = logger
        logger[metadataKey: "lifeline.service"] = "\(service)"
        self.logger = logger
    }

    public func changed(_ change: ConnectionChange) {
        var metadata: Logger.Metadata = [
            "lifeline.phase": "\(change.phase)", "lifeline.category": "\(change.category)",
            "lifeline.attempt": "\(change.attempt)",
        ]
        if let cause = change.cause { metadata["lifeline.cause"] = "\(cause.reason)" }
        if let code = change.cause?.code { metadata["lifeline.code"] = "\(code)" }
        if let pause = change.retryIn { metadata["lifeline.retry_in"] = "\(pause.inSeconds)" }
        logger.log(level: Self.level(of: change.phase), Self.text(of: change), metadata: metadata)
    }

    public func noted(_ report: ClientReport) {
        switch report {
        case .subscribed(let channel, let isRenewal):
            logger.debug(
                "channel subscribed", metadata: metadata(channel).merging(["lifeline.renewal": "\(isRenewal)"]) { $1 })
        case .subscriptionFailed(let channel, let category, let code, let willRetry):
            var facts = metadata(channel)
            facts["lifeline.category"] = "\(category)"
            facts["lifeline.will_retry"] = "\(willRetry)"
            if let code { facts["lifeline.code"] = "\(code)" }
            logger.warning("subscription failed", metadata: facts)
        case .gap(let channel):
            logger.notice("messages may be missing", metadata: metadata(channel))
        case .received(let count):
            logger.trace("messages received", metadata: ["lifeline.count": "\(count)"])
        case .published(let result, let category, let code, let roundTrip):
            var facts: Logger.Metadata = [
                "lifeline.outcome": "\(result)", "lifeline.round_trip": "\(roundTrip.inSeconds)",
            ]
            if let category { facts["lifeline.category"] = "\(category)" }
            if let code { facts["lifeline.code"] = "\(code)" }
            logger.log(level: result == .accepted ? .debug : .warning, "message published", metadata: facts)
        }
    }

    /// The metadata that names a channel. Empty unless the logger's level is `debug` or `trace`, because channels may be named after users.
    private func metadata(_ channel: String?) -> Logger.Metadata {
        guard let channel, logger.logLevel <= .debug else { return [:] }
        return ["lifeline.channel": "\(channel)"]
    }

    private static func level(of phase: ConnectionPhase) -> Logger.Level {
        switch phase {
        case .idle, .connecting, .disconnecting: .debug
        case .connected, .disconnected: .info
        case .waiting, .suspended: .notice
        case .failed: .error
        }
    }

    private static func text(of change: ConnectionChange) -> Logger.Message {
        switch change.phase {
        case .idle: "connection idle"
        case .connecting: "connection attempt begins"
        case .connected: "connected"
        case .waiting: "connection lost or attempt failed, waiting for the next attempt"
        case .suspended where change.category == .background: "connection suspended while the application is in the background"
        case .suspended: "no network: the connection waits until a network is available"
        case .disconnecting: "disconnecting"
        case .disconnected: "disconnected on request"
        case .failed: "connection failed, no further attempts"
        }
    }
}
