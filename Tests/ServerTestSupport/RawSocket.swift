import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A TCP connection for tests: writes bytes, waits for bytes or the end with a limit, never sleeps.
final class RawSocket: Sendable {
    struct TimedOut: Error {}

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let inbox: NIOLockedValueBox<Inbox>

        init(_ inbox: NIOLockedValueBox<Inbox>) {
            self.inbox = inbox
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            put(unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            put(nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        private func put(_ bytes: ByteBuffer?) {
            let waiter = inbox.withLockedValue { inbox in
                inbox.arrived.append(bytes)
                defer { inbox.waiter = nil }
                return inbox.waiter
            }
            waiter?.succeed()
        }
    }

    private struct Inbox {
        /// Nil stands for the end.
        var arrived: [ByteBuffer?] = []
        var waiter: EventLoopPromise<Void>?
    }

    private let channel: any Channel
    private let inbox: NIOLockedValueBox<Inbox>

    private init(_ channel: any Channel, _ inbox: NIOLockedValueBox<Inbox>) {
        self.channel = channel
        self.inbox = inbox
    }

    deinit { channel.close(promise: nil) }

    static func connect(port: Int, tls: TLSConfiguration? = nil) async throws -> RawSocket {
        let inbox = NIOLockedValueBox(Inbox())
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(inbox))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawSocket(channel, inbox)
    }

    func send(_ text: String) async throws {
        try await send(ByteBuffer(string: text))
    }

    func send(_ bytes: ByteBuffer) async throws {
        try await channel.writeAndFlush(bytes)
    }

    /// Stops or resumes reading from the socket, as a program that hangs does.
    ///
    /// - Parameter buffer: how many bytes the kernel takes for the socket meanwhile; by default what it usually does, several megabytes.
    func setReading(_ isReading: Bool, buffer: Int? = nil) async throws {
        if let buffer { try await channel.setOption(.socketOption(.so_rcvbuf), value: .init(buffer)).get() }
        try await channel.setOption(.autoRead, value: isReading).get()
    }

    /// Closes so that the peer's next write fails.
    func reset() async {
        if let socket = channel as? any SocketOptionProvider {
            try? await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
    }

    func close() async {
        try? await channel.close()
    }

    /// The next bytes, or nil at the end.
    func next(within limit: TimeAmount = .seconds(60)) async throws -> ByteBuffer? {
        while true {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            let ready: ByteBuffer?? = inbox.withLockedValue { inbox in
                if !inbox.arrived.isEmpty { return inbox.arrived.removeFirst() }
                inbox.waiter = promise
                return ByteBuffer??.none
            }
            if let ready {
                promise.succeed()
                return ready
            }
            let timeout = channel.eventLoop.scheduleTask(in: limit) { promise.fail(TimedOut()) }
            defer { timeout.cancel() }
            try await promise.futureResult.get()
        }
    }

    /// Everything up to and with `ending`.
    func text(upTo ending: String) async throws -> String {
        var collected = ""
        while !collected.contains(ending) {
            guard let bytes = try await next() else { return collected }
            collected += String(buffer: bytes)
        }
        return collected
    }

    /// Everything until the peer closes.
    func textToEnd() async throws -> String {
        var collected = ""
        while let bytes = try await next() { collected += String(buffer: bytes) }
        return collected
    }
}
