import ChatProtocol
import NIOCore
import ServerRuntime
import ServerStorage

/// The opening of a session, from the hello to live delivery (chat-protocol.md, sections 2 and 4).
extension ChatConnection {
    /// Handles the first frame of the client.
    func greet(_ hello: ChatHello) {
        guard let context else { return }
        guard hello.version == 1 else { return close(.bye(.unknownVersion)) }
        guard let application = service.gateway(key: hello.appKey) else { return refuse(hello, .unknownApplication) }
        // The index (slot) of the application's counters is set before a refusal, too: the refusal's log entry and the console's row name
        // the application (rule SO-148).
        slot = application.slot
        if let refusal = application.refusal { return refuse(hello, refusal) }
        switch service.context.admission.withLockedValue({ $0.open(application.name, limit: nil) }) {
        case .admitted: break
        case .overCapacity, .overQuota: return refuse(hello, .full)
        case .draining: return drain()
        }
        self.application = application
        greeted()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let mailbox = mailbox
        application.signIn(
            hello, service.newSession(on: loop), session: Self.randomName(), address: Self.address(context),
            line: ChatLine(mailbox: mailbox, connection: bound)
        ) { result in
            mailbox.enqueue(.admit(bound, result))
        }
    }

    /// Handles the application's answer to the hello.
    func admit(_ result: Result<ChatSessionAdmission, ChatRequestRefusal>) {
        switch result {
        case .failure(let refusal):
            let farewell = ChatCloseReason.bye(ChatBye(refusal))
            countRefusal(farewell)
            close(farewell)
        case .success(let admission):
            // The connection may have closed before the application answered the sign-in. In that case nothing else removes the session
            // from the application.
            guard isOpen, let application else {
                admission.application.signOut(admission.peer, leaving: nil)
                return
            }
            peer = admission.peer
            reader = InboxReader(after: admission.start.after)
            self.admission = admission
            readInbox(application)
        }
    }

    func readInbox(_ application: any ChatGateway) {
        guard let peer, let line = peer.line else { return }
        application.readInbox(of: peer.user, after: reader.written, for: line)
    }

    /// Handles a page of the inbox. Sends the welcome before the first page, because the welcome says whether events were lost.
    func take(_ page: [ChatInboxEntry]?, _ sessions: ChatLoop) {
        guard isOpen, let application, let peer else { return }
        guard let page else { return close(.bye(.unreadable)) }
        let isFirst = admission != nil
        defer { if isFirst { application.tellPresence(to: peer) } }
        if let admission {
            self.admission = nil
            loop.state.figures.applications.count(slot) { $0.connectionsAccepted += 1 }
            let welcome = welcome(admission, firstKept: page.first?.sequence, application)
            sessions.writer.write(ChatWire.frame(ChatServerFrames.welcome(welcome)), to: self)
            service.context.logger.debug(
                "chat session opened",
                metadata: ["session": "\(peer.session)", "app": "\(application.key)", "resumed": "\(welcome.isResumed)"])
        }
        guard let package = reader.take(page) else { return readInbox(application) }
        let items = package.items.map { (sequence: $0.sequence, body: $0.body) }
        sessions.writer.write(ChatWire.frame(ChatServerFrames.package(items, hasMore: package.hasMore)), to: self)
        for held in package.held {
            sessions.writer.write(ChatWire.push(held.body, sequence: held.sequence), to: self)
        }
    }

    private func welcome(
        _ admission: ChatSessionAdmission, firstKept: UInt64?, _ application: any ChatGateway
    ) -> ChatWelcome {
        let start = admission.start
        let settings = application.settings
        return ChatWelcome(
            user: admission.peer.user.text, session: admission.peer.session,
            time: Int64(clamping: service.context.clock.unixTicks() / TimetokenClock.ticksPerMillisecond),
            place: ChatPlace(epoch: admission.epoch, sequence: start.after), isResumed: start.isResumed,
            hasLost: start.hasLost(firstKept: firstKept),
            heartbeat: Int(service.settings.chatHeartbeat / .milliseconds(1)),
            settings: ChatServerSettings(
                modifiableMinutes: settings.limits.modifiableMinutes, syncsDevices: settings.syncsDevices,
                hasPresence: settings.hasPresence))
    }

    /// Handles an inbox event that has been committed. `knows`: whether the device already has the event.
    func push(
        _ body: ByteBuffer, _ sequence: UInt64, knows: Bool, _ sessions: ChatLoop
    ) {
        guard isOpen else { return }
        if knows { reader.skip(sequence) }
        guard reader.push(sequence, body) else { return }
        sessions.writer.write(ChatWire.push(body, sequence: sequence), to: self)
    }

    private static func randomName() -> String {
        let name = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - name.utf8.count) + name
    }

    private static func address(_ context: ChannelHandlerContext) -> String {
        guard let address = context.remoteAddress, let ip = address.ipAddress, let port = address.port else { return "" }
        return ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)"
    }
}

extension ChatBye {
    /// The `bye` for a refused hello. It permits a retry only if the reason is temporary.
    init(_ refusal: ChatRequestRefusal) {
        let mayRetry = refusal.code == .tooManyConnections || refusal.code == .storageFailed
        self.init(
            code: refusal.code == .storageFailed ? .serverRestarts : refusal.code, reason: refusal.reason,
            mayRetry: mayRetry, after: mayRetry ? 5_000 : nil)
    }
}
