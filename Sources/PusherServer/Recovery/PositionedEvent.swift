import NIOCore
import PusherProtocol

/// An event of a channel with its position, in the form for connections with recovery (rule RV-2).
///
/// One object is shared by the history that stores the event and the event loops that deliver it.
package final class PositionedEvent: Sendable {
    let position: PusherPosition
    /// The frame for connections with recovery: the frame for other connections, with the position added.
    let frame: ByteBuffer
    /// A connection that must not receive the event.
    let excluding: SocketID?
    /// The user whom a presence event concerns; nil for other events. The event is not sent to this user.
    let user: String?
    /// Whether the event is replayed to clients that missed it.
    let isKept: Bool

    /// The approximate memory, in bytes, of an event without its frame: the object, and its entries in lists.
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

    /// Makes an event from a frame that already contains the position.
    ///
    /// - Parameter frame: the frame with the position.
    init(positioned frame: ByteBuffer, at position: PusherPosition, excluding: SocketID?, user: String?, isKept: Bool = true) {
        self.position = position
        self.frame = frame
        self.excluding = excluding
        self.user = user
        self.isKept = isKept
    }

    /// The approximate memory, in bytes, of a stored event.
    var memory: Int { frame.storageCapacity + Self.overhead }
}
