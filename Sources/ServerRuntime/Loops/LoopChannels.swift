/// A connection that is subscribed to channels of its event loop.
@usableFromInline
package protocol SeatedConnection: AnyObject {
    associatedtype ChannelID: Hashable

    /// One seat for each channel of the connection: the connection's entry in the channel's list of subscribers. Set by ``LoopChannels``.
    var seats: ShortList<LoopSeat<Self>> { get set }
}

/// A seat is one connection's entry in the list of a channel's subscribers on one event loop.
@usableFromInline
package struct LoopSeat<Connection: SeatedConnection> {
    @usableFromInline package let channel: LoopChannel<Connection>
    @usableFromInline package var index: Int

    @inlinable init(channel: LoopChannel<Connection>, index: Int) {
        self.channel = channel
        self.index = index
    }
}

/// The subscribers of one channel on one event loop.
@usableFromInline
package final class LoopChannel<Connection: SeatedConnection> {
    @usableFromInline package let id: Connection.ChannelID
    /// The slot under which metrics count the messages to this channel's subscribers.
    @usableFromInline package let slot: MetricSlot
    @usableFromInline package var connections: ContiguousArray<Connection> = []
    /// For each of `connections`, the index of this channel's seat in the connection's list of seats, so that no search is needed.
    @usableFromInline var seats: ContiguousArray<Int32> = []

    @inlinable init(_ id: Connection.ChannelID, _ slot: MetricSlot) {
        self.id = id
        self.slot = slot
    }
}

/// The subscriptions of the connections of one event loop. Leaving a channel takes constant time, independent of the number of its
/// subscribers and of the connection's other subscriptions.
///
/// Inlinable, because the subscribers of a channel are read for each message.
@usableFromInline
package struct LoopChannels<Connection: SeatedConnection> {
    @usableFromInline var channels: [Connection.ChannelID: LoopChannel<Connection>] = [:]

    @inlinable package init() {}

    /// Whether no connection of the event loop has a subscription.
    @inlinable package var isEmpty: Bool { channels.isEmpty }

    /// The channel with this id; nil when no connection of the event loop is subscribed to it.
    @inlinable package subscript(id: Connection.ChannelID) -> LoopChannel<Connection>? { channels[id] }

    /// Whether a connection is subscribed to a channel.
    @inlinable package func contains(_ connection: Connection, in id: Connection.ChannelID) -> Bool {
        channels[id].map { seat(of: connection, in: $0) != nil } ?? false
    }

    /// Subscribes a connection to a channel. The connection must not be subscribed to this channel already.
    ///
    /// - Parameter slot: the slot under which metrics count messages to the channel.
    @inlinable package mutating func attach(_ connection: Connection, to id: Connection.ChannelID, countedAt slot: MetricSlot) {
        let channel = channels[id] ?? LoopChannel(id, slot)
        if channel.connections.isEmpty { channels[id] = channel }
        channel.seats.append(Int32(truncatingIfNeeded: connection.seats.count))
        connection.seats.append(LoopSeat(channel: channel, index: channel.connections.count))
        channel.connections.append(connection)
    }

    /// Ends a connection's subscription to a channel. Does nothing when there is none.
    @inlinable package mutating func detach(_ connection: Connection, from id: Connection.ChannelID) {
        guard let channel = channels[id], let seat = seat(of: connection, in: channel) else { return }
        leave(connection.seats[seat])
        let last = connection.seats.count - 1
        connection.seats.swapAt(seat, last)
        connection.seats.popLast()
        guard seat < last else { return }
        let moved = connection.seats[seat]
        moved.channel.seats[moved.index] = Int32(truncatingIfNeeded: seat)
    }

    /// Ends all subscriptions of a connection.
    @inlinable package mutating func detachAll(_ connection: Connection) {
        for seat in connection.seats { leave(seat) }
        connection.seats = []
    }

    /// Returns the index of a channel's seat in the connection's list of seats; nil without a subscription. It searches the shorter of two
    /// lists, because some connections have ten thousand channels, and some channels ten thousand connections.
    @inlinable func seat(of connection: Connection, in channel: LoopChannel<Connection>) -> Int? {
        if channel.connections.count < connection.seats.count {
            return channel.connections.firstIndex { $0 === connection }.map { Int(channel.seats[$0]) }
        }
        return connection.seats.firstIndex { $0.channel === channel }
    }

    /// Removes a seat from its channel, and moves the channel's last subscriber to the free index.
    @inlinable mutating func leave(_ seat: LoopSeat<Connection>) {
        let channel = seat.channel
        let last = channel.connections.count - 1
        if seat.index < last {
            let moved = channel.connections[last]
            channel.connections[seat.index] = moved
            channel.seats[seat.index] = channel.seats[last]
            moved.seats[Int(channel.seats[last])].index = seat.index
        }
        channel.connections.removeLast()
        channel.seats.removeLast()
        if channel.connections.isEmpty { channels[channel.id] = nil }
    }
}
