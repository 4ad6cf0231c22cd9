import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import ServerValues
import WebSocketFraming

/// One chat session's WebSocket: the only handler of its channel, so that frames go straight to the socket.
///
/// Lives on its event loop. Kept small, since a server has many: no timers, closures, dictionaries or buffers of its own.
final class NexconnConnection: ChannelInboundHandler, RemovableChannelHandler, UpgradedConnection, HeldReader, ListedConnection,
    SeatedConnection
{
    typealias ChannelID = NexconnRoomID
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        /// The hello has not come yet.
        case greeting
        /// The application is asked, or the first page of the inbox is read: nothing is written before the welcome.
        case opening
        case open
        /// A close frame is on its way; the peer's is awaited.
        case closing
        case closed
    }

    let service: ChatService
    let loop: EventLoopContext
    var context: ChannelHandlerContext?
    var phase = Phase.greeting
    /// Since when the hello, the rest of a message, or the peer's close frame has been waited for.
    var waiting: MonotonicInstant?
    var application: NexconnApplication?
    var peer: NexconnPeer?
    var reader = InboxReader(after: 0)
    /// What the welcome will say, until it has been said.
    var admission: NexconnAdmission?
    /// Whether the client said that it leaves, and whether it wants no notifications from then on.
    var leaving: Bool?
    private var receiver: WebSocketReceiver
    private var heard: MonotonicInstant
    private var asked: MonotonicInstant?
    /// Whether bytes are being looked at. When the farewell cannot be written, NIO reads what the socket still has at once, in the
    /// middle of it; nobody wants that any more.
    private var isReading = false
    private var needsFlush = false
    /// Requests that have not been answered yet.
    private var outstanding = 0
    private var isReadingPaused = false
    /// Whether the socket is not read because event loops are full.
    private var isHeld = false

    /// What came before the hello.
    private var early: (bytes: Int, frames: Int) = (0, 0)

    /// The place in ``NexconnLoop/list``.
    var place = -1
    var seats: ContiguousArray<LoopSeat<NexconnConnection>> = []
    /// Whether the connection is in the list of those to flush.
    var isUnflushed = false

    init(service: ChatService, loop: EventLoopContext, at now: MonotonicInstant) {
        self.service = service
        self.loop = loop
        heard = now
        waiting = now
        let limits = WebSocketLimits(
            messageBytes: NexconnWire.maximumFrameBytes, fragments: service.settings.maximumFragments, keptBytes: 0)
        receiver = WebSocketReceiver(role: .server, limits: limits)
    }

    var mailbox: EventLoopMailbox<NexconnLoop> { service.mailboxes[loop.number] }
    /// The sessions of this event loop.
    var sessions: NexconnLoop { mailbox.part }

    /// Whether the session is there: signed in and not on its way out.
    var isOpen: Bool { phase == .open || phase == .opening }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        sessions.list.add(self)
        // The answer to the handshake has been written and waits: the client speaks first.
        context.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        service.context.logger.debug("connection failed", metadata: ["session": "\(session)", "error": "\(type(of: error))"])
        context.close(promise: nil)
    }

    /// A device for which too much is waiting is cut off (rule NV-12), also before its hello (rule NV-60).
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard !context.channel.isWritable, isOpen || phase == .greeting else { return }
        loop.state.figures.applications.count(slot) { $0.slowSubscribersCut += 1 }
        service.context.logger.info("slow chat session cut off", metadata: ["session": "\(session)"])
        close(.bye(.slow))
    }

    var session: String { peer?.session ?? "" }
    /// Where the session is counted.
    var slot: MetricSlot { application?.slot ?? service.otherSlot }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var buffer = unwrapInboundIn(data)
        let now = service.context.now
        heard = now
        asked = nil
        loop.state.figures.applications.count(slot) { $0.bytesReceived += buffer.readableBytes }
        guard acceptsBeforeHello(bytes: buffer.readableBytes) else { return }
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
            close(.plain(error.closeCode, error.description))
        }
        guard isOpen else { return }
        if completed || !receiver.hasPartialMessage { waiting = nil }
        if receiver.hasPartialMessage, waiting == nil { waiting = now }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushReplies()
    }

    private func handle(_ event: WebSocketEvent, at now: MonotonicInstant) {
        switch event {
        case .close(let code, _): return peerCloses(code)
        case .text, .binary, .ping, .pong:
            guard isOpen || phase == .greeting else { return }
            switch event {
            case .text(let bytes):
                loop.state.figures.applications.count(slot) { $0.messagesReceived += 1 }
                receive(bytes, at: now)
            case .binary: close(.plain(.unsupportedData, "Frames are text."))
            case .ping(let payload):
                guard acceptsBeforeHello(frames: 1) else { return }
                var buffer = ByteBuffer()
                var writer = WebSocketFrameWriter(role: .server)
                writer.writePong(payload, to: &buffer)
                guard let context else { return }
                context.write(wrapOutboundOut(buffer), promise: nil)
                needsFlush = true
            case .pong: _ = acceptsBeforeHello(frames: 1)
            case .close: return
            }
        }
    }

    // MARK: Writing

    /// Writes a frame; false when the connection takes no more. Does not flush.
    func write(_ frame: ByteBuffer) -> Bool {
        guard isOpen, let context else { return false }
        context.write(wrapOutboundOut(frame), promise: nil)
        return true
    }

    func flush() {
        context?.flush()
    }

    /// Sends pongs to what has been read.
    func flushReplies() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }
}

