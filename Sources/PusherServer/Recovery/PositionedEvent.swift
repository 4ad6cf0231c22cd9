import NIOCore
import PusherProtocol

/// An event of a channel with its position, in the form for connections with recovery (rule RV-2).
///
/// One object, shared by the event loops that deliver the event and the history that stores it.
package final class PositionedEvent: Sendable {
    let position: PusherPosition
    /// The frame for other connections, with the position added.
    let frame: ByteBuffer
    /// A connection that must not receive the event.
    let excluding: SocketID?
    /// The user whom a presence change concerns; a member is not notified of itself.
    let user: String?
    /// Whether the event is replayed to clients that missed it.
    let isKept: Bool

    /// The approximate memory of an event in addition to its frame: the object, and its entries in lists.
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

    /// - Parameter frame: the frame, which contains the position already.
    init(positioned frame: ByteBuffer, at position: PusherPosition, excluding: SocketID?, user: String?, isKept: Bool = true) {
        self.position = position
        self.frame = frame
        self.excluding = excluding
        self.user = user
        self.isKept = isKept
    }

    /// The approximate memory of a stored event.
    var memory: Int { frame.storageCapacity + Self.overhead }
}
