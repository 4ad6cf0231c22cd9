import Identifiers
import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime
import ServerValues
import WebSocketFraming

/// One WebSocket connection: the only handler of its channel, so that frames go straight to the socket.
///
/// Lives on its event loop. Kept small, since a server has many: no timers, closures, dictionaries or buffers of its own.
final class PusherConnection: ChannelInboundHandler, RemovableChannelHandler, UpgradedConnection, HeldReader, ListedConnection,
    SeatedConnection
{
    typealias ChannelID = RealtimeHub.ChannelID
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        /// Not greeted yet.
        case new
        case open
        /// A close frame is on its way; the peer's is awaited.
        case closing
        /// Everything is given back, the socket is on its way out.
        case ended
        case closed
    }

    private let service: PusherService
    private let loop: EventLoopContext
    /// Nil when the connection is refused and only gets a farewell.
    private var application: SharedApplication?
    private let refusal: PusherCloseReason?
    private var context: ChannelHandlerContext?
    private var socket: DirectSocket
    private var receiver: WebSocketReceiver
    private var front: PusherFront
    private var liveness: Liveness
    private var phase = Phase.new
    /// Since when a message has been coming in, or since when the close frame is out.
    private var waiting: MonotonicInstant?
    /// When the connection has to be authorized at the latest.
    private var authorizeBy = MonotonicInstant(nanoseconds: .max)
    /// Whether bytes are being looked at. When the farewell cannot be written, NIO reads what the socket still has at once, in the
    /// middle of it; nobody wants that any more.
    private var isReading = false
    private var needsFlush = false
    /// Whether the socket is not read, since what the connection sent has filled event loops.
    private var isHeld = false
    /// Whether the client's version of the protocol has `pusher:ping`.
    private let knowsPings: Bool

    /// The place in ``PusherLoop/list``.
    var place = -1
    var seats: ContiguousArray<LoopSeat<PusherConnection>> = []
    /// Whether the connection is in the list of those to flush.
    var isUnflushed = false

    init(
        service: PusherService, loop: EventLoopContext, opening: Result<SharedApplication, PusherCloseReason>, knowsPings: Bool,
        at now: MonotonicInstant
    ) {
        self.service = service
        self.loop = loop
        self.knowsPings = knowsPings
        switch opening {
        case .success(let application): (self.application, refusal) = (application, nil)
        case .failure(let farewell): (application, refusal) = (nil, farewell)
        }
        socket = DirectSocket(isPlain: !service.context.settings.usesTLS)
        var random = SystemRandom()
        front = PusherFront(socketID: SocketID(using: &random))
        liveness = Liveness(at: now)
        if let timeout = application?.value.authorizationTimeout { authorizeBy = now.advanced(by: timeout) }
        let limits = WebSocketLimits(
            messageBytes: service.settings.maximumMessageBytes, fragments: service.settings.maximumFragments, keptBytes: 0)
        receiver = WebSocketReceiver(role: .server, limits: limits)
    }

    private var mailbox: EventLoopMailbox<PusherLoop> { service.mailboxes[loop.number] }
    /// The connections of this event loop.
    private var subscribers: PusherLoop { mailbox.part }

    var socketID: SocketID { front.socketID }
    /// Where the connection is counted.
    var slot: MetricSlot { application?.slot ?? service.otherSlot }
    var isOpen: Bool { phase == .open }
    /// What waits for the socket to take it.
    var pendingBytes: Int {
        let bytes = try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return bytes ?? 0
    }

    func belongs(to application: String?, user: String?) -> Bool {
        (application == nil || application.map { self.application?.value.id.isExactly($0) == true } == true)
            && (user == nil || user.map { front.user?.id.isExactly($0) == true } == true)
    }

    var applicationID: String? { application?.value.id }

    /// Follows the settings of its application from now on. What the connection has already, it keeps.
    func adopt(_ application: SharedApplication) {
        self.application = application
    }

    // MARK: Life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let state = loop.state
        subscribers.list.add(self)
        phase = .open
        if let refusal {
            state.counters.connectionsRefused += 1
            state.figures.refuse(.pusher, Int(refusal.code))
            return close(refusal)
        }
        state.figures.applications.count(slot) { $0.connectionsAccepted += 1 }
        let seconds = Int(service.settings.activityTimeout.components.seconds)
        reply(PusherFrames.connectionEstablished(socketID: socketID.description, activityTimeout: max(seconds, 1)))
        flushReplies()
        service.context.logger.debug(
            "connected", metadata: ["socket_id": "\(socketID)", "app": "\(application?.value.id ?? "")"])
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        service.context.logger.debug("connection failed", metadata: ["socket_id": "\(socketID)", "error": "\(type(of: error))"])
        hangUp()
    }

    /// A subscriber for which too much is waiting is cut off (rule SV-4).
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard !context.channel.isWritable, phase == .open else { return }
        loop.state.figures.applications.count(slot) { $0.slowSubscribersCut += 1 }
        service.context.logger.info("slow subscriber cut off", metadata: ["socket_id": "\(socketID)"])
        close(.slowSubscriber)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var buffer = unwrapInboundIn(data)
        let now = service.now
        liveness.hear(at: now)
        loop.state.figures.applications.count(slot) { $0.bytesReceived += buffer.readableBytes }
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
        guard phase == .open else { return }
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
            guard phase == .open, let application else { return }
            switch event {
            case .text(let bytes):
                loop.state.figures.applications.count(slot) { $0.messagesReceived += 1 }
                perform(front.receive(bytes, parser: &subscribers.parser, application: application.value, at: now), application)
            case .binary: close(.plain(.unsupportedData, "Messages are text."))
            case .ping(let payload):
                var buffer = ByteBuffer()
                var writer = WebSocketFrameWriter(role: .server)
                writer.writePong(payload, to: &buffer)
                needsFlush = write(buffer) || needsFlush
            case .pong, .close: return
            }
        }
    }

    private func perform(_ action: PusherAction, _ application: SharedApplication) {
        guard let context else { return }
        switch action {
        case .none: return
        case .reply(let message): reply(message)
        case .refuse(let message, let code): refuse(message, code)
        case .relay(let event): hold(until: service.relay(event, application: application.value, from: socketID))
        case .subscribe(let channel, let member):
            let subscriber = subscriber(context)
            service.subscribe(subscriber, to: channel, member: member, application: application.value) { result in
                subscriber.onItsLoop { $0.finish(channel, result) }
            }
        case .unsubscribe(let subscription):
            hold(
                until: service.unsubscribe(
                    subscriber(context), at: loop.partition, from: subscription.channel, userID: subscription.userID,
                    application: application.value))
        case .signIn(let signIn, let answers):
            subscribers.signedIn[socketID] = self
            service.channels.signIn(
                ConnectionSignIn(
                    connection: UserConnection(socketID, partition: loop.partition), application: application.value,
                    user: signIn.user.id, watchlist: signIn.watchlist, answers: answers.map { PusherWire.frame($0) }))
        }
    }

    private func subscriber(_ context: ChannelHandlerContext) -> ChannelSubscriber {
        ChannelSubscriber(
            socketID: socketID, partition: loop.partition, connection: NIOLoopBound(self, eventLoop: context.eventLoop),
            eventLoop: context.eventLoop)
    }

    /// The backend has decided about a subscription.
    private func finish(_ channel: String, _ result: Result<PartitionSet, SubscribeRefusal>) {
        switch result {
        case .success(let full): hold(until: full)
        case .failure(let refusal): refuse(front.refused(channel, refusal), refusal.code)
        }
    }

    // MARK: Writing

    /// Writes frames; false when the connection takes no more. Does not flush.
    @inline(__always)
    func write(_ frames: ByteBuffer) -> Bool {
        guard phase == .open, let context else { return false }
        socket.usesQueue()
        context.write(wrapOutboundOut(frames), promise: nil)
        return true
    }

    /// Writes and flushes frames; false when the connection takes no more.
    @inline(__always)
    func send(_ frames: ByteBuffer) -> Bool {
        guard phase == .open, let context else { return false }
        let sent = socket.send(frames, on: context)
        guard sent < frames.readableBytes else { return true }
        var rest = frames
        rest.moveReaderIndex(forwardBy: sent)
        socket.usesQueue()
        context.writeAndFlush(wrapOutboundOut(rest), promise: nil)
        return true
    }

    func flush() {
        context?.flush()
    }

    private func reply(_ message: [UInt8]) {
        let frame = PusherWire.frame(message)
        guard write(frame) else { return }
        needsFlush = true
        subscribers.countSent(frame, to: self)
    }

    private func refuse(_ message: [UInt8], _ code: Int?) {
        loop.state.figures.err(.pusher, code)
        reply(message)
    }

    /// Sends the answers to what has been read.
    func flushReplies() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }
}

