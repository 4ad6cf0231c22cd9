import Logging
import NIOCore
import ServerValues
import WebSocketFraming

/// The channel handler of one WebSocket on a server: the only handler of its channel, so that frames go straight to the socket.
///
/// It reads messages and answers pings, writes, pauses reading while event loops are full, pings silent clients, and closes the connection.
/// Each service has a subclass that overrides the `open` members, which handle messages and release the connection's resources. The class
/// is `open` because Swift requires that for a class that is subclassed in another target of the package.
///
/// Used on its event loop only. The object is kept small, because a server has many: it has no timers, closures, dictionaries or buffers of
/// its own.
open class WebSocketConnection: ChannelInboundHandler, RemovableChannelHandler, ListedConnection {
    public typealias InboundIn = ByteBuffer
    public typealias OutboundOut = ByteBuffer

    enum Phase {
        case new
        case open
        /// A close frame was sent; the peer's close frame has not arrived yet.
        case closing
        /// All resources are released, and the socket is being closed.
        case ended
        case closed
    }

    // Sending a message uses the first fields, which are next to each other: the data of a thousand subscribers does not fit into the
    // processor's caches, and each missing cache line costs a delivery about 80 ns.

    package private(set) final var context: ChannelHandlerContext?
    final var socket: DirectSocket
    final var phase = Phase.new
    /// Whether the connection is in ``ConnectionWriter``'s list of connections to flush.
    final var isUnflushed = false
    final package var sentBytes = 0

    /// The slot under which metrics count the connection.
    package final var slot: MetricSlot
    package final let loop: EventLoopContext
    final let service: WebSocketService
    @usableFromInline package final var place = -1
    final let opened: MonotonicInstant
    final var receivedBytes = 0
    /// The side that ended the connection first, with its code and reason; nil while the connection is open.
    final var ending: Ending?
    /// The time since which the connection waits for the client to send the rest of a message, its first message, or its close frame; nil
    /// otherwise.
    final var waiting: MonotonicInstant?
    /// Whether received bytes are being handled. When a close frame cannot be written, NIO reads the rest of the socket during the write;
    /// those bytes are ignored.
    private final var isReading = false
    /// Whether the service requires a first message from the client that has not arrived yet.
    package private(set) final var expectsGreeting: Bool
    /// Whether there are unflushed answers to read messages. Initially true, because the answer to the handshake is not flushed yet.
    final var needsFlush = true
    /// Whether reading is paused because the connection's messages have filled the queues of event loops.
    final var isHeld = false
    /// Whether the connection's service has paused reading.
    final var isPaused = false
    /// Whether NIO reads from the socket.
    final var readsSocket = true
    final var liveness: LivenessMonitor
    final var receiver: WebSocketReceiver
    /// The serial number of the connection on its event loop, which the log entry for its HTTP request also has.
    final package var serial: UInt32 = 0

    /// `@usableFromInline`, because the compiler (6.3) reports an infinite recursion in a subclass of another target when this is only
    /// `package`.
    ///
    /// - Parameters:
    ///   - slot: the slot under which the connection is counted; nil for no application.
    ///   - expectsGreeting: whether the client has to send a first message within the request timeout. The subclass calls ``greeted()``
    ///     when that message has arrived.
    @usableFromInline package init(
        _ service: WebSocketService, on loop: EventLoopContext, slot: MetricSlot? = nil, expectsGreeting: Bool = false
    ) {
        let now = service.context.now
        self.service = service
        self.loop = loop
        self.slot = slot ?? service.otherSlot
        self.expectsGreeting = expectsGreeting
        opened = now
        waiting = expectsGreeting ? now : nil
        socket = DirectSocket(isPlain: !service.context.settings.usesTLS)
        liveness = LivenessMonitor(at: now)
        receiver = WebSocketReceiver(role: .server, limits: service.limits)
    }

    // MARK: Methods that subclasses override

    /// Called when the connection is open. Overrides add it to the event loop's list. Replies are sent together with the answer to the
    /// handshake.
    open func begin() {}

    /// Handles a text message. Its bytes are UTF-8 and valid during the call only.
    open func receive(_ text: UnsafeRawBufferPointer, at now: MonotonicInstant) {}

    /// Handles a binary message. By default, closes the connection with the code for unsupported data.
    open func receive(binary: UnsafeRawBufferPointer, at now: MonotonicInstant) {
        fail(.violation(.unsupportedData, "Messages are text."))
    }

