import NIOCore
import PusherProtocol
import ServerCluster
import ServerRuntime

// The coding of Pusher's values in requests, answers and facts (rule CP-1).
extension ByteBuffer {
    mutating func write(channel: ChannelID) {
        write(text: channel.application)
        write(text: channel.name)
    }

    mutating func channel() throws(ClusterCodingError) -> ChannelID {
        let application = try text()
        return ChannelID(application: application, name: try text())
    }

    mutating func write(socketID: SocketID) {
        writeInteger(socketID.high)
        writeInteger(socketID.low)
    }

    mutating func socketID() throws(ClusterCodingError) -> SocketID {
        let high = try number(UInt64.self)
        return SocketID(high: high, low: try number())
    }

    mutating func write(position: PusherPosition) {
        write(text: position.epoch)
        writeInteger(position.number)
    }

    mutating func position() throws(ClusterCodingError) -> PusherPosition {
        let epoch = try text()
        return PusherPosition(epoch: epoch, number: try number())
    }

    mutating func write(logged position: LoggedPosition) {
        write(position: position.position)
        write(flag: position.isKept)
        write(optional: position.user) { $0.write(text: $1) }
        writeInteger(position.time)
    }

    mutating func logged() throws(ClusterCodingError) -> LoggedPosition {
        let position = try position()
        let isKept = try flag()
        let user = try optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
        return LoggedPosition(position: position, isKept: isKept, user: user, time: try number())
    }

    mutating func write(recovery: SubscriptionRecovery) {
        write(optional: recovery.request) { buffer, request in
            buffer.write(position: request.position)
            buffer.write(optional: request.socketID) { $0.write(text: $1) }
        }
        writeInteger(UInt64(clamping: recovery.limit))
    }

    mutating func recovery() throws(ClusterCodingError) -> SubscriptionRecovery {
        let request = try optional { (buffer) throws(ClusterCodingError) in
            let position = try buffer.position()
            let socketID = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
            return PusherRecoverRequest(position: position, socketID: socketID)
        }
        return SubscriptionRecovery(request: request, limit: Int(clamping: try number(UInt64.self)))
    }

    mutating func write(member: PresenceMember) {
        write(text: member.userID)
        write(optional: member.info) { $0.write(text: $1) }
    }

    mutating func member() throws(ClusterCodingError) -> PresenceMember {
        let userID = try text()
        return PresenceMember(userID: userID, info: try optional { (buffer) throws(ClusterCodingError) in try buffer.text() })
    }

    mutating func write(reason: PusherCloseReason) {
        writeInteger(reason.code)
        write(text: reason.reason)
        write(flag: reason.explains)
        write(flag: reason.concernsAll)
    }

    mutating func reason() throws(ClusterCodingError) -> PusherCloseReason {
        let code = try number(UInt16.self)
        let text = try text()
        var reason = PusherCloseReason(code, text, explains: try flag())
        reason.concernsAll = try flag()
        return reason
    }

    mutating func write(count: ApplicationCount) {
        write(text: count.application)
        writeInteger(UInt32(clamping: count.count))
    }

    mutating func count() throws(ClusterCodingError) -> ApplicationCount {
        let application = try text()
        return ApplicationCount(application: application, count: Int(try number(UInt32.self)))
    }
}

/// The number of connections of an application.
struct ApplicationCount: Hashable, Sendable {
    var application: String
    var count: Int
}

// MARK: - Answers

/// The leader's answer to a subscription.
enum SubscribeAnswer: Hashable, Sendable {
    case confirmed(ByteBuffer)
    case refused(SubscribeRefusal)

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        switch self {
        case .confirmed(let confirmation):
            buffer.writeInteger(0 as UInt8)
            buffer.write(buffer: confirmation)
        case .refused(let refusal):
            let (kind, limit) = Self.numbers(of: refusal)
            buffer.writeInteger(kind)
            buffer.writeInteger(UInt64(clamping: limit))
        }
        return buffer
    }

    init(parsing buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        let kind = try buffer.number(UInt8.self)
        if kind == 0 {
            self = .confirmed(try buffer.buffer())
        } else {
            self = .refused(try Self.refusal(kind, limit: Int(clamping: try buffer.number(UInt64.self))))
        }
        try buffer.end()
    }

    private static func numbers(of refusal: SubscribeRefusal) -> (UInt8, limit: Int) {
        switch refusal {
        case .tooManyMembers(let limit): (1, limit)
        case .tooManyMemberBytes(let limit): (2, limit)
        case .memberMissing: (3, 0)
        case .tooManyChannels(let limit): (4, limit)
        case .tooManySubscriptions(let limit): (5, limit)
        case .unavailable: (6, 0)
        }
    }

    private static func refusal(_ kind: UInt8, limit: Int) throws(ClusterCodingError) -> SubscribeRefusal {
        switch kind {
        case 1: return .tooManyMembers(limit: limit)
        case 2: return .tooManyMemberBytes(limit: limit)
        case 3: return .memberMissing
        case 4: return .tooManyChannels(limit: limit)
        case 5: return .tooManySubscriptions(limit: limit)
        case 6: return .unavailable
        default: throw ClusterCodingError()
        }
    }
}