// MARK: - Waiting for event loops

extension PusherConnection {
    /// Stops reading the socket until these event loops have room (rule SV-15). What has been read already is still done: it is
    /// no more than one read, and nothing of it is lost.
    private func hold(until loops: PartitionSet) {
        guard !loops.isEmpty, !isHeld, phase == .open else { return }
        setHeld(true)
        loop.hold(self, until: loops)
    }

    func goOn() {
        setHeld(false)
        // While nobody read, the client could neither prove its life nor finish a message.
        let now = service.now
        liveness.hear(at: now)
        if waiting != nil { waiting = now }
    }

    private func setHeld(_ isHeld: Bool) {
        guard isHeld != self.isHeld, let context else { return }
        self.isHeld = isHeld
        context.channel.setOption(.autoRead, value: !isHeld).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }
}

// MARK: - Ending

extension PusherConnection: DrainedConnection {
    func drain() {
        close(service.drainFarewell)
    }

    /// Says farewell, leaves all channels, and waits for the peer's close frame.
    func close(_ farewell: PusherCloseReason) {
        guard phase == .open, let context else { return }
        phase = .closing
        waiting = service.now
        // The peer's close frame is awaited.
        setHeld(false)
        // First, so that whoever sees the farewell finds the seats free and the user signed out. When the server goes, everybody does:
        // who is told that the others left would see them flicker.
        leave(isSilent: farewell.concernsAll)
        context.writeAndFlush(wrapOutboundOut(PusherWire.farewell(farewell)), promise: nil)
    }

