import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime

// The encoding of Pusher's values in requests to the leader, its answers and its published decisions (rule CP-1).

extension ChannelID: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(application: try fields.field(1, value?.application), name: try fields.field(2, value?.name))
    }
}

extension SocketID: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(high: try fields.field(1, value?.high), low: try fields.field(2, value?.low))
    }
}

extension PusherPosition: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(epoch: try fields.field(1, value?.epoch), number: try fields.field(2, value?.number))
    }
}

extension LoggedPosition: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            position: try fields.field(1, value?.position), isKept: try fields.field(2, value?.isKept),
            user: try fields.optional(3, value?.user), time: try fields.field(4, value?.time))
    }
}

extension HistoryMark: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(generation: try fields.field(1, value?.generation), number: try fields.field(2, value?.number))
    }
}

extension PusherRecoverRequest: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(position: try fields.field(1, value?.position), socketID: try fields.optional(2, value?.socketID))
    }
}

extension SubscriptionRecovery: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let request = try fields.optional(1, value?.request)
        return Self(request: request, limit: Int(clamping: try fields.field(2, value.map { UInt64(clamping: $0.limit) })))
    }
}

extension PresenceMember: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(userID: try fields.field(1, value?.userID), info: try fields.optional(2, value?.info))
    }
}

extension PusherCloseReason: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        var reason = Self(
            try fields.field(1, value?.code), try fields.field(2, value?.reason), explains: try fields.field(3, value?.explains))
        reason.concernsAll = try fields.field(4, value?.concernsAll)
        return reason
    }
}

/// The number of connections that an application has.
struct ApplicationCount: Hashable, Sendable, CodedValue {
    var application: String
    var count: Int

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let application = try fields.field(1, value?.application)
        return Self(application: application, count: Int(try fields.field(2, value.map { UInt32(clamping: $0.count) })))
    }
}

extension ChannelHolding: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let (channel, member) = (try fields.field(1, value?.channel), try fields.optional(2, value?.member))
        let count = try fields.field(3, value.map { UInt32(clamping: $0.count) })
        return Self(channel: channel, member: member, count: Self.count(count))
    }

    /// Limits a number of subscriptions that was read from another server or from the store. Subscriptions are counted one by one, so an
    /// impossibly large number would keep the leader busy for minutes (rule CR-42).
    static func count(_ count: UInt32) -> Int { min(Int(count), largestCount) }

    /// The largest number of subscriptions that one server can have to a channel. It exceeds the number of connections that a server can
    /// have.
    private static let largestCount = 4_194_304
}

extension SignedInConnection: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            socketID: try fields.field(1, value?.socketID), application: try fields.field(2, value?.application),
            user: try fields.field(3, value?.user), watchlist: try fields.list(4, value?.watchlist))
    }
}

// MARK: - Answers

/// The leader's answer to a subscription.
enum SubscribeAnswer: Hashable, Sendable {
    case confirmed(ByteBuffer)
    /// A confirmation without the list of members, which the node adds.
    case joined(MemberConfirmation)
    /// A confirmation with the list of members, for a node that does not have the list.
    case listed([PresenceMember], MemberConfirmation)
    case refused(SubscribeRefusal)
}

extension SubscribeAnswer: CodedValue {
    private enum Kind: UInt8 {
        case confirmed, tooManyMembers, tooManyMemberBytes, memberMissing, tooManyChannels, tooManySubscriptions, unavailable
        case joined, listed
    }

    private var parts: (kind: Kind, confirmation: ByteBuffer, limit: Int) {
        switch self {
        case .confirmed(let confirmation): (.confirmed, confirmation, 0)
        case .joined: (.joined, ByteBuffer(), 0)
        case .listed: (.listed, ByteBuffer(), 0)
        case .refused(.tooManyMembers(let limit)): (.tooManyMembers, ByteBuffer(), limit)
        case .refused(.tooManyMemberBytes(let limit)): (.tooManyMemberBytes, ByteBuffer(), limit)
        case .refused(.memberMissing): (.memberMissing, ByteBuffer(), 0)
        case .refused(.tooManyChannels(let limit)): (.tooManyChannels, ByteBuffer(), limit)
        case .refused(.tooManySubscriptions(let limit)): (.tooManySubscriptions, ByteBuffer(), limit)
        case .refused(.unavailable): (.unavailable, ByteBuffer(), 0)
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let given = value?.parts
        let kind = try fields.kind(given?.kind)
        switch kind {
        case .confirmed: return .confirmed(try fields.field(1, given?.confirmation))
        case .joined:
            return .joined(try fields.field(1, value.flatMap { if case .joined(let parts) = $0 { parts } else { nil } }))
        case .listed:
            let given = value.flatMap { if case .listed(let members, let parts) = $0 { (members, parts) } else { nil } }
            let members = try fields.list(1, given?.0)
            return .listed(members, try fields.field(2, given?.1))
        default: break
        }
        let limit = Int(clamping: try fields.field(2, given.map { UInt64(clamping: $0.limit) }))
        switch kind {
        case .confirmed, .joined, .listed, .unavailable: return .refused(.unavailable)
        case .tooManyMembers: return .refused(.tooManyMembers(limit: limit))
        case .tooManyMemberBytes: return .refused(.tooManyMemberBytes(limit: limit))
        case .memberMissing: return .refused(.memberMissing)
        case .tooManyChannels: return .refused(.tooManyChannels(limit: limit))
        case .tooManySubscriptions: return .refused(.tooManySubscriptions(limit: limit))
        }
    }
}

extension MemberConfirmation: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            before: try fields.field(1, value?.before), recovery: try fields.optional(2, value?.recovery),
            after: try fields.field(3, value?.after))
    }
}

extension PusherRecoveryOutcome: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(position: try fields.field(1, value?.position), recovered: try fields.optional(2, value?.recovered))
    }
}
