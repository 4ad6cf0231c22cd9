import NIOCore
import NexconnProtocol
import RealtimeHub
import WebSocketFraming

/// One chat session's WebSocket: the only handler of its channel, so that frames go straight to the socket.
///
/// Lives on its event loop. Kept small, since a server has many: no timers, closures, dictionaries or buffers of its own.
final class NexconnConnection: ChannelInboundHandler, RemovableChannelHandler, HeldReader {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A place in an open channel on this loop.
    struct Seat {
        let room: NexconnLoopRoom
        var index: Int
    }

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

    let core: ServerCore
    let outlet: LoopOutlet
    var context: ChannelHandlerContext?
    var phase = Phase.greeting
    /// Since when the hello, the rest of a message, or the peer's close frame has been waited for.
    var waiting: HubInstant?
    var application: NexconnApplication?
    var peer: NexconnPeer?
    var reader = InboxReader(after: 0)
    /// What the welcome will say, until it has been said.
    var admission: NexconnAdmission?
    /// Whether the client said that it leaves, and whether it wants no notifications from then on.
    var leaving: Bool?
    private var receiver: WebSocketReceiver
    private var heard: HubInstant
    private var asked: HubInstant?
    /// Whether bytes are being looked at. When the farewell cannot be written, NIO reads what the socket still has at once, in the
    /// middle of it; nobody wants that any more.
    private var isReading = false
    private var needsFlush = false
    /// Requests that have not been answered yet.
    private var outstanding = 0
    private var isReadingPaused = false
    /// Whether the socket is not read because event loops are full.
    private var isHeld = false

    /// The place in ``NexconnLoop/connections``.
    var place = -1
    var seats: ContiguousArray<Seat> = []
    /// Whether the connection is in the list of those to flush.
    var isUnflushed = false

    init(core: ServerCore, outlet: LoopOutlet, at now: HubInstant) {
        self.core = core
        self.outlet = outlet
        heard = now
        waiting = now
        let limits = WebSocketLimits(
            messageBytes: NexconnWire.maximumFrameBytes, fragments: core.configuration.maximumFragments, keptBytes: 0)
        receiver = WebSocketReceiver(role: .server, limits: limits)
    }

    /// Whether the session is there: signed in and not on its way out.
    var isOpen: Bool { phase == .open || phase == .opening }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        outlet.state.chat.add(self)
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
        core.logger.debug("connection failed", metadata: ["session": "\(session)", "error": "\(type(of: error))"])
        context.close(promise: nil)
    }

    /// A device for which too much is waiting is cut off (rule NV-12).
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard !context.channel.isWritable, isOpen else { return }
        outlet.state.figures.applications.count(slot) { $0.slowSubscribersCut += 1 }
        core.logger.info("slow chat session cut off", metadata: ["session": "\(session)"])
        close(.bye(.slow))
    }

    var session: String { peer?.session ?? "" }
    /// Where the session is counted.
    var slot: MetricSlot { application.map { core.chatSlots[$0.number] } ?? .otherChat }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var buffer = unwrapInboundIn(data)
        let now = core.now
        heard = now
        asked = nil
        outlet.state.figures.applications.count(slot) { $0.bytesReceived += buffer.readableBytes }
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

    private func handle(_ event: WebSocketEvent, at now: HubInstant) {
        switch event {
        case .close(let code, _): return peerCloses(code)
        case .text, .binary, .ping, .pong:
            guard isOpen || phase == .greeting else { return }
            switch event {
            case .text(let bytes):
                outlet.state.figures.applications.count(slot) { $0.messagesReceived += 1 }
                receive(bytes, at: now)
            case .binary: close(.plain(.unsupportedData, "Frames are text."))
            case .ping(let payload):
                var buffer = ByteBuffer()
                var writer = WebSocketFrameWriter(role: .server)
                writer.writePong(payload, to: &buffer)
                guard let context else { return }
                context.write(wrapOutboundOut(buffer), promise: nil)
                needsFlush = true
            case .pong, .close: return
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
        let full = core.congestion.full
        guard !full.isEmpty, !isHeld, isOpen else { return }
        isHeld = true
        setReading(false)
        outlet.hold(self, until: full)
    }

    func goOn() {
        isHeld = false
        // While nobody read, the client could neither prove its life nor finish a message.
        heard = core.now
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

extension NexconnConnection {
    /// Says farewell, gives the session up, and waits for the peer's close frame.
    func close(_ farewell: NexconnFarewell) {
        guard isOpen || phase == .greeting, let context else { return }
        if phase == .greeting { countRefusal(farewell) }
        phase = .closing
        waiting = core.now
        // The peer's close frame is awaited.
        isHeld = false
        setReading(true)
        // First, so that whoever sees the farewell finds the place free.
        signOut()
        context.writeAndFlush(wrapOutboundOut(NexconnWire.farewell(farewell)), promise: nil)
    }

    func countRefusal(_ farewell: NexconnFarewell) {
        outlet.state.counters.connectionsRefused += 1
        outlet.state.figures.refuse(.chat, farewell.number)
    }

    /// The server goes: another pause for each client.
    func drain() {
        close(.bye(.restarting(after: Int.random(in: 100...5_000))))
    }

    private func peerCloses(_ code: WebSocketCloseCode?) {
        guard let context, phase != .closed else { return }
        let mustAnswer = phase != .closing
        phase = .closing
        waiting = waiting ?? core.now
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
    func sweep(at now: HubInstant) {
        let configuration = core.configuration
        let waited = waiting.map { now.since($0) } ?? .zero
        switch phase {
        case .closed: return
        case .closing:
            if waited >= configuration.closeTimeout { context?.close(promise: nil) }
        case .greeting:
            if waited >= configuration.requestTimeout { close(.bye(.lateHello)) }
        case .opening, .open:
            if isHeld { return }
            if waited >= configuration.messageTimeout {
                return close(.plain(.policyViolation, "A message took too long to arrive."))
            }
            if let asked {
                guard now.since(asked) >= Self.pongTimeout else { return }
                outlet.state.figures.applications.count(slot) { $0.deadConnectionsCut += 1 }
                core.logger.info("silent chat session cut off", metadata: ["session": "\(session)"])
                context?.close(promise: nil)
            } else if now.since(heard) >= configuration.chatHeartbeat {
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
        outlet.state.chat.remove(self)
        core.admission.withLockedValue { $0.closeSocket() }
        if let peer { core.logger.debug("chat session ended", metadata: ["session": "\(peer.session)"]) }
        // It knows the connection, which would live as long as it does.
        peer = nil
    }

    /// Takes the session out of the application. Does nothing the second time.
    private func signOut() {
        outlet.state.chat.unseat(self)
        guard let application else { return }
        self.application = nil
        core.admission.withLockedValue { $0.close(application: application.admissionName) }
        if let peer { application.signOut(peer, leaving: leaving) }
    }
}
