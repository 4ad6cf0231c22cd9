import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A listening socket that is opened again when an error closes it (rule SO-176).
///
/// `accept` can fail with an error that concerns one connection only, such as `EPROTO` or `EPERM`, and NIO closes the listening socket then.
/// Without a new one the server would run on, and serve nobody. May be used from any thread.
package final class ListeningSocket: Sendable {
    private struct State {
        var channel: any Channel
        var isClosed = false
    }

    /// How long the port stays closed before the first attempt to listen again. The wait doubles with each failed attempt.
    private static let firstDelay = TimeAmount.milliseconds(100)
    /// The longest wait between two attempts to listen again.
    private static let longestDelay = TimeAmount.seconds(5)

    private let listener: Listener
    private let logger: Logger
    private let state: NIOLockedValueBox<State>
    /// The event loop of the first socket. Attempts to listen again run on it.
    package let eventLoop: any EventLoop
    /// The port, which stays the same when the socket is opened again; nil when the socket has none.
    package let port: Int?

    /// Listens at the host and port of the settings of `host`.
    ///
    /// - Throws: an error of the system when that is not possible.
    package static func open(_ host: ServerHost, on group: MultiThreadedEventLoopGroup) async throws -> ListeningSocket {
        let listener = Listener(host, on: group)
        let socket = ListeningSocket(listener, try await listener.bind(), logger: host.context.settings.logger)
        socket.watch(socket.channel)
        return socket
    }

    private init(_ listener: Listener, _ channel: any Channel, logger: Logger) {
        self.listener = listener
        self.logger = logger
        state = NIOLockedValueBox(State(channel: channel))
        eventLoop = channel.eventLoop
        port = channel.localAddress?.port
    }

    /// The channel of the socket that listens now; while no socket listens, the channel of the last socket, which is closed.
    package var channel: any Channel { state.withLockedValue(\.channel) }

    /// Stops listening, for good. Connections that were accepted stay open.
    package func close() async {
        let channel = state.withLockedValue { state in
            state.isClosed = true
            return state.channel
        }
        // Closing the socket fails only when it is closed already.
        try? await channel.close()
    }

    private func watch(_ channel: any Channel) {
        channel.closeFuture.whenComplete { [weak self] _ in
            guard let self, !self.state.withLockedValue(\.isClosed) else { return }
            self.reopen(after: Self.firstDelay)
        }
    }

    private func reopen(after delay: TimeAmount) {
        eventLoop.scheduleTask(in: delay) { [weak self] in
            guard let self, !self.state.withLockedValue(\.isClosed) else { return }
            self.listener.bind(port: self.port).whenComplete { result in
                switch result {
                case .success(let channel): self.use(channel)
                case .failure(let error):
                    self.logger.debug("the port cannot be opened; retrying", metadata: ["error": "\(error)"])
                    self.reopen(after: min(delay + delay, Self.longestDelay))
                }
            }
        }
    }

    private func use(_ channel: any Channel) {
        let isWanted = state.withLockedValue { state in
            guard !state.isClosed else { return false }
            state.channel = channel
            return true
        }
        guard isWanted else { return channel.close(promise: nil) }
        logger.notice("listening again after the port was reopened", metadata: ["port": "\(port ?? 0)"])
        watch(channel)
    }
}
