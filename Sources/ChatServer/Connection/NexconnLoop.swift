import NIOConcurrencyHelpers
import NIOCore
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import ServerValues

/// Something that an event loop has to do for its chat sessions.
enum NexconnOperation: LoopOperation {
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

    /// What an operation counts for beside the bytes that it carries.
    private static let overhead = 64

    var queuedBytes: Int {
        let bytes =
            switch self {
            case .push(let push): push.targets.count * MemoryLayout<NexconnPush.Target>.size + push.body.readableBytes
            case .tell(let frame, let connections): connections.count * 16 + frame.readableBytes
            case .room(_, let frame, _), .answer(_, let frame): frame.readableBytes
            case .page(_, let page): page?.reduce(0) { $0 + $1.body.count } ?? 0
            case .seat, .unseat, .admit, .end, .drain: 0
            }
        return bytes + Self.overhead
    }
}

/// The chat sessions of one event loop, and who sits in which open channel. Touched on that loop only.
final class NexconnLoop {
    private let loop: EventLoopContext
    var list = ConnectionList<NexconnConnection>()
    /// Shared by all connections of the loop, since they are read one after the other.
    var parser = NexconnClientFrameParser(rememberedNames: 256)
    /// Open channels.
    var rooms = LoopChannels<NexconnConnection>()
    /// Connections with writes that have not been flushed.
    private var unflushed: ContiguousArray<NexconnConnection> = []
    /// How much has been written since the last flush.
    private(set) var unflushedBytes = 0
    /// Frames that were refused before anybody was asked.
    var framesRefused = ApplicationCounts()

    /// The number of refused frames, for other threads.
    private let published: NIOLockedValueBox<Int>

    init(_ loop: EventLoopContext, _ published: NIOLockedValueBox<Int>) {
        self.loop = loop
        self.published = published
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
        case .seat(let connection, let room):
            let connection = connection.value
            guard connection.isOpen, !rooms.contains(connection, in: room) else { return }
            rooms.attach(connection, to: room, countedAt: connection.slot)
        case .unseat(let connection, let room): rooms.detach(connection.value, from: room)
        case .answer(let connection, let frame):
            write(frame, to: connection.value)
            connection.value.requestEnds()
        case .page(let connection, let page): connection.value.take(page, self)
        case .admit(let connection, let result): connection.value.admit(result)
        case .end(let connection, let bye): connection.value.close(.bye(bye))
        case .drain:
            for session in list.all { session.drain() }
        }
    }

    // MARK: Writing

    /// Writes a frame to one connection; it leaves with the next ``flush()``.
    func write(_ frame: ByteBuffer, to connection: NexconnConnection) {
        guard connection.write(frame) else { return }
        loop.state.figures.applications.count(connection.slot) {
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

extension NexconnLoop: LoopPart {
    func perform(_ operations: [NexconnOperation], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        var (next, bytes) = (start, 0)
        while next < operations.count, bytes < budget {
            bytes += operations[next].queuedBytes
            perform(operations[next])
            next += 1
            if unflushedBytes >= loop.queue.burstBytes { flush() }
        }
        flush()
        return (next, bytes)
    }

    func endTurn(since: MonotonicInstant?) {
        loop.publishCounters()
        publish()
    }

    private func publish() {
        let total = framesRefused.total
        published.withLockedValue { $0 = total }
    }

    func sweep(at now: MonotonicInstant) {
        // A copy, since a session that ends leaves the list.
        for session in list.all { session.sweep(at: now) }
        publish()
    }

    func connections() -> [any DrainedConnection] { Array(list.all) }

    func cut() {
        for session in list.all { session.cut() }
    }
}
