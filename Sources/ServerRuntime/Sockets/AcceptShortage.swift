import Logging
import NIOConcurrencyHelpers
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Handles the case that no waiting connection can be accepted, because the process or the system has no file descriptors left.
///
/// The socket then stays readable, so without a pause its event loop would do nothing except retry (rule SO-43).
package final class AcceptShortage: Sendable {
    private struct State {
        var failures = 0
        var quietUntil: NIODeadline?
    }

    private let state = NIOLockedValueBox(State())
    private let logger: Logger

    /// How long an event loop ignores its listening socket.
    package static let pause = TimeAmount.milliseconds(100)
    /// The shortest time between two log entries.
    package static let silence = TimeAmount.seconds(60)

    package init(logger: Logger) {
        self.logger = logger
    }

    /// The number of failed attempts.
    package var failures: Int { state.withLockedValue(\.failures) }

    /// - Returns: how long to wait before the next attempt; nil for an error that concerns only one connection.
    package func pause(after error: IOError, now: NIODeadline = .now()) -> TimeAmount? {
        guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else { return nil }
        let isNews = state.withLockedValue { state in
            state.failures += 1
            if let quietUntil = state.quietUntil, now < quietUntil { return false }
            state.quietUntil = now + Self.silence
            return true
        }
        if isNews {
            let reason =
                [EMFILE, ENFILE].contains(error.errnoCode)
                ? "too many open files: raise the limit (LimitNOFILE, ulimit -n) above maxConnections" : "no memory"
            logger.error("connections wait that cannot be accepted", metadata: ["reason": "\(reason)"])
        }
        return Self.pause
    }
}

/// Pauses the listening socket for a short time when no connection can be accepted.
///
/// NIO's own handler for this delays the next read, but a read that failed is still pending: the socket has to be removed from the
/// event loop's interest.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let shortage: AcceptShortage
    /// Frees a file descriptor for the next attempt; returns false when that is not possible.
    private let makeRoom: () -> Bool

    package init(_ shortage: AcceptShortage, makeRoom: @escaping () -> Bool = { false }) {
        self.shortage = shortage
        self.makeRoom = makeRoom
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, let pause = shortage.pause(after: failure) else {
            return context.fireErrorCaught(error)
        }
        // The read is still pending, so the event loop retries at once.
        if [EMFILE, ENFILE].contains(failure.errnoCode), makeRoom() { return }
        let channel = context.channel
        // Both calls fail only for a closed channel.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.scheduleTask(in: pause) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}
