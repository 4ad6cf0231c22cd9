import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime

/// The position of an event in its channel's history, stored in the log so that the next leader can continue the history (rule RV-40).
struct LoggedPosition: Hashable, Sendable {
    var position: PusherPosition
    var isKept = true
    /// The user whom a presence event concerns; nil for other events.
    var user: String?
    /// When the event was decided, in milliseconds since 1970.
    var time: Int64
}

/// A mark in the log. It shows the next leader that all later events, whose positions may be stored, are still in the log. It is identified
/// by the leader's generation and a number that the leader counts.
struct HistoryMark: Hashable, Sendable, CustomStringConvertible {
    var generation: UInt64
    var number: UInt64

    var description: String { "\(generation)-\(number)" }
}

/// A message that the leader of Pusher sends to the nodes, mostly a decision about channels or connections (rule CP-1).
enum PusherFact: Hashable, Sendable {
    /// Deliver a frame to the subscribers of a channel, except for one connection. Connections with recovery and the next leader also use
    /// the position.
    case deliver(ByteBuffer, ChannelID, excluding: SocketID?, at: LoggedPosition? = nil)
    /// Deliver a frame to signed-in connections.
    case tell([SocketID], ByteBuffer)
    /// Close connections of an application, or of one of its signed-in users.
    case close(PusherCloseReason, application: String, user: String?)
    /// The total numbers of connections of applications, on all nodes.
    case connections([ApplicationCount])
    /// The answer to one numbered subscription of a ``PusherRequest/subscribeAll(_:application:_:)``.
    case settled(UInt64, SubscribeAnswer)
    /// The numbers of channels and subscriptions that applications have in this partition; they count against the applications' limits in
    /// the other partitions. `isWhole` is true in the message to a new node: applications that are not in the list have none.
    case uses([ApplicationUse], isWhole: Bool)
    /// A change of a presence channel's members, for nodes that add the member list to confirmations.
    case members(ChannelID, MemberChange)
    /// The leader accepts ``PusherRequest/join(_:_:member:_:)``; leaders of earlier versions do not.
    case takesJoins
    /// The leader accepts ``PusherRequest/events(_:)``; leaders of earlier versions do not.
    case takesEvents
    /// A mark in the log. The log contains all events that were decided after it, so the next leader can continue histories from positions
    /// that were stored later than the mark (rule RV-41). Nodes ignore marks.
    case mark(HistoryMark)
}

extension PusherFact: CodedValue {
    private enum Kind: UInt8 {
        case deliver = 1
        case tell, close, connections, settled, mark, uses, members, takesJoins, takesEvents
    }

    private var kind: Kind {
        switch self {
        case .deliver: .deliver
        case .tell: .tell
        case .close: .close
        case .connections: .connections
        case .settled: .settled
        case .mark: .mark
        case .uses: .uses
        case .members: .members
        case .takesJoins: .takesJoins
        case .takesEvents: .takesEvents
        }
    }

    var expectedLength: Int {
        guard case .deliver(let frame, let channel, _, _) = self else { return 64 }
        return frame.readableBytes + channel.name.utf8.count + channel.application.utf8.count + 96
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.kind) {
        case .deliver:
            let given = value.flatMap {
                if case .deliver(let frame, let channel, let id, let place) = $0 { (channel, id, place, frame) } else { nil }
            }
            let (channel, excluding) = (try fields.field(1, given?.0), try fields.optional(2, given?.1))
            let position = try fields.optional(3, given?.2)
            return .deliver(try fields.field(4, given?.3), channel, excluding: excluding, at: position)
        case .tell:
            let given = value.flatMap { if case .tell(let ids, let frame) = $0 { (ids, frame) } else { nil } }
            return .tell(try fields.list(1, given?.0), try fields.field(2, given?.1))
        case .close:
            let given = value.flatMap { if case .close(let reason, let app, let user) = $0 { (reason, app, user) } else { nil } }
            return .close(
                try fields.field(1, given?.0), application: try fields.field(2, given?.1), user: try fields.optional(3, given?.2))
        case .connections:
            return .connections(try fields.list(1, value.flatMap { if case .connections(let all) = $0 { all } else { nil } }))
        case .settled:
            let given = value.flatMap { if case .settled(let number, let answer) = $0 { (number, answer) } else { nil } }
            let (number, answer) = (try fields.field(1, given?.0), try fields.field(2, given?.1.encoded(fields.layout)))
            return .settled(number, try SubscribeAnswer(decoding: answer))
        case .uses:
            let given = value.flatMap { if case .uses(let uses, let isWhole) = $0 { (isWhole, uses) } else { nil } }
            let isWhole = try fields.field(1, given?.0)
            return .uses(try fields.list(2, given?.1), isWhole: isWhole)
        case .members:
            let given = value.flatMap { if case .members(let channel, let change) = $0 { (channel, change) } else { nil } }
            let channel = try fields.field(1, given?.0)
            let added = try fields.optional(2, given.flatMap { if case .added(let member) = $0.1 { member } else { nil } })
            let removed = try fields.optional(3, given.flatMap { if case .removed(let user) = $0.1 { user } else { nil } })
            if let added { return .members(channel, .added(added)) }
            guard let removed else { throw ClusterCodingError() }
            return .members(channel, .removed(userID: removed))
        case .takesJoins: return .takesJoins
        case .takesEvents: return .takesEvents
        case .mark: return .mark(try fields.field(1, value.flatMap { if case .mark(let mark) = $0 { mark } else { nil } }))
        }
    }
}

extension ApplicationUse: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let application = try fields.field(1, value?.application)
        let channels = try fields.field(2, value.map { UInt32(clamping: $0.use.channels) })
        let subscriptions = try fields.field(3, value.map { UInt32(clamping: $0.use.subscriptions) })
        return Self(
            application: application, use: ChannelUse(channels: Int(channels), subscriptions: Int(subscriptions)))
    }
}
