import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage
import ServerValues

/// Passes requests of sessions to the process that decides the requests of their application. May be used from any thread.
///
/// A session receives admissions, answers and events in the order of the decisions that caused them.
package protocol ChatGateway: AnyObject, Sendable {
    var key: String { get }
    /// The index (slot) of the application's counters in the metrics.
    var slot: MetricSlot { get }
    var settings: ChatApplication { get }
    /// The refusal for every session while the application is not served; nil while it is served.
    var refusal: ChatBye? { get }

    /// Checks a token, adds the device to the user's sessions, and ends the sessions that it replaces (rules NV-6 to NV-8).
    ///
    /// - Parameter completion: called on any thread. From then on all events are delivered to the connection.
    func signIn(
        _ hello: ChatHello, _ chat: ChatSessionID, session: String, address: String, line: ChatLine,
        completion: @escaping @Sendable (Result<ChatSessionAdmission, ChatRequestRefusal>) -> Void)
    /// Removes a session. A user who has lost the connection stays online and in open channels for a grace period.
    ///
    /// - Parameter leaving: nil unless the client has sent `leave`; otherwise whether it asked for no more push notifications.
    func signOut(_ peer: ChatSessionPeer, leaving: Bool?)
    /// Performs a request of a session.
    ///
    /// - Parameters:
    ///   - frame: the request as received; valid only during the call.
    ///   - reply: receives the frame of the answer. Called once, on any thread.
    func perform(
        _ request: ChatRequest, _ number: UInt64, read frame: UnsafeRawBufferPointer, by peer: ChatSessionPeer,
        reply: @escaping @Sendable (ByteBuffer) -> Void)
    /// Refuses a frame that could not be parsed, after the answers to earlier requests.
    func refuse(
        _ number: UInt64, _ refusal: ChatRequestRefusal, to peer: ChatSessionPeer, reply: @escaping @Sendable (ByteBuffer) -> Void
    )
    /// Records that a device has stored the entries of its user's inbox up to a position.
    func acknowledge(_ sequence: UInt64, by user: Identifier)
    /// Sends a typing notification. It is dropped when the receiver is not connected, blocks the sender, or cannot receive messages.
    func tellTyping(_ type: String, to user: Identifier, by peer: ChatSessionPeer)
    /// Sends a new session the online status of the users whom its user watches. Called after the welcome.
    func tellPresence(to peer: ChatSessionPeer)
    /// Reads the entries of a user's inbox for one package, and one further entry that shows whether more entries follow. Passes them to
    /// the connection.
    func readInbox(of user: Identifier, after sequence: UInt64, for line: ChatLine)
}

/// A session's connection, and the mailbox through which other threads reach the connection's event loop.
package struct ChatLine: Sendable {
    let mailbox: EventLoopMailbox<ChatLoop>
    /// The connection, for use on its event loop only.
    let connection: NIOLoopBound<ChatConnection>
}

/// An admitted session.
package struct ChatSessionAdmission: Sendable {
    var application: any ChatGateway
    var peer: ChatSessionPeer
    /// The position at which the session begins to read its user's inbox.
    var start: ChatInboxStart
    /// The name of the inbox's present epoch.
    var epoch: String
}

extension ServedChatApplication: ChatGateway {
    package func perform(
        _ request: ChatRequest, _ number: UInt64, read frame: UnsafeRawBufferPointer, by peer: ChatSessionPeer,
        reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        perform(request, by: .session(peer)) { reply(ChatWire.answer(number, $0)) }
    }

    package func refuse(
        _ number: UInt64, _ refusal: ChatRequestRefusal, to peer: ChatSessionPeer, reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        answer(.failure(refusal)) { reply(ChatWire.answer(number, $0)) }
    }
}