    /// Whether the client may send this many more bytes and control frames before its first message has been read.
    open func mayPrecedeGreeting(bytes: Int, frames: Int) -> Bool { true }

    /// Applies further time limits to an open connection, in addition to ``sweep(at:)``.
    open func checkTime(at now: MonotonicInstant) {}

    /// Closes the connection because of `fault`. Overrides report it in the format of their protocol.
    open func fail(_ fault: WebSocketFault) {
        close(fault.code, fault.reason)
    }

    /// Releases the connection's state in its service, such as subscriptions. Called when the connection is closing, possibly several
    /// times.
    open func leave() {}

    /// Removes the connection from the event loop's list and from the count of connections, after ``leave()``. Called once.
    open func finish() {}

    /// The IP address of the socket's peer; nil once the connection is closed.
    final var remoteAddress: String? { context?.remoteAddress?.ipAddress }

    /// Returns who caused the server to close the connection, derived from the close code of its protocol.
    open func blame(_ code: Int) -> Blame {
        switch code {
        case 1000, 1001, 1012: .nobody
        case 1011, 1013: .server
        default: .client
        }
    }

    /// Further metadata for the log entry about the connection's end, besides code, reason and counts: application, user, and the request
    /// of a refused client. It never contains secrets or tokens.
    open var endingDetails: Logger.Metadata { [:] }

    /// Identifies the connection in logs.
    open var logMetadata: Logger.Metadata { ["connection": "\(loop.number)-\(serial)"] }

    // MARK: Life

    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        phase = .open
        begin()
        flushReplies()
    }

    public func channelInactive(context: ChannelHandlerContext) {
        end()
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        service.context.logger.debug(
            "connection closed after an error", metadata: logMetadata.merging(["error": "\(type(of: error))"]) { $1 })
        hangUp()
    }

    /// Closes the connection when its client has too many unsent bytes (rules SV-4 and NV-12).
    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard !context.channel.isWritable, phase == .open else { return }
        cutOff()
    }

    /// Closes this connection, because its client reads too slowly.
    package final func cutOff() {
        guard phase == .open else { return }
        loop.state.figures.applications.count(slot) { $0.slowSubscribersCut += 1 }
        service.context.logger.info("connection closed, because the client reads too slowly", metadata: logMetadata)
        fail(.slow)
    }

    /// Releases all of the connection's resources except the socket. A second call does nothing.
    final func giveBack() {
        guard phase != .ended, phase != .closed else { return }
        leave()
        phase = .ended
        recordEnding()
        context = nil
        finish()
    }

    // MARK: Reading

    /// Records that the client's first message has arrived.
    package final func greeted() {
        expectsGreeting = false
        waiting = nil
    }

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var buffer = unwrapInboundIn(data)
        let now = service.context.now
        liveness.hear(at: now)
        receivedBytes &+= buffer.readableBytes
        loop.state.figures.applications.count(slot) { $0.bytesReceived += buffer.readableBytes }
        guard isAllowed(bytes: buffer.readableBytes) else { return }
        var completed = false
        do throws(WebSocketViolation) {
            try receiver.receive(&buffer) { event in
                switch event {
                case .text, .binary: completed = true
                case .ping, .pong, .close: break
                }
                handle(event, at: now)
            }
        } catch {
            fail(.violation(error.closeCode, error.description))
        }
        guard phase == .open, !expectsGreeting else { return }
        if completed || !receiver.hasPartialMessage { waiting = nil }
        if receiver.hasPartialMessage, waiting == nil { waiting = now }
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        flushReplies()
    }

    private func isAllowed(bytes: Int = 0, frames: Int = 0) -> Bool {
        !expectsGreeting || mayPrecedeGreeting(bytes: bytes, frames: frames)
    }

    private func handle(_ event: WebSocketEvent, at now: MonotonicInstant) {
        if case .close(let code, _) = event { return peerCloses(code) }
        guard phase == .open else { return }
        switch event {
        case .text(let bytes):
            loop.state.figures.applications.count(slot) { $0.messagesReceived += 1 }
            receive(bytes, at: now)
        case .binary(let bytes): receive(binary: bytes, at: now)
        case .ping(let payload):
            guard isAllowed(frames: 1) else { return }
            var buffer = ByteBuffer()
            var writer = WebSocketFrameWriter(role: .server)
            writer.writePong(payload, to: &buffer)
            needsFlush = write(buffer) || needsFlush
        case .pong: _ = isAllowed(frames: 1)
        case .close: return
        }
    }
}
