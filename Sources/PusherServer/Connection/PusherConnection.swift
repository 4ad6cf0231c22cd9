import Logging
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerValues
import WebSocketFraming

/// One WebSocket connection of the Pusher protocol. Kept small, like ``WebSocketConnection``, because a server has one for each client.
final class PusherConnection: WebSocketConnection, SeatedConnection {
    typealias ChannelID = PusherServer.ChannelID

    let service: PusherService
    /// The application; nil when the connection is refused and only gets an error and a close frame.
    private(set) var application: SharedApplication?
    private var front: PusherFront
    /// Whether the client's protocol version has the message `pusher:ping`.
    private let knowsPings: Bool
    /// Whether the connection has recovery: its events have positions, and missed events are replayed (rule RV-1).
    let isRecovering: Bool
    /// The number of this connection's subscriptions that the backend has not answered yet.
    private var unsettled: Int32 = 0
    /// The time by which the client must have signed in or subscribed to a channel that needs authorization.
    private var authorizeBy = MonotonicInstant(nanoseconds: .max)
    /// The address under which the connection is counted; nil when it is not limited (rule SP-68).
    let address: RemoteAddress?
    private var rare = LazyBox<RareState>()
    var seats: ShortList<LoopSeat<PusherConnection>> = []

    init(
        service: PusherService, loop: EventLoopContext, opening: Result<SharedApplication, PusherCloseReason>,
        waitsForPlace: Bool = false, knowsPings: Bool,
        wantsRecovery: Bool = false, address: RemoteAddress? = nil, refusedBy slot: MetricSlot? = nil,
        asked: @autoclosure () -> Logger.Metadata = [:]
    ) {
        self.service = service
        self.address = address
        self.knowsPings = knowsPings
        switch opening {
        case .success(let opened): application = opened
        case .failure(let farewell):
            application = nil
            rare.value = RareState(refusal: RefusedOpening(farewell: farewell, asked: asked()))
        }
        if waitsForPlace { rare.value = RareState(refusal: rare.value?.refusal, admission: .needed) }
        isRecovering = wantsRecovery && application?.value.recovery.isEnabled == true
        var random = SystemRandom()
        front = PusherFront(socketID: SocketID(using: &random))
        if let timeout = application?.value.authorizationTimeout { authorizeBy = service.now.advanced(by: timeout) }
        super.init(service.webSockets, on: loop, slot: application?.slot ?? slot)
    }

    /// The reason why the connection is refused; nil for accepted connections.
    private var refusal: RefusedOpening? { rare.value?.refusal }

    /// The state of waiting for the leader's permission; nil when the connection is counted in its application's limit.
    private var admission: PlaceState? {
        get { rare.value?.admission }
        set { if newValue != nil || rare.value != nil { rare.change(RareState()) { $0.admission = newValue } } }
    }

    var replays: ReplayBudget? {
        get { rare.value?.replays }
        set { if newValue != nil || rare.value != nil { rare.change(RareState()) { $0.replays = newValue } } }
    }

    private var mailbox: EventLoopMailbox<PusherLoop> { service.mailboxes[loop.number] }
    /// The connections and subscriptions of this connection's event loop.
    private var subscribers: PusherLoop { mailbox.part }

    var socketID: SocketID { front.socketID }
    var applicationID: String? { application?.value.id }

    override var logMetadata: Logger.Metadata { super.logMetadata.merging(["socket_id": "\(socketID)"]) { $1 } }

    override func blame(_ code: Int) -> Blame {
        switch code {
        case 4004, 4100: .server
        case 4200, 4201, 4202: .nobody
        default: super.blame(code)
        }
    }

    override var endingDetails: Logger.Metadata {
        var details = refusal?.asked ?? [:]
        if let application { details["app"] = "\(application.value.id)" }
        if let user = front.user?.id { details["user"] = "\(logText(user.utf8))" }
        return details
    }

    /// The connection's row in the list of connections of the console.
    var consoleReport: ConnectionReport {
        report(name: socketID.description, user: front.user?.id, channels: front.subscriptions.count)
    }

    func belongs(to application: String?, user: String?) -> Bool {
        (application == nil || application.map { self.application?.value.id.isExactly($0) == true } == true)
            && (user == nil || user.map { front.user?.id.isExactly($0) == true } == true)
    }

    /// Whether the connection has subscriptions in `partition`, or is signed in to an application whose home partition it is.
    func uses(_ partition: ChannelPartition) -> Bool {
        guard let id = application?.value.id else { return false }
        if front.user != nil, partition.isHome(of: id) { return true }
        return front.subscriptions.contains { partition.owns(ChannelID(application: id, name: $0.channel)) }
    }

    /// Applies changed settings of the application from now on. Existing subscriptions are kept.
    func adopt(_ application: SharedApplication) {
        self.application = application
        slot = application.slot
    }

    // MARK: Life

    override func begin() {
        subscribers.list.add(self)
        if let refusal { return refuse(refusal.farewell) }
        if admission == nil { greet() } else { waitForPlace() }
    }

