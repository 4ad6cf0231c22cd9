import ChatProtocol
import Logging
import NIOCore
import ServerRuntime
import ServerValues

/// The WebSocket connection of one chat session. There may be very many connections, so each takes little memory. The server sends nothing
/// on it before the welcome.
final class ChatConnection: WebSocketConnection, SeatedConnection {
    typealias ChannelID = ChatRoomID

    let service: ChatService
    var application: (any ChatGateway)?
    var peer: ChatSessionPeer?
    var reader = InboxReader(after: 0)
    /// The result of the sign-in, which the welcome contains; nil before the sign-in and after the welcome.
    var admission: ChatSessionAdmission?
    /// Whether the client's `leave` asked for no more push notifications; nil until the client has sent `leave`.
    var leaving: Bool?
    /// The number of requests that have not been answered yet.
    private var outstanding = 0
    /// The bytes and frames that arrived before the hello.
    private var early: (bytes: Int, frames: Int) = (0, 0)
    var seats: ShortList<LoopSeat<ChatConnection>> = []
    /// For the log: the beginning of the application key with which a client was refused at its hello.
    private var asked: Logger.Metadata = [:]

    init(service: ChatService, loop: EventLoopContext) {
        self.service = service
        super.init(service.webSockets, on: loop, expectsGreeting: true)
    }

    var mailbox: EventLoopMailbox<ChatLoop> { service.mailboxes[loop.number] }
    /// The chat sessions of the connection's event loop.
    var sessions: ChatLoop { mailbox.part }

    override var logMetadata: Logger.Metadata {
        guard let session = peer?.session else { return super.logMetadata }
        return super.logMetadata.merging(["session": "\(session)"]) { $1 }
    }

    // MARK: Before the hello

    /// The largest number of bytes before the hello, enough for one frame and some early pings of client libraries (rule NV-60).
    static let earlyBytes = 65_536
    static let earlyFrames = 16

    override func mayPrecedeGreeting(bytes: Int, frames: Int) -> Bool {
        early.bytes += bytes
        early.frames += frames
        guard early.bytes <= Self.earlyBytes, early.frames <= Self.earlyFrames else {
            close(.bye(.tooMuchBeforeHello))
            return false
        }
        return true
    }

    // MARK: Requests in progress

    /// The number of requests in progress at which reading from the socket pauses, until half of them are answered (rule NV-34).
    static let maximumOutstanding = 256

    func requestBegins() {
        outstanding += 1
        if outstanding >= Self.maximumOutstanding { pauseReading(true) }
    }

    func requestEnds() {
        outstanding -= 1
        if outstanding <= Self.maximumOutstanding / 2 { pauseReading(false) }
    }

    // MARK: Life

    override func begin() {
        sessions.list.add(self)
    }

    override func receive(_ text: UnsafeRawBufferPointer, at now: MonotonicInstant) {
        read(text)
    }

    override func fail(_ fault: WebSocketFault) {
        switch fault {
        case .slow: close(.bye(.slow))
        case .silent:
            noteEnding(.server, code: 0, reason: "The client sent nothing in time, not even a pong.")
            hangUp()
        // The delay before reconnecting is random, so that clients do not reconnect at the same time.
        case .draining: close(.bye(.restarting(after: Int.random(in: 100...5_000))))
        case .late where expectsGreeting: close(.bye(.lateHello))
        case .late, .violation: close(.plain(fault.code, fault.reason))
        }
    }

    /// Sends a `bye`, ends the session, and waits for the client's close frame.
    func close(_ farewell: ChatCloseReason) {
        guard isOpen else { return }
        noteEnding(.server, code: farewell.number, reason: farewell.reason)
        if expectsGreeting { countRefusal(farewell) }
        close(with: ChatWire.farewell(farewell))
    }

    override func blame(_ code: Int) -> Blame {
        switch ChatErrorCode(rawValue: code) {
        case .tooManyConnections, .tooFrequent: .server
        case .serverRestarts, .kicked: .nobody
        default: code == 0 ? .nobody : super.blame(code)
        }
    }

    override var endingDetails: Logger.Metadata {
        var details = asked
        if let application { details["app"] = "\(logText(application.name.application.text.utf8))" }
        if let peer { details["user"] = "\(logText(peer.user.text.utf8))" }
        return details
    }

    /// Ends a session that is refused at its hello.
    func refuse(_ hello: ChatHello, _ bye: ChatBye) {
        asked["key"] = "\(logKey(hello.appKey))"
        close(.bye(bye))
    }

    func countRefusal(_ farewell: ChatCloseReason) {
        loop.state.counters.connectionsRefused += 1
        loop.state.figures.refuse(.chat, farewell.number)
    }

    /// Removes the session from the application.
    override func leave() {
        sessions.rooms.detachAll(self)
        guard let application else { return }
        self.application = nil
        service.context.admission.withLockedValue { $0.close(application.name) }
        if let peer { application.signOut(peer, leaving: leaving) }
    }

    override func finish() {
        sessions.list.remove(self)
        if peer != nil { service.context.logger.debug("chat session ended", metadata: logMetadata) }
        // The peer refers to the connection. Without this statement, connection and peer would refer to each other, and neither would be
        // released.
        peer = nil
    }
}
