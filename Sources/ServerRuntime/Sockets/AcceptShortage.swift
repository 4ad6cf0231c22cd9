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

/// Handles the case that the server cannot accept a connection, because the process or the system has no file descriptors left.
///
/// The listening socket stays readable then, so without a pause its event loop would do nothing except retry (rule SO-43).
package final class AcceptShortage: Sendable {
    private struct State {
        var failures = 0
        var quietUntil: NIODeadline?
    }

    private let state = NIOLockedValueBox(State())
    private let logger: Logger

    /// How long an event loop ignores its listening socket after it could not accept a connection.
    package static let pause = TimeAmount.milliseconds(100)
    /// The shortest time between two log entries about connections that could not be accepted.
    package static let silence = TimeAmount.seconds(60)

    package init(logger: Logger) {
        self.logger = logger
    }

    /// The number of failed attempts to accept a connection.
    package var failures: Int { state.withLockedValue(\.failures) }

    /// Counts and logs an error of `accept`.
    ///
    /// - Returns: how long to wait before the next attempt. Nil when the client has closed the connection already, and when NIO closes the
    ///   listening socket after this error; ``ListeningSocket`` then opens another one.
    package func pause(after error: IOError, now: NIODeadline = .now()) -> TimeAmount? {
        guard error.errnoCode != ECONNABORTED else { return nil }
        let isNews = state.withLockedValue { state in
            state.failures += 1
            if let quietUntil = state.quietUntil, now < quietUntil { return false }
            state.quietUntil = now + Self.silence
            return true
        }
        switch error.errnoCode {
        case EMFILE, ENFILE:
            if isNews { logWaiting("too many open files: raise the limit (LimitNOFILE, ulimit -n) above maxConnections") }
            return Self.pause
        case ENOBUFS, ENOMEM:
            if isNews { logWaiting("no memory") }
            return Self.pause
        default:
            if isNews {
                logger.error("a connection cannot be accepted; the port is opened again", metadata: ["error": "\(error)"])
            }
            return nil
        }
    }

    private func logWaiting(_ reason: String) {
        logger.error("new connections cannot be accepted and have to wait", metadata: ["reason": "\(reason)"])
    }
}

/// Pauses a listening socket for a short time when no connection can be accepted.
///
/// NIO's own handler for this case delays the next read, but the failed read stays pending: the event loop has to stop watching the socket.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private let shortage: AcceptShortage
    /// Frees a file descriptor, so that the connection can be accepted; returns false when none can be freed.
    private let makeRoom: () -> Bool

    package init(_ shortage: AcceptShortage, makeRoom: @escaping () -> Bool = { false }) {
        self.shortage = shortage
        self.makeRoom = makeRoom
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, let pause = shortage.pause(after: failure) else {
            return context.fireErrorCaught(error)
        }
        // No pause is needed after a descriptor was freed: the read is still pending, so the event loop retries at once.
        if [EMFILE, ENFILE].contains(failure.errnoCode), makeRoom() { return }
        let channel = context.channel
        // Setting the option fails only for a closed channel, which needs no pause.
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.scheduleTask(in: pause) { try? channel.syncOptions?.setOption(.autoRead, value: true) }
    }
}