// MARK: - Before the hello

extension NexconnConnection {
    /// What a connection may send until its hello has been read: one frame, and some pings of a library that is eager (rule NV-60).
    static let earlyBytes = 65_536
    static let earlyFrames = 16

    /// Counts what comes before the hello, and ends a connection that sends more than a hello takes.
    private func acceptsBeforeHello(bytes: Int = 0, frames: Int = 0) -> Bool {
        guard phase == .greeting else { return true }
        early.bytes += bytes
        early.frames += frames
        guard early.bytes <= Self.earlyBytes, early.frames <= Self.earlyFrames else {
            close(.bye(.tooMuchBeforeHello))
            return false
        }
        return true
    }
}

// MARK: - Requests under way

extension NexconnConnection {
    /// So many requests may be under way; then the socket is not read until half of them are answered (rule NV-34).
    static let maximumOutstanding = 256

    func requestBegins() {
        outstanding += 1
        if outstanding >= Self.maximumOutstanding { setReading(false) }
    }

    func requestEnds() {
        outstanding -= 1
        if isReadingPaused, !isHeld, outstanding <= Self.maximumOutstanding / 2 { setReading(true) }
    }

    /// While event loops are full, whoever sends something to others is not read any further (rule SV-15).
    func holdIfCongested() {
        let full = service.context.congestion.full
        guard !full.isEmpty, !isHeld, isOpen else { return }
        isHeld = true
        setReading(false)
        loop.hold(self, until: full)
    }

    func goOn() {
        isHeld = false
        // While nobody read, the client could neither prove its life nor finish a message.
        heard = service.context.now
        asked = nil
        if waiting != nil { waiting = heard }
        if outstanding <= Self.maximumOutstanding / 2 { setReading(true) }
    }

    private func setReading(_ isReading: Bool) {
        guard isReadingPaused == isReading, let context else { return }
        isReadingPaused = !isReading
        context.channel.setOption(.autoRead, value: isReading).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }
}

// MARK: - Ending

extension NexconnConnection: DrainedConnection {
    /// Says farewell, gives the session up, and waits for the peer's close frame.
    func close(_ farewell: NexconnCloseReason) {
        guard isOpen || phase == .greeting, let context else { return }
        if phase == .greeting { countRefusal(farewell) }
        phase = .closing
        waiting = service.context.now
        // The peer's close frame is awaited.
        isHeld = false
        setReading(true)
        // First, so that whoever sees the farewell finds the place free.
        signOut()
        context.writeAndFlush(wrapOutboundOut(NexconnWire.farewell(farewell)), promise: nil)
    }

    func countRefusal(_ farewell: NexconnCloseReason) {
        loop.state.counters.connectionsRefused += 1
        loop.state.figures.refuse(.chat, farewell.number)
    }

    /// The server goes: another pause for each client.
    func drain() {
        close(.bye(.restarting(after: Int.random(in: 100...5_000))))
    }

    private func peerCloses(_ code: WebSocketCloseCode?) {
        guard let context, phase != .closed else { return }
        let mustAnswer = phase != .closing
        phase = .closing
        waiting = waiting ?? service.context.now
        signOut()
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        if mustAnswer { writer.writeClose(code, to: &buffer) }
        // The answer has to leave before the socket closes; a peer that does not read is waited for by `sweep`.
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { [context] _ in
            context.close(promise: nil)
        }
    }

    /// Closes the socket without a farewell.
    func cut() {
        context?.close(promise: nil)
    }

    /// How long a silent client may take to answer a ping (session document, section 2).
    private static let pongTimeout = Duration.seconds(10)

    /// What time alone brings: pings, and the end of what takes too long.
    func sweep(at now: MonotonicInstant) {
        let settings = service.settings
        let waited = waiting.map { now.since($0) } ?? .zero
        switch phase {
        case .closed: return
        case .closing:
            if waited >= settings.closeTimeout { context?.close(promise: nil) }
        case .greeting:
            if waited >= settings.requestTimeout { close(.bye(.lateHello)) }
        case .opening, .open:
            if isHeld { return }
            if waited >= settings.messageTimeout {
                return close(.plain(.policyViolation, "A message took too long to arrive."))
            }
            if let asked {
                guard now.since(asked) >= Self.pongTimeout else { return }
                loop.state.figures.applications.count(slot) { $0.deadConnectionsCut += 1 }
                service.context.logger.info("silent chat session cut off", metadata: ["session": "\(session)"])
                context?.close(promise: nil)
            } else if now.since(heard) >= settings.chatHeartbeat {
                asked = now
                context?.writeAndFlush(wrapOutboundOut(NexconnWire.ping), promise: nil)
            }
        }
    }

    /// Gives everything back. Does nothing the second time.
    func end() {
        guard phase != .closed else { return }
        signOut()
        phase = .closed
        context = nil
        sessions.list.remove(self)
        service.context.admission.withLockedValue { $0.closeSocket() }
        if let peer { service.context.logger.debug("chat session ended", metadata: ["session": "\(peer.session)"]) }
        // It knows the connection, which would live as long as it does.
        peer = nil
    }

    /// Takes the session out of the application. Does nothing the second time.
    private func signOut() {
        sessions.rooms.detachAll(self)
        guard let application else { return }
        self.application = nil
        service.context.admission.withLockedValue { $0.close(application.name) }
        if let peer { application.signOut(peer, leaving: leaving) }
    }
}
