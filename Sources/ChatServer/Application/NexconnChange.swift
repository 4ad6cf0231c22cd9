import Identifiers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime

/// What a decision leads to: the entries to store, and the deliveries that follow once they are stored.
///
/// Filled under the application's lock, so that ids and places have one order.
package struct NexconnChange: Sendable {
    /// The entries to store. ``add(_:places:except:)`` makes additions.
    var commit = ChatCommit()
    /// The deliveries, in order.
    private(set) var deliveries: [NexconnDelivery] = []
    /// A message of an open channel that the bridge takes, once it is durable.
    var carried: NexconnMessage?
    /// Reverts changes of the state if the store fails.
    private(set) var undoing: [@Sendable (inout ChatState) -> Void] = []
    private let ids: TimetokenAllocator

    init(ids: TimetokenAllocator) {
        self.ids = ids
    }

    /// The id of the next event. Strictly increasing over all applications.
    func nextID() -> UInt64 { ids.next() }

    /// Milliseconds since 1970.
    var now: Int64 { ids.milliseconds }

    /// Keeps an event and hands it to the devices of those whose inboxes have a place for it.
    ///
    /// - Parameter session: of a device that knows already.
    mutating func add(_ event: ChatEvent, places: [ChatInboxPlace] = [], except session: ChatSession? = nil) {
        commit.additions.append(ChatCommit.Addition(event, places: places))
        guard !places.isEmpty else { return }
        deliveries.append(.inbox(ByteBuffer(bytes: event.body), places, except: session))
    }

    /// Tells the devices of users that are connected. `body`: an encoded event.
    mutating func tell(_ users: [Identifier], _ body: [UInt8], except session: ChatSession? = nil) {
        deliveries.append(.users(NexconnWire.transient(body), users, except: session))
    }

    /// Tells everybody in an open channel. `body`: an encoded event.
    mutating func tell(openChannel: Identifier, _ body: [UInt8], except session: ChatSession? = nil) {
        deliveries.append(.room(NexconnWire.transient(body), openChannel, except: session))
    }

    /// Tells single devices. `body`: an encoded event.
    mutating func tell(_ sessions: [ChatSession], _ body: [UInt8]) {
        deliveries.append(.sessions(NexconnWire.transient(body), sessions))
    }

    /// Begins the delivery of an open channel's messages to a device.
    mutating func seat(_ session: ChatSession, in openChannel: Identifier) {
        deliveries.append(.seat(session, openChannel))
    }

    /// Ends the delivery of an open channel's messages to a device.
    mutating func unseat(_ session: ChatSession, from openChannel: Identifier) {
        deliveries.append(.unseat(session, openChannel))
    }

    /// Ends sessions with a `bye`. The state has signed them out already, or does so when their connections end.
    mutating func end(_ sessions: [ChatSession], _ bye: NexconnBye) {
        guard !sessions.isEmpty else { return }
        deliveries.append(.end(sessions, bye))
    }

    /// Reverts changes of the state if the store fails. Performed in reverse order.
    mutating func undo(_ body: @escaping @Sendable (inout ChatState) -> Void) {
        undoing.append(body)
    }
}

/// A delivery that follows once its change is durable: every node applies it to its own sessions.
package enum NexconnDelivery: Sendable {
    /// An encoded event for inboxes.
    case inbox(ByteBuffer, [ChatInboxPlace], except: ChatSession?)
    /// A frame for the devices of users.
    case users(ByteBuffer, [Identifier], except: ChatSession?)
    /// A frame for everybody in an open channel.
    case room(ByteBuffer, Identifier, except: ChatSession?)
    case sessions(ByteBuffer, [ChatSession])
    case seat(ChatSession, Identifier)
    case unseat(ChatSession, Identifier)
    case end([ChatSession], NexconnBye)
}
