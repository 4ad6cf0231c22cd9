import DequeModule
import Identifiers
import NIOCore
import PusherProtocol
import ServerValues

/// The latest events of one channel, and the numbering of all its events (rules RV-2 to RV-5).
struct ChannelHistory: Sendable {
    struct Kept: Sendable {
        var event: PositionedEvent
        /// The time after which the event is no longer replayed.
        var expires: MonotonicInstant
    }

    let epoch: String
    /// The number of the channel's latest event; 0 before the first one.
    private(set) var last: UInt64 = 0
    /// The latest event that was removed from ``events``, and the latest one that concerns another user than that event. The second one is
    /// for the user whom the first one concerns: this user does not receive events about itself, so it cannot miss the first one.
    private(set) var dropped = LatestEvents<Identifier>()
    /// The latest event that was never stored, and the latest one from another sender than that event's sender. The second one is for the
    /// sender of the first one: a sender does not receive its own events, so it cannot miss the first one.
    private(set) var unkept = LatestEvents<SocketID>()
    /// The stored events, in the order of their numbers.
    private(set) var events: Deque<Kept> = []
    /// The time at which the history ends; nil while the channel has subscribers.
    var ends: MonotonicInstant?
    /// Whether the history's position has changed since it was last written to the store.
    var isChanged = false

    /// The approximate size in bytes of a history without events.
    static let overhead = 512

    init(
        epoch: String, last: UInt64 = 0, dropped: LatestEvents<Identifier> = .init(), unkept: LatestEvents<SocketID> = .init()
    ) {
        self.epoch = epoch
        self.last = last
        self.dropped = dropped
        self.unkept = unkept
    }

    /// The latest position.
    var position: PusherPosition { PusherPosition(epoch: epoch, number: last) }

    /// Counts a new event and returns its position.
    mutating func advance() -> PusherPosition {
        last += 1
        return position
    }

    mutating func keep(_ event: PositionedEvent, until expires: MonotonicInstant) {
        events.append(Kept(event: event, expires: expires))
    }

    /// Records an event that is delivered with a number and is never replayed.
    mutating func pass(_ number: UInt64, from sender: SocketID?) {
        unkept.note(number, from: sender)
    }

    /// Removes and returns the oldest stored event; nil when there is none.
    mutating func dropFirst() -> PositionedEvent? {
        guard let first = events.popFirst() else { return nil }
        dropped.note(first.event.position.number, from: first.event.user.map { Identifier($0) })
        return first.event
    }

    /// The events after a position, in order.
    ///
    /// - Parameters:
    ///   - request: the position up to which the client has events; nil for a new subscription.
    ///   - user: the user id of the member, on a presence channel.
    ///   - limit: the largest number of bytes to replay. The latest events that fit are replayed.
    ///   - now: the current time; expired events are not replayed.
    func replay(after request: PusherRecoverRequest?, user: String?, limit: Int, at now: MonotonicInstant) -> Replay {
        guard let request else { return Replay(outcome: PusherRecoveryOutcome(position: position)) }
        let after = request.position.number
        guard request.position.epoch == epoch, after <= last else {
            return Replay(outcome: PusherRecoveryOutcome(position: position, recovered: false))
        }
        let socketID = request.socketID.flatMap { SocketID($0) }
        let member = user.map { Identifier($0) }
        var isComplete = dropped.latest(except: member) <= after && unkept.latest(except: socketID) <= after
        var frames: [ByteBuffer] = []
        var bytes = 0
        for kept in events.reversed() {
            let event = kept.event
            guard event.position.number > after else { break }
            if let socketID, event.excluding == socketID { continue }
            if let user, let other = event.user, other.isExactly(user) { continue }
            guard kept.expires > now, bytes + event.frame.readableBytes <= limit else {
                isComplete = false
                break
            }
            bytes += event.frame.readableBytes
            frames.append(event.frame)
        }
        var replay = Replay(outcome: PusherRecoveryOutcome(position: position, recovered: isComplete))
        replay.frames.reserveCapacity(bytes)
        for frame in frames.reversed() { replay.frames.writeImmutableBuffer(frame) }
        return replay
    }
}

/// The missed events that a connection with recovery receives before the confirmation of its subscription, and the outcome of the replay
/// that the confirmation reports.
struct Replay: Sendable {
    var frames = ByteBuffer()
    var outcome: PusherRecoveryOutcome
    /// Whether the subscription has started the history.
    var beganHistory = false
}
