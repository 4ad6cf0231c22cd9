import ChatProtocol
import Identifiers
import NIOCore
import ServerRuntime
import ServerStorage

/// The result of deciding about a request: the entries to store, and the deliveries to sessions that follow once the entries are stored.
///
/// Filled under the application's lock, so that ids and positions have the same order.
package struct ChatChange: Sendable {
    /// The entries to store, added with ``add(_:places:except:)``.
    var commit = ChatCommit()
    /// The deliveries to connected sessions, in the order in which they were added.
    private(set) var deliveries: [ChatDelivery] = []
    /// A message in an open channel that the bridge passes to other services once the message is durable; nil for none.
    var carried: ChatMessage?
    /// Closures that revert the state if the store fails.
    private(set) var undoing: [@Sendable (inout ChatState) -> Void] = []
    private let ids: TimetokenAllocator

    init(ids: TimetokenAllocator) {
        self.ids = ids
    }

    /// The id of the next event. Ids increase strictly across all applications of the backend. In a cluster, no other partition assigns the
    /// same ids.
    func nextID() -> UInt64 { ids.next() }

    /// The current time in milliseconds since 1970.
    var now: Int64 { ids.milliseconds }

    /// Stores an event, and delivers it to the devices of all users in whose inboxes it gets a position.
    ///
    /// - Parameter session: the session of a device that has the event already, and is left out.
    mutating func add(_ event: ChatEvent, places: [ChatInboxPlace] = [], except session: ChatSessionID? = nil) {
        commit.additions.append(ChatCommit.Addition(event, places: places))
        guard !places.isEmpty else { return }
        deliveries.append(.inbox(ByteBuffer(bytes: event.body), places, except: session))
    }

    /// Delivers an event to the connected devices of users. `body`: the encoded event.
    mutating func tell(_ users: [Identifier], _ body: [UInt8], except session: ChatSessionID? = nil) {
        deliveries.append(.users(ChatWire.transient(body), users, except: session))
    }

    /// Delivers an event to all participants of an open channel. `body`: the encoded event.
    mutating func tell(openChannel: Identifier, _ body: [UInt8], except session: ChatSessionID? = nil) {
        deliveries.append(.room(ChatWire.transient(body), openChannel, except: session))
    }

    /// Delivers an event to single devices. `body`: the encoded event.
    mutating func tell(_ sessions: [ChatSessionID], _ body: [UInt8]) {
        deliveries.append(.sessions(ChatWire.transient(body), sessions))
    }

    /// Starts the delivery of an open channel's messages to a device.
    mutating func seat(_ session: ChatSessionID, in openChannel: Identifier) {
        deliveries.append(.seat(session, openChannel))
    }

    /// Stops the delivery of an open channel's messages to a device.
    mutating func unseat(_ session: ChatSessionID, from openChannel: Identifier) {
        deliveries.append(.unseat(session, openChannel))
    }

    /// Ends sessions with the frame `bye`. The caller has signed them out of the state, or the end of their connections does so.
    mutating func end(_ sessions: [ChatSessionID], _ bye: ChatBye) {
        guard !sessions.isEmpty else { return }
        deliveries.append(.end(sessions, bye))
    }

    /// Adds a closure that reverts the state if the store fails. Closures run in reverse order.
    mutating func undo(_ body: @escaping @Sendable (inout ChatState) -> Void) {
        undoing.append(body)
    }
}

/// A delivery of a change. When the change is durable, every node applies the delivery to its own sessions.
package enum ChatDelivery: Sendable {
    /// An encoded event for the inboxes of users, with its position in each inbox.
    case inbox(ByteBuffer, [ChatInboxPlace], except: ChatSessionID?)
    /// An encoded frame for the connected devices of these users.
    case users(ByteBuffer, [Identifier], except: ChatSessionID?)
    /// An encoded frame for the devices of all participants of an open channel.
    case room(ByteBuffer, Identifier, except: ChatSessionID?)
    case sessions(ByteBuffer, [ChatSessionID])
    case seat(ChatSessionID, Identifier)
    case unseat(ChatSessionID, Identifier)
    case end([ChatSessionID], ChatBye)
}
