import ChatProtocol
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage
import ServerValues

/// An operation that an event loop performs for its chat sessions.
enum ChatOperation: LoopOperation {
    case push(ChatPush)
    /// Writes one frame to these connections.
    case tell(ByteBuffer, [NIOLoopBound<ChatConnection>])
    /// Writes one frame to all participants of an open channel on this event loop.
    case room(ChatRoomID, ByteBuffer, except: NIOLoopBound<ChatConnection>?)
    case seat(NIOLoopBound<ChatConnection>, ChatRoomID)
    case unseat(NIOLoopBound<ChatConnection>, ChatRoomID)
    /// The answer to a request. `isLogged`: whether its error was logged when the frame was read.
    case answer(NIOLoopBound<ChatConnection>, ByteBuffer, isLogged: Bool)
    /// A page of the inbox that the store has read; nil when the store could not read it.
    case page(NIOLoopBound<ChatConnection>, [ChatInboxEntry]?)
    /// The application's decision to admit or refuse the connection.
    case admit(NIOLoopBound<ChatConnection>, Result<ChatSessionAdmission, ChatRequestRefusal>)
    case end(NIOLoopBound<ChatConnection>, ChatBye)
    /// The server stops: all clients are asked to reconnect later.
    case drain

    /// The bytes by which each operation counts against the limit of the event loop's queue, in addition to its data.
    private static let overhead = 64

    var queuedBytes: Int {
        let bytes =
            switch self {
            case .push(let push): push.targets.count * MemoryLayout<ChatPush.Target>.size + push.body.readableBytes
            case .tell(let frame, let connections): connections.count * 16 + frame.readableBytes
            case .room(_, let frame, _), .answer(_, let frame, _): frame.readableBytes
            case .page(_, let page): page?.reduce(0) { $0 + $1.body.count } ?? 0
            case .seat, .unseat, .admit, .end, .drain: 0
            }
        return bytes + Self.overhead
    }
}

/// The chat sessions of one event loop, and the open channels that they have entered. It is used on that event loop only.
final class ChatLoop {
    private let loop: EventLoopContext
    var list = ConnectionList<ChatConnection>()
    /// All connections of the event loop share the parser, because their frames are parsed one after the other.
    var parser = ChatClientFrameParser(rememberedNames: 256)
    /// The sessions in each open channel.
    var rooms = LoopChannels<ChatConnection>()
    let writer: ConnectionWriter
    /// Whether the event loop has delivered messages since a turn was last measured. The metrics count the duration of turns with
    /// deliveries.
    private var hasDelivered = false
    /// How many frames were refused before they reached an application.
    var framesRefused = ApplicationCounts()

    /// The number of frames that were refused before they reached an application, readable from other threads.
    private let published: NIOLockedValueBox<Int>

    init(_ loop: EventLoopContext, _ published: NIOLockedValueBox<Int>) {
        self.loop = loop
        writer = ConnectionWriter(loop)
        self.published = published
    }

    // MARK: Operations

    /// - Parameter isLast: whether this is the last operation in this turn of the event loop.
    private func perform(_ operation: ChatOperation, isLast: Bool) {
        switch operation {
        case .push(let push):
            hasDelivered = true
            for target in push.targets {
                target.connection.value.push(push.body, target.sequence, knows: target.knows, self)
            }
        case .tell(let frame, let connections):
            for connection in connections { writer.write(frame, to: connection.value) }
        case .room(let id, let frame, let except):
            hasDelivered = true
            guard let room = rooms[id] else { return }
            let left = except?.value
            writer.deliver(frame, count: 1, to: room, isLast: isLast) { $0 === left }
        case .seat(let connection, let room):
            let connection = connection.value
            guard connection.isOpen, !rooms.contains(connection, in: room) else { return }
            rooms.attach(connection, to: room, countedAt: connection.slot)
        case .unseat(let connection, let room): rooms.detach(connection.value, from: room)
        case .answer(let connection, let frame, let isLogged):
            if !isLogged { connection.value.logRefusal(in: frame) }
            writer.write(frame, to: connection.value)
            connection.value.requestEnds()
        case .page(let connection, let page): connection.value.take(page, self)
        case .admit(let connection, let result): connection.value.admit(result)
        case .end(let connection, let bye): connection.value.close(.bye(bye))
        case .drain:
            for session in list.all { session.drain() }
        }
    }
}

extension ChatLoop: WebSocketLoop {
    func perform(_ operations: [ChatOperation], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        var (next, bytes, written) = (start, 0, 0)
        while next < operations.count, bytes < budget {
            let operation = operations[next]
            next += 1
            bytes += operation.queuedBytes
            written += operation.queuedBytes
            perform(operation, isLast: next == operations.count)
            if written >= loop.queue.burstBytes {
                writer.flush()
                written = 0
            }
        }
        writer.flush()
        return (next, bytes)
    }

    func endTurn(since: MonotonicInstant?) {
        if let since {
            if hasDelivered { loop.state.figures.observeFanOut(.chat, since: since, at: loop.now) }
            hasDelivered = false
        }
        loop.publishCounters()
        publish()
    }

    private func publish() {
        let total = framesRefused.total
        published.withLockedValue { $0 = total }
    }

    func sweep(at now: MonotonicInstant) {
        sweepConnections(at: now)
        publish()
    }
}
