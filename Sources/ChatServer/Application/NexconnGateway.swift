import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import ServerValues

/// Calls of sessions to their application, wherever that decides. May be used from any thread.
///
/// What comes back to a session comes in the order of decisions: admissions, answers, and what others bring about.
package protocol NexconnGateway: AnyObject, Sendable {
    var key: String { get }
    /// The slot under which metrics count the application.
    var slot: MetricSlot { get }
    var settings: ChatApplication { get }
    /// The refusal for every session while the application is not served; nil while it is.
    var refusal: NexconnBye? { get }

    /// Checks a token, gives the device its place among the user's sessions, and ends those that it displaces (rules NV-6 to NV-8).
    ///
    /// - Parameter completion: called from any thread. From then on everything is delivered to the connection.
    func signIn(
        _ hello: NexconnHello, _ chat: ChatSession, session: String, address: String, line: NexconnLine,
        completion: @escaping @Sendable (Result<NexconnAdmission, NexconnRefusal>) -> Void)
    /// Removes a session. A user who only lost the connection stays online and in open channels for a while.
    ///
    /// - Parameter leaving: whether the client said that it leaves, and if so whether it wants no more notifications.
    func signOut(_ peer: NexconnPeer, leaving: Bool?)
    /// Performs a request of a session.
    ///
    /// - Parameters:
    ///   - frame: the request as it came; used during the call only.
    ///   - reply: takes the frame of the answer. Called once, from any thread.
    func perform(
        _ request: NexconnRequest, _ number: UInt64, read frame: UnsafeRawBufferPointer, by peer: NexconnPeer,
        reply: @escaping @Sendable (ByteBuffer) -> Void)
    /// Refuses a frame that could not be read, after the answers to earlier requests.
    func refuse(
        _ number: UInt64, _ refusal: NexconnRefusal, to peer: NexconnPeer, reply: @escaping @Sendable (ByteBuffer) -> Void)
    /// A device has kept what lies in its user's inbox up to a place.
    func acknowledge(_ sequence: UInt64, by user: Identifier)
    /// Sends a typing notification. It is lost when the receiver is not connected, blocks the sender, or cannot be written to.
    func tellTyping(_ type: String, to user: Identifier, by peer: NexconnPeer)
    /// Sends a new session the online status of the users whom its user watches. After the welcome.
    func tellPresence(to peer: NexconnPeer)
    /// Reads one more than a package from a user's inbox, and gives it to the connection.
    func readInbox(of user: Identifier, after sequence: UInt64, for line: NexconnLine)
}

/// The way to a session's connection.
package struct NexconnLine: Sendable {
    let mailbox: EventLoopMailbox<NexconnLoop>
    /// To be used on the event loop only.
    let connection: NIOLoopBound<NexconnConnection>
}

/// A session that has been let in.
package struct NexconnAdmission: Sendable {
    var application: any NexconnGateway
    var peer: NexconnPeer
    /// The position at which the session begins to read its user's inbox.
    var start: ChatInboxStart
    /// Names the life of the inbox.
    var epoch: String
}

extension NexconnApplication: NexconnGateway {
    package func perform(
        _ request: NexconnRequest, _ number: UInt64, read frame: UnsafeRawBufferPointer, by peer: NexconnPeer,
        reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        perform(request, by: .session(peer)) { reply(NexconnWire.answer(number, $0)) }
    }

    package func refuse(
        _ number: UInt64, _ refusal: NexconnRefusal, to peer: NexconnPeer, reply: @escaping @Sendable (ByteBuffer) -> Void
    ) {
        answer(.failure(refusal)) { reply(NexconnWire.answer(number, $0)) }
    }
}