    private func refuse(_ farewell: PusherCloseReason) {
        loop.state.counters.connectionsRefused += 1
        loop.state.figures.refuse(.pusher, Int(farewell.code))
        close(farewell)
    }

    private func greet() {
        let state = loop.state
        state.figures.applications.count(slot) { $0.connectionsAccepted += 1 }
        let seconds = Int(service.settings.activityTimeout.components.seconds)
        reply(
            PusherFrames.connectionEstablished(
                socketID: socketID.description, activityTimeout: max(seconds, 1),
                recovery: isRecovering ? application.map { Self.offer($0.value) } : nil))
        service.context.feed.tell(FeedEvent(.connected, .pusher, application: application?.value.id ?? ""))
        service.context.logger.debug(
            "Pusher client connected", metadata: logMetadata.merging(["app": "\(application?.value.id ?? "")"]) { $1 })
    }

    /// Waits until the leader permits the connection, and sends the first message then (rule CP-31). Until then, nothing is read from the
    /// client.
    private func waitForPlace() {
        guard let context, let application else { return }
        pauseReading(true)
        let (connection, eventLoop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
        let ticket = service.channels.awaitPlace(of: application.value) { answer in
            eventLoop.execute { connection.value.settlePlace(answer) }
        }
        admission = .awaited(ticket)
    }

    private func settlePlace(_ answer: ConnectionPlace) {
        guard let application else { return }
        guard case .awaited = admission else {
            // The connection has closed while it waited for the leader's permission, so a granted permission is returned to the leader.
            if answer == .given { service.channels.closeConnection(of: application.value) }
            return
        }
        admission = answer == .given ? nil : .refused
        guard isOpen else { return }
        pauseReading(false)
        if answer == .given {
            greet()
            flushReplies()
        } else {
            refuse(answer == .full ? .overQuota : .noLeader)
        }
    }

    override func checkTime(at now: MonotonicInstant) {
        checkReplays(at: now)
        guard now >= authorizeBy else { return }
        authorizeBy = MonotonicInstant(nanoseconds: .max)
        if !front.isAuthorized { close(.notAuthorized) }
    }

    override func fail(_ fault: WebSocketFault) {
        switch fault {
        case .slow: close(.slowSubscriber)
        case .silent: close(knowsPings ? .noPong : .inactive)
        case .draining: close(service.drainFarewell)
        case .late, .violation: super.fail(fault)
        }
    }

    /// Sends `pusher:error` and a close frame, leaves all channels, and waits for the client's close frame.
    func close(_ farewell: PusherCloseReason) {
        guard isOpen else { return }
        // A planned stop is nobody's fault. Without `blame`, the log would derive the fault from the close code. The code of a planned stop
        // is a setting, and its default means an overload, which is the server's fault.
        noteEnding(.server, code: Int(farewell.code), reason: farewell.reason, blame: farewell.concernsAll ? .nobody : nil)
        // When the server stops, all members leave, so they are not notified of each other's leaving.
        leave(isSilent: farewell.concernsAll)
        close(with: PusherWire.farewell(farewell))
    }

    override func leave() {
        leave(isSilent: false)
    }

    /// Leaves all channels and signs the user out.
    ///
    /// - Parameter isSilent: whether remaining members are not notified.
    private func leave(isSilent: Bool) {
        guard let application else { return }
        if subscribers.signedIn.removeValue(forKey: socketID) != nil {
            service.channels.signOut(UserConnection(socketID, eventLoopID: loop.eventLoopID), of: application.value)
        }
        let left = front.leaveAll()
        service.shares.closeSubscriptions(left.count, of: application.value.id, from: address)
        service.unsubscribe(
            socketID, at: loop.eventLoopID, from: left, application: application.value, isSilent: isSilent)
        subscribers.detachAll(self)
    }

    override func finish() {
        subscribers.list.remove(self)
        service.context.logger.debug("Pusher client disconnected", metadata: logMetadata)
        guard let application else { return }
        endReplays()
        service.shares.closeConnection(application.value.id, address)
        switch admission {
        case nil: service.channels.closeConnection(of: application.value)
        case .awaited(let ticket): service.channels.giveUpPlace(ticket, of: application.value)
        case .needed, .refused, .gone: break
        }
        admission = .gone
        service.context.admission.withLockedValue { $0.close(ApplicationName(.pusher, application.value.id)) }
    }

    // MARK: Messages

    override func receive(_ text: UnsafeRawBufferPointer, at now: MonotonicInstant) {
        guard let application, let context else { return }
        switch front.receive(text, parser: &subscribers.parser, application: application.value, at: now) {
        case .none: return
        case .reply(let message): reply(message)
        case .refuse(let message, let code): refuse(message, code)
        case .relay(let event): hold(until: service.relay(event, application: application.value, from: socketID))
        case .subscribe(let channel, let member, let recover):
            guard service.shares.openSubscription(application.value, address) else {
                return refuse(front.addressRefused(channel), 4100)
            }
            let (connection, eventLoop) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop)
            let recovery = recovery(recover)
            unsettled += 1
            service.subscribe(
                subscriber(context), to: channel, member: member, recovery, application: application.value
            ) { result in
                guard !eventLoop.inEventLoop else { return connection.value.settle(channel, recovery: recovery, with: result) }
                eventLoop.execute {
                    connection.value.settle(channel, recovery: recovery, with: result)
                    connection.value.flushReplies()
                }
            }
            if unsettled > 0, Int(unsettled) >= service.channels.subscriptionsAhead(of: application.value) { pauseReading(true) }
        case .unsubscribe(let subscription):
            service.shares.closeSubscriptions(1, of: application.value.id, from: address)
            hold(
                until: service.unsubscribe(subscriber(context), from: subscription, application: application.value))
        case .signIn(let signIn, let answers):
            subscribers.signedIn[socketID] = self
            service.channels.signIn(
                ConnectionSignIn(
                    connection: UserConnection(socketID, eventLoopID: loop.eventLoopID), application: application.value,
                    user: signIn.user.id, watchlist: signIn.watchlist, answers: answers.map { PusherWire.frame($0) }))
        }
    }

