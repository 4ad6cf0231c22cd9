import Identifiers
import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime
import ServerValues

/// The Pusher connections of one event loop and what they are subscribed to. Touched on that loop only.
final class PusherLoop {
    let loop: EventLoopContext
    private var channels: [ChannelID: LoopChannel] = [:]
    /// Connections; each knows its place.
    private(set) var list: ContiguousArray<PusherConnection> = []
    /// Those of them that are signed in as a user.
    var signedIn: [SocketID: PusherConnection] = [:]
    /// Connections with writes that have not been flushed.
    private var unflushed: ContiguousArray<PusherConnection> = []
    /// Shared by all connections of the loop, since they are read one after the other.
    var parser = PusherEnvelopeParser(rememberedNames: 256)
    /// Whether something was delivered since the first of the operations was queued.
    var hasDelivered = false

    init(_ loop: EventLoopContext) {
        self.loop = loop
    }

    // MARK: Who is there

    func add(_ connection: PusherConnection) {
        connection.place = list.count
        list.append(connection)
    }

    func remove(_ connection: PusherConnection) {
        let place = connection.place
        guard list.indices.contains(place), list[place] === connection else { return }
        list.swapAt(place, list.count - 1)
        list.removeLast()
        if place < list.count { list[place].place = place }
        connection.place = -1
    }

    /// Gives every connection its application as it is now; each application is judged once (rule SO-21).
    func review(_ judge: (String) -> Result<SharedApplication, PusherCloseReason>) {
        var verdicts: [Identifier: Result<SharedApplication, PusherCloseReason>] = [:]
        for connection in list {
            guard let id = connection.applicationID else { continue }
            let verdict = verdicts[Identifier(id)] ?? judge(id)
            verdicts[Identifier(id)] = verdict
            switch verdict {
            case .success(let application): connection.adopt(application)
            case .failure(let farewell): connection.close(farewell)
            }
        }
    }

    // MARK: Who is subscribed

    func attach(_ connection: PusherConnection, to id: ChannelID) {
        let channel = channels[id] ?? LoopChannel(id, connection.slot)
        if channel.subscribers.isEmpty { channels[id] = channel }
        channel.seats.append(Int32(truncatingIfNeeded: connection.seats.count))
        connection.seats.append(PusherConnection.Seat(channel: channel, index: channel.subscribers.count))
        channel.subscribers.append(connection)
    }

    func detach(_ connection: PusherConnection, from id: ChannelID) {
        guard let channel = channels[id], let seat = seat(of: connection, in: channel) else { return }
        leave(connection.seats[seat])
        let last = connection.seats.count - 1
        connection.seats.swapAt(seat, last)
        connection.seats.removeLast()
        guard seat < last else { return }
        let moved = connection.seats[seat]
        moved.channel.seats[moved.index] = Int32(truncatingIfNeeded: seat)
    }

    /// Looks where there is less to look through: some connections have ten thousand channels, some channels as many connections.
    private func seat(of connection: PusherConnection, in channel: LoopChannel) -> Int? {
        if channel.subscribers.count < connection.seats.count {
            return channel.subscribers.firstIndex { $0 === connection }.map { Int(channel.seats[$0]) }
        }
        return connection.seats.firstIndex { $0.channel === channel }
    }

    func detachAll(_ connection: PusherConnection) {
        for seat in connection.seats { leave(seat) }
        connection.seats = []
    }

    /// Gives a seat's place to the last subscriber of the channel.
    private func leave(_ seat: PusherConnection.Seat) {
        let channel = seat.channel
        let last = channel.subscribers.count - 1
        if seat.index < last {
            let moved = channel.subscribers[last]
            channel.subscribers[seat.index] = moved
            channel.seats[seat.index] = channel.seats[last]
            moved.seats[Int(channel.seats[last])].index = seat.index
        }
        channel.subscribers.removeLast()
        channel.seats.removeLast()
        if channel.subscribers.isEmpty { channels[channel.id] = nil }
    }

    // MARK: Delivering

    /// Writes frames to all subscribers of a channel.
    ///
    /// - Parameter isLast: whether nothing else is written in this turn. Then each connection is flushed while it is at hand;
    ///   otherwise frames leave with the next ``flush()``.
    func deliver(_ frames: ByteBuffer, count: Int, to id: ChannelID, excluding: SocketID?, isLast: Bool) {
        guard let channel = channels[id] else { return }
        var delivered = 0
        for connection in channel.subscribers where excluding == nil || connection.socketID != excluding {
            if isLast {
                guard connection.send(frames) else { continue }
                connection.isUnflushed = false
            } else {
                guard connection.write(frames) else { continue }
                mustFlush(connection)
            }
            delivered += 1
        }
        loop.state.figures.applications.count(channel.slot) {
            $0.messagesSent += delivered * count
            $0.bytesSent += delivered * frames.readableBytes
        }
    }

    /// Writes frames to one connection; they leave with the next ``flush()``.
    func write(_ frames: ByteBuffer, to connection: PusherConnection) {
        guard connection.write(frames) else { return }
        countSent(frames, to: connection)
        mustFlush(connection)
    }

    func countSent(_ frame: ByteBuffer, to connection: PusherConnection) {
        loop.state.figures.applications.count(connection.slot) {
            $0.messagesSent += 1
            $0.bytesSent += frame.readableBytes
        }
    }

    @inline(__always)
    private func mustFlush(_ connection: PusherConnection) {
        guard !connection.isUnflushed else { return }
        connection.isUnflushed = true
        unflushed.append(connection)
    }

    /// Sends what has been written, in one system call for each connection.
    func flush() {
        var index = 0
        while index < unflushed.count {
            let connection = unflushed[index]
            index += 1
            guard connection.isUnflushed else { continue }
            connection.isUnflushed = false
            connection.flush()
        }
        unflushed.removeAll(keepingCapacity: true)
    }
}

/// The subscribers of one channel on one event loop.
final class LoopChannel {
    let id: ChannelID
    /// Where what is delivered is counted.
    let slot: MetricSlot
    var subscribers: ContiguousArray<PusherConnection> = []
    /// The place of each subscriber's seat among the seats of its connection, so that no one has to be looked for.
    var seats: ContiguousArray<Int32> = []

    init(_ id: ChannelID, _ slot: MetricSlot) {
        self.id = id
        self.slot = slot
    }
}
