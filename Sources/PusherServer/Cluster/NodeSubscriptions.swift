import Identifiers
import ServerValues

/// The subscriptions of one node's connections that the leader has confirmed. A value without locks.
///
/// Delivery to a connection stops when the connection leaves. The node keeps the subscription until the leader has ended it, so that an
/// announcement before that end has the same subscriptions as the leader (rule CP-20).
struct NodeSubscriptions: Sendable {
    private struct Seat {
        var user: Identifier?
        var eventLoopID: Int32
        var isRecovering: Bool
    }

    private struct Member {
        var info: String?
        var count = 0
    }

    private struct Channel {
        var seats = SeatTable<Seat>()
        /// The number of subscribed connections on each event loop.
        var loops = EventLoopCounts()
        /// The number of subscribed connections with recovery.
        var recovering: Int32 = 0
        /// The number of subscriptions without a user that the leader counts for this node. Subscriptions with a user are counted in
        /// `members`.
        var held: Int32 = 0
        var members: [Identifier: Member] = [:]

        var isUnused: Bool { seats.isEmpty && held == 0 && members.isEmpty }
    }

    private var channels: [ChannelID: Channel] = [:]
    /// The numbers of channels, subscriptions and members on this node, by application id.
    private(set) var tallies: [Identifier: ChannelTally] = [:]
    /// The number of channels with connections of this node.
    private(set) var occupiedCount = 0

    /// The event loops that have subscribers of a channel.
    func audience(of id: ChannelID) -> EventLoopSet {
        channels[id]?.loops.audience ?? EventLoopSet()
    }

    /// Whether a connection of the node is subscribed to the channel, or the leader still counts a subscription of the node.
    func isKnown(_ id: ChannelID) -> Bool { channels[id] != nil }

    /// Adds a subscription that the leader has confirmed.
    ///
    /// - Parameters:
    ///   - seat: the connection; nil when it has left the channel before the confirmation.
    ///   - isRecovering: whether the connection has recovery.
    mutating func confirm(
        _ id: ChannelID, _ member: PresenceMember?, seat: (socketID: SocketID, eventLoopID: Int)?, isRecovering: Bool = false
    ) {
        let user = member.map { Identifier($0.userID) }
        change(id) { channel in
            if let user {
                channel.members[user, default: Member(info: member?.info)].count += 1
            } else {
                channel.held += 1
            }
            guard let seat else { return }
            channel.seats.set(
                Seat(user: user, eventLoopID: Int32(clamping: seat.eventLoopID), isRecovering: isRecovering), of: seat.socketID)
            if isRecovering { channel.recovering += 1 }
            channel.loops.add(seat.eventLoopID)
        }
    }

    /// Removes a connection from a channel. Returns the subscription that the leader has to end; nil when the connection is not subscribed.
    mutating func leave(_ id: ChannelID, _ socketID: SocketID) -> EndedHolding? {
        guard channels[id]?.seats[socketID] != nil else { return nil }
        var user: Identifier?
        change(id) { channel in
            guard let seat = channel.seats.remove(socketID) else { return }
            user = seat.user
            if seat.isRecovering { channel.recovering -= 1 }
            _ = channel.loops.remove(Int(seat.eventLoopID))
        }
        return EndedHolding(channel: id.name, user: user?.text)
    }

    /// Removes a subscription that the leader has ended.
    mutating func release(_ id: ChannelID, user: String?) {
        guard channels[id] != nil else { return }
        change(id) { channel in
            guard let user = user.map({ Identifier($0) }) else { return channel.held = max(channel.held - 1, 0) }
            guard let count = channel.members[user]?.count else { return }
            if count > 1 { channel.members[user]?.count = count - 1 } else { channel.members[user] = nil }
        }
    }

    /// All subscriptions that the leader counts for this node.
    var holdings: [ChannelHolding] {
        channels.flatMap { id, channel in
            var holdings = channel.members.map { user, member in
                ChannelHolding(channel: id, member: PresenceMember(userID: user.text, info: member.info), count: member.count)
            }
            if channel.held > 0 { holdings.append(ChannelHolding(channel: id, member: nil, count: Int(channel.held))) }
            return holdings
        }
    }

    /// Channels with a subscribed connection that has recovery.
    var recovering: [ChannelID] { channels.filter { $0.value.recovering > 0 }.map(\.key) }

    // MARK: Reads

    /// The number of this node's subscriptions and users in a channel; nil when no connection is subscribed.
    func occupancy(of id: ChannelID, isPresence: Bool) -> ChannelOccupancy? {
        guard let channel = channels[id], !channel.seats.isEmpty else { return nil }
        return ChannelOccupancy(
            name: id.name, subscriptions: channel.seats.count, users: isPresence ? channel.members.count : nil)
    }

    /// The members of a presence channel that are connected to this node, in no particular order.
    func members(of id: ChannelID) -> [PresenceMember] {
        channels[id]?.members.map { PresenceMember(userID: $0.key.text, info: $0.value.info) } ?? []
    }

    /// The channels of an application to which connections of this node are subscribed, and whose names begin with `prefix`.
    func occupied(application: String, prefix: String) -> [ChannelID] {
        channels.compactMap { id, channel in
            !channel.seats.isEmpty && id.application.isExactly(application) && id.name.hasBytePrefix(prefix) ? id : nil
        }
    }

    private mutating func change(_ id: ChannelID, _ body: (inout Channel) -> Void) {
        func figures(_ channel: Channel) -> (seats: Int, members: Int) { (channel.seats.count, channel.members.count) }
        var channel = channels.removeValue(forKey: id) ?? Channel()
        let before = figures(channel)
        body(&channel)
        let after = figures(channel)
        if !channel.isUnused { channels[id] = channel }
        let occupied = (after.seats > 0 ? 1 : 0) - (before.seats > 0 ? 1 : 0)
        occupiedCount += occupied
        let application = Identifier(id.application)
        var tally = tallies[application] ?? ChannelTally()
        tally.channels += occupied
        tally.subscriptions += after.seats - before.seats
        tally.members += after.members - before.members
        tallies[application] = tally
    }
}

/// The connections that are subscribed to one channel. A value.
///
/// Most channels have few connections, for which a list takes half as much memory as a dictionary.
struct SeatTable<Seat: Sendable>: Sendable {
    private var few: [(socketID: SocketID, seat: Seat)] = []
    /// All connections, once there are more than ``longest``; otherwise empty.
    private var many: [SocketID: Seat] = [:]

    /// The number of connections up to which they are stored in a list instead of a dictionary.
    private static var longest: Int { 4 }

    var count: Int { few.count + many.count }
    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    subscript(socketID: SocketID) -> Seat? {
        many.isEmpty ? few.first { $0.socketID == socketID }?.seat : many[socketID]
    }

    mutating func set(_ seat: Seat, of socketID: SocketID) {
        if let index = few.firstIndex(where: { $0.socketID == socketID }) {
            few[index].seat = seat
        } else if many.isEmpty, few.count < Self.longest {
            few.append((socketID, seat))
        } else {
            for item in few { many[item.socketID] = item.seat }
            few = []
            many[socketID] = seat
        }
    }

    /// Removes a connection.
    ///
    /// - Returns: the entry of the connection; nil when it was not subscribed.
    mutating func remove(_ socketID: SocketID) -> Seat? {
        guard many.isEmpty else { return many.removeValue(forKey: socketID) }
        guard let index = few.firstIndex(where: { $0.socketID == socketID }) else { return nil }
        return few.remove(at: index).seat
    }
}
