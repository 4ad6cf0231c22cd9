import NIOCore
import PusherProtocol
import RealtimeHub

/// An event of a channel with its position, as connections with recovery get it (rule RV-2).
///
/// One object that the event loops which deliver it and the history which keeps it share.
package final class PositionedEvent: Sendable {
    let position: PusherPosition
    /// The frame of other connections, with the position in it.
    let frame: ByteBuffer
    /// A connection that does not get the event.
    let excluding: SocketID?
    /// The user whom a presence change concerns; a member is not notified of itself.
    let user: String?
    /// Whether the event is replayed to those who miss it.
    let isKept: Bool

    /// The approximate memory of an event in addition to its frame: the object, and its places in lists.
    static let overhead = 320

    init(
        _ frame: ByteBuffer, at position: PusherPosition, excluding: SocketID? = nil, user: String? = nil, isKept: Bool = true
    ) {
        self.position = position
        self.frame = PusherWire.positioned(frame, at: position)
        self.excluding = excluding
        self.user = user
        self.isKept = isKept
    }

    /// - Parameter frame: has its position already.
    init(positioned frame: ByteBuffer, at position: PusherPosition, excluding: SocketID?, user: String?, isKept: Bool = true) {
        self.position = position
        self.frame = frame
        self.excluding = excluding
        self.user = user
        self.isKept = isKept
    }

    /// The approximate memory that keeping the event takes.
    var memory: Int { frame.storageCapacity + Self.overhead }
}
