import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime

/// The position of an event in the history of its channel, with the data that the next leader needs to continue the history (rule RV-40).
struct LoggedPosition: Hashable, Sendable {
    var position: PusherPosition
    var isKept = true
    /// The user of a presence event.
    var user: String?
    /// When the event was decided, in milliseconds since 1970.
    var time: Int64
}

/// A position in the log, given by a leader and the number of its mark.
struct HistoryMark: Hashable, Sendable, CustomStringConvertible {
    var generation: UInt64
    var number: UInt64

    var description: String { "\(generation)-\(number)" }
}

/// A decision of the leader, for the members on all nodes (rule CP-1).
enum PusherFact: Hashable, Sendable {
    /// Deliver a frame to the subscribers of a channel, except for one connection. The position is for connections with recovery,
    /// and for the next leader.
    case deliver(ByteBuffer, ChannelID, excluding: SocketID?, at: LoggedPosition? = nil)
    /// Deliver a frame to signed-in connections.
    case tell([SocketID], ByteBuffer)
    /// Close connections of an application, or of one of its signed-in users.
    case close(PusherCloseReason, application: String, user: String?)
    /// The numbers of connections of applications on all nodes.
    case connections([ApplicationCount])
    /// The answer to one numbered subscription of a ``PusherRequest/subscribeAll(_:application:_:)``.
    case settled(UInt64, SubscribeAnswer)
    /// What applications have in this partition, which counts against their limits in the others. In a list for a node that has joined,
    /// applications that are not in it have nothing.
    case uses([ApplicationUse], isWhole: Bool)
    /// From here on the log contains all events since the positions were written (rule RV-41). For the next leader only.
    case mark(HistoryMark)

    private enum Kind: UInt8 {
        case deliver = 1
        case tell = 2
        case close = 3
        case connections = 4
        case settled = 5
        case mark = 6
        case uses = 7
    }

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        switch self {
        case .deliver(let frame, let channel, let excluding, let position):
            // Allocates once: the names are short compared with the frame.
            buffer.reserveCapacity(frame.readableBytes + channel.name.utf8.count + channel.application.utf8.count + 64)
            buffer.writeInteger(Kind.deliver.rawValue)
            buffer.write(channel: channel)
            buffer.write(optional: excluding) { $0.write(socketID: $1) }
            buffer.write(optional: position) { $0.write(logged: $1) }
            buffer.write(buffer: frame)
        case .tell(let connections, let frame):
            buffer.writeInteger(Kind.tell.rawValue)
            buffer.write(list: connections) { $0.write(socketID: $1) }
            buffer.write(buffer: frame)
        case .close(let reason, let application, let user):
            buffer.writeInteger(Kind.close.rawValue)
            buffer.write(reason: reason)
            buffer.write(text: application)
            buffer.write(optional: user) { $0.write(text: $1) }
        case .connections(let counts):
            buffer.writeInteger(Kind.connections.rawValue)
            buffer.write(list: counts) { $0.write(count: $1) }
        case .settled(let number, let answer):
            buffer.writeInteger(Kind.settled.rawValue)
            buffer.writeInteger(number)
            buffer.write(buffer: answer.encoded)
        case .mark(let mark):
            buffer.writeInteger(Kind.mark.rawValue)
            buffer.writeMultipleIntegers(mark.generation, mark.number)
        case .uses(let uses, let isWhole):
            buffer.writeInteger(Kind.uses.rawValue)
            buffer.write(flag: isWhole)
            buffer.write(list: uses) { buffer, entry in
                buffer.write(text: entry.application)
                buffer.writeMultipleIntegers(UInt32(clamping: entry.use.channels), UInt32(clamping: entry.use.subscriptions))
            }
        }
        return buffer
    }

    init(parsing buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard let kind = Kind(rawValue: try buffer.number()) else { throw ClusterCodingError() }
        switch kind {
        case .deliver:
            let channel = try buffer.channel()
            let excluding = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.socketID() }
            let position = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.logged() }
            self = .deliver(try buffer.buffer(), channel, excluding: excluding, at: position)
        case .tell:
            let connections = try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.socketID() }
            self = .tell(connections, try buffer.buffer())
        case .close:
            let reason = try buffer.reason()
            let application = try buffer.text()
            let user = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
            self = .close(reason, application: application, user: user)
        case .connections:
            self = .connections(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.count() })
        case .settled:
            let number = try buffer.number(UInt64.self)
            self = .settled(number, try SubscribeAnswer(parsing: try buffer.buffer()))
        case .mark:
            let generation = try buffer.number(UInt64.self)
            self = .mark(HistoryMark(generation: generation, number: try buffer.number()))
        case .uses:
            let isWhole = try buffer.flag()
            let uses = try buffer.list { (buffer) throws(ClusterCodingError) in
                let application = try buffer.text()
                let channels = Int(try buffer.number(UInt32.self))
                let use = ChannelUse(channels: channels, subscriptions: Int(try buffer.number(UInt32.self)))
                return ApplicationUse(application: application, use: use)
            }
            self = .uses(uses, isWhole: isWhole)
        }
        try buffer.end()
    }
}