    private func peerCloses(_ code: WebSocketCloseCode?) {
        guard let context, phase == .open || phase == .closing else { return }
        let mustAnswer = phase == .open
        phase = .closing
        waiting = waiting ?? service.now
        leave()
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        if mustAnswer { writer.writeClose(code, to: &buffer) }
        // The answer has to leave before the socket closes; a peer that does not read is waited for by `sweep`.
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in self.hangUp() }
    }

    /// Closes the socket, without a farewell of its own.
    ///
    /// Gives back first: whoever sees the end and comes back at once has to find the place free, since a quota's 4004 tells
    /// clients to stay away (rule SP-4).
    func hangUp() {
        let context = context
        giveBack()
        context?.close(promise: nil)
    }

    /// What time alone brings: pings, and the end of what takes too long.
    func sweep(at now: MonotonicInstant) {
        let settings = service.settings
        switch phase {
        case .new, .ended, .closed: return
        case .closing:
            if let waiting, now.since(waiting) >= settings.closeTimeout { hangUp() }
        case .open:
            if isHeld { return }
            if let waiting, now.since(waiting) >= settings.messageTimeout {
                return close(.plain(.policyViolation, "A message took too long to arrive."))
            }
            if now >= authorizeBy {
                guard front.isAuthorized else { return close(.notAuthorized) }
                authorizeBy = MonotonicInstant(nanoseconds: .max)
            }
            let verdict = liveness.check(
                at: now, activityTimeout: settings.activityTimeout, pongTimeout: settings.pongTimeout)
            switch verdict {
            case .alive: return
            case .ask: if write(PusherWire.ping) { flush() }
            case .dead:
                loop.state.figures.applications.count(slot) { $0.deadConnectionsCut += 1 }
                close(knowsPings ? .noPong : .inactive)
            }
        }
    }

    /// The socket is gone. Does nothing the second time.
    func end() {
        guard phase != .closed else { return }
        giveBack()
        phase = .closed
        service.context.admission.withLockedValue { $0.closeSocket() }
        service.context.logger.debug("disconnected", metadata: ["socket_id": "\(socketID)"])
    }

    /// Gives everything back but the socket. Does nothing the second time.
    private func giveBack() {
        guard phase != .ended, phase != .closed else { return }
        leave()
        phase = .ended
        context = nil
        subscribers.list.remove(self)
        if let application {
            service.context.admission.withLockedValue { $0.close(ApplicationName(.pusher, application.value.id)) }
            service.channels.closeConnection(of: application.value)
        }
    }

    /// Leaves all channels, and the user.
    private func leave(isSilent: Bool = false) {
        guard let application else { return }
        if subscribers.signedIn.removeValue(forKey: socketID) != nil {
            service.channels.signOut(UserConnection(socketID, partition: loop.partition), of: application.value)
        }
        for subscription in front.leaveAll() {
            service.unsubscribe(
                nil, at: loop.partition, from: subscription.channel, userID: subscription.userID, application: application.value,
                isSilent: isSilent)
        }
        subscribers.channels.detachAll(self)
    }
}