    private func subscriber(_ context: ChannelHandlerContext) -> ChannelSubscriber {
        ChannelSubscriber(
            socketID: socketID, eventLoopID: loop.eventLoopID,
            place: .here(NIOLoopBound(self, eventLoop: context.eventLoop), context.eventLoop))
    }

    /// Applies the backend's decision about a subscription.
    private func settle(
        _ channel: String, recovery: SubscriptionRecovery?, with result: Result<SubscriptionGrant, SubscribeRefusal>
    ) {
        unsettled -= 1
        if isReadingPaused, let application,
            Int(unsettled) <= service.channels.subscriptionsAhead(of: application.value) / 2
        {
            pauseReading(false)
        }
        switch result {
        case .success(let grant):
            settle(recovery, replayed: grant.replayed, begins: grant.beganHistory)
            hold(until: grant.full)
        case .failure(.unavailable):
            // The connection is closed so that the client reconnects. If it only got an error, it would not subscribe to the channel again
            // (rule CP-21).
            settle(recovery, replayed: 0)
            close(.noLeader)
        case .failure(let refusal):
            settle(recovery, replayed: 0)
            let before = front.subscriptions.count
            let answer = front.refused(channel, refusal)
            if let application {
                service.shares.closeSubscriptions(before - front.subscriptions.count, of: application.value.id, from: address)
            }
            refuse(answer, refusal.code)
        }
    }

    private func reply(_ message: [UInt8]) {
        reply(PusherWire.frame(message))
    }

    private func refuse(_ message: [UInt8], _ code: Int?) {
        loop.state.figures.err(.pusher, code)
        logError(message, code)
        reply(message)
    }

    /// Logs an error that the client receives while its connection stays open, with the client's error text (rule SO-151). For a refused
    /// signature the entry has the text that should have been signed, with `channel_data` in place of the member's data.
    private func logError(_ message: [UInt8], _ code: Int?) {
        loop.state.note("error sent to the client", blame(code ?? 0), in: service.context) {
            var metadata = logMetadata.merging(endingDetails) { $1 }
            metadata["service"] = "\(service.service.rawValue)"
            if let code { metadata["code"] = "\(code)" }
            if let address = context?.remoteAddress?.ipAddress { metadata["address"] = "\(address)" }
            guard let frame = PusherWire.value(of: message) else { return metadata }
            if let reason = frame["data"]?["message"]?.string { metadata["reason"] = "\(logText(reason.utf8))" }
            guard let channel = frame["channel"]?.string else { return metadata }
            metadata["channel"] = "\(logText(channel.utf8))"
            guard code == 4009 else { return metadata }
            let hasData = PusherChannelKind(of: channel).access == .presence
            metadata["signed"] = "\(socketID):\(logText(channel.utf8))\(hasData ? ":channel_data" : "")"
            return metadata
        }
    }
}

/// The state of a connection that is not yet, or no longer, counted in its application's limit of connections.
private enum PlaceState {
    /// The connection needs the leader's permission and has not requested this permission yet.
    case needed
    case awaited(UInt64)
    /// The leader refused the connection, because the limit is reached or the leader could not be reached.
    case refused
    /// The connection has closed, so it is no longer counted.
    case gone
}

/// State that only few connections need. It is stored separately, so that all other connections take less memory.
private struct RareState {
    /// The reason why the connection is refused; nil for accepted connections.
    var refusal: RefusedOpening?
    /// The memory that is reserved for replays; nil when no replay is being sent.
    var replays: ReplayBudget?
    /// The state of waiting for the leader's permission; nil when the connection is counted in its application's limit.
    var admission: PlaceState?
}

/// A refused connection, which only gets an error and a close frame. `asked` describes its request for the log.
struct RefusedOpening {
    let farewell: PusherCloseReason
    let asked: Logger.Metadata
}
