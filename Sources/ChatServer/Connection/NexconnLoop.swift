import NIOCore
import NexconnProtocol
import RealtimeHub

/// Something that an event loop has to do for its chat sessions.
enum NexconnOperation: Sendable {
    case push(NexconnPush)
    /// One frame for some connections.
    case tell(ByteBuffer, [NIOLoopBound<NexconnConnection>])
    /// One frame for everybody in an open channel.
    case room(NexconnRoomID, ByteBuffer, except: NIOLoopBound<NexconnConnection>?)
    case seat(NIOLoopBound<NexconnConnection>, NexconnRoomID)
    case unseat(NIOLoopBound<NexconnConnection>, NexconnRoomID)
    case answer(NIOLoopBound<NexconnConnection>, ByteBuffer)
    /// The store has read a page of the inbox; nil when it could not.
    case page(NIOLoopBound<NexconnConnection>, [ChatInboxEntry]?)
    /// The application has let the connection in, or not.
    case admit(NIOLoopBound<NexconnConnection>, Result<NexconnAdmission, NexconnRefusal>)
    case end(NIOLoopBound<NexconnConnection>, NexconnBye)
    /// The server goes: all connections are asked to come back later.
    case drain
}

/// The chat sessions of one event loop, and who sits in which open channel. Touched on that loop only.
final class NexconnLoop {
    /// All connections; each knows its place.
    private(set) var connections: ContiguousArray<NexconnConnection> = []
    /// Shared by all connections of the loop, since they are read one after the other.
    var parser = NexconnClientFrameParser(rememberedNames: 256)
    private var rooms: [NexconnRoomID: NexconnLoopRoom] = [:]
    /// Connections with writes that have not been flushed.
    private var unflushed: ContiguousArray<NexconnConnection> = []
    /// How much has been written since the last flush.
    private(set) var unflushedBytes = 0
    /// Of what is written here; the rest is counted with all other connections.
    private(set) var applications = ApplicationTallies()

    // MARK: Who is there

    func add(_ connection: NexconnConnection) {
        connection.place = connections.count
        connections.append(connection)
    }

    func remove(_ connection: NexconnConnection) {
        unseat(connection)
        let place = connection.place
        guard connections.indices.contains(place), connections[place] === connection else { return }
        connections.swapAt(place, connections.count - 1)
        connections.removeLast()
        if place < connections.count { connections[place].place = place }
        connection.place = -1
    }

    // MARK: What there is to do

    func perform(_ operation: NexconnOperation) {
        switch operation {
        case .push(let push):
            for target in push.targets {
                target.connection.value.push(push.body, target.sequence, knows: target.knows, self)
            }
        case .tell(let frame, let connections):
            for connection in connections { write(frame, to: connection.value) }
        case .room(let id, let frame, let except):
            guard let room = rooms[id] else { return }
            let left = except?.value
            for connection in room.connections where connection !== left { write(frame, to: connection) }
        case .seat(let connection, let room): seat(connection.value, in: room)
        case .unseat(let connection, let room): unseat(connection.value, from: room)
        case .answer(let connection, let frame):
            write(frame, to: connection.value)
            connection.value.requestEnds()
        case .page(let connection, let page): connection.value.take(page, self)
        case .admit(let connection, let result): connection.value.admit(result)
        case .end(let connection, let bye): connection.value.close(.bye(bye))
        case .drain:
            for connection in connections { connection.drain() }
        }
    }

    // MARK: Open channels

    private func seat(_ connection: NexconnConnection, in id: NexconnRoomID) {
        guard connection.isOpen, !connection.seats.contains(where: { $0.room.id == id }) else { return }
        let room = rooms[id] ?? NexconnLoopRoom(id)
        if room.connections.isEmpty { rooms[id] = room }
        connection.seats.append(NexconnConnection.Seat(room: room, index: room.connections.count))
        room.connections.append(connection)
    }

    private func unseat(_ connection: NexconnConnection, from id: NexconnRoomID) {
        guard let seat = connection.seats.firstIndex(where: { $0.room.id == id }) else { return }
        leave(connection.seats[seat])
        connection.seats.swapAt(seat, connection.seats.count - 1)
        connection.seats.removeLast()
    }

    /// Takes a connection out of all open channels.
    func unseat(_ connection: NexconnConnection) {
        for seat in connection.seats { leave(seat) }
        connection.seats = []
    }

    /// Gives a seat's place to the last one of the room.
    private func leave(_ seat: NexconnConnection.Seat) {
        let room = seat.room
        let last = room.connections.count - 1
        if seat.index < last {
            let moved = room.connections[last]
            room.connections[seat.index] = moved
            if let other = moved.seats.firstIndex(where: { $0.room === room }) { moved.seats[other].index = seat.index }
        }
        room.connections.removeLast()
        if room.connections.isEmpty { rooms[room.id] = nil }
    }

    // MARK: Writing

    /// Writes a frame to one connection; it leaves with the next ``flush()``.
    func write(_ frame: ByteBuffer, to connection: NexconnConnection) {
        guard connection.write(frame) else { return }
        applications.count(connection.slot) {
            $0.messagesSent += 1
            $0.bytesSent += frame.readableBytes
        }
        unflushedBytes += frame.readableBytes
        guard !connection.isUnflushed else { return }
        connection.isUnflushed = true
        unflushed.append(connection)
    }

    /// Sends what has been written, in one system call for each connection.
    func flush() {
        unflushedBytes = 0
        guard !unflushed.isEmpty else { return }
        var index = 0
        while index < unflushed.count {
            let connection = unflushed[index]
            index += 1
            connection.isUnflushed = false
            connection.flush()
        }
        unflushed.removeAll(keepingCapacity: true)
    }
}

/// Those of an open channel's devices that are on one event loop.
final class NexconnLoopRoom {
    let id: NexconnRoomID
    var connections: ContiguousArray<NexconnConnection> = []

    init(_ id: NexconnRoomID) {
        self.id = id
    }
}
