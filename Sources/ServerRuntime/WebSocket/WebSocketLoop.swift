import NIOCore
import ServerValues

/// The state of a front with WebSockets on one event loop.
package protocol WebSocketLoop: LoopPart {
    associatedtype Connection: WebSocketConnection

    var list: ConnectionList<Connection> { get }
}

extension WebSocketLoop {
    package func sweep(at now: MonotonicInstant) {
        sweepConnections(at: now)
    }

    package func sweepConnections(at now: MonotonicInstant) {
        // Iterates over a copy, because a connection that ends leaves the list.
        for connection in list.all { connection.sweep(at: now) }
    }

    package func connections() -> [any DrainedConnection] { Array(list.all) }

    package func cut() {
        for connection in list.all { connection.hangUp() }
    }
}

/// Writes to the WebSockets of one event loop, and tracks which of them have to be flushed.
///
/// Inlinable where the type of the connections matters, because that code runs for each subscriber.
@usableFromInline
package final class ConnectionWriter {
    private let loop: EventLoopContext
    private var unflushed: ContiguousArray<WebSocketConnection> = []
    /// The sum of the words that ``load(_:)`` has read. Nothing uses it, but without it the compiler would remove the reads.
    private var loaded = 0

    /// How many connections ``load(_:)`` prefetches at a time: as many as have cache lines that a processor fetches in parallel, and few
    /// enough that they are still in the L1 cache when they are used.
    @inlinable static var loadedTogether: Int { 16 }

    package init(_ loop: EventLoopContext) {
        self.loop = loop
    }

    /// Writes frames to all subscribers of a channel.
    ///
    /// - Parameters:
    ///   - count: the number of messages in the frames.
    ///   - isLast: whether nothing else is written in this turn. Each connection is then flushed at once; otherwise the frames are
    ///     sent by the next ``flush()``.
    ///   - isExcluded: whether a subscriber must not receive the frames.
    @inlinable
    package func deliver<Connection: WebSocketConnection & SeatedConnection>(
        _ frames: ByteBuffer, count: Int, to channel: LoopChannel<Connection>, isLast: Bool,
        except isExcluded: (Connection) -> Bool
    ) {
        var delivered = 0
        // A copy of the reference, because a connection that is cut off leaves the channel.
        let connections = channel.connections
        for (index, connection) in connections.enumerated() {
            if index % Self.loadedTogether == 0 {
                connections.withUnsafeBufferPointer { all in
                    UnsafeBufferPointer(rebasing: all.dropFirst(index).prefix(Self.loadedTogether))
                        .withMemoryRebound(to: WebSocketConnection.self) { load($0) }
                }
            }
            guard !isExcluded(connection) else { continue }
            if isLast ? connection.send(frames) : put(frames, to: connection) { delivered += 1 }
        }
        countDelivered(messages: delivered * count, bytes: delivered * frames.readableBytes, at: channel.slot)
    }

    /// Reads what a delivery uses of some connections, so that the processor fetches it from memory for all of them at the same time,
    /// instead of for each connection after the system call for the one before. That call uses so much of the caches that little of the
    /// last delivery is left in them.
    ///
    /// Reads without retaining: a retain would make the processor wait for each read.
    @usableFromInline
    package func load(_ connections: UnsafeBufferPointer<WebSocketConnection>) {
        var sum = loaded
        for index in connections.indices {
            // in bounds: an index of the buffer. The two words are in the two cache lines of the fields for a delivery.
            sum &+= Self.firstWord(connections[index]) &+ connections[index].slot.index
        }
        loaded = sum
    }

    /// The first word of an object, which is the address of its class.
    private static func firstWord(_ object: AnyObject) -> Int {
        Unmanaged.passUnretained(object).toOpaque().load(as: Int.self)
    }

    @usableFromInline
    package func countDelivered(messages: Int, bytes: Int, at slot: MetricSlot) {
        loop.state.figures.applications.count(slot) {
            $0.messagesSent += messages
            $0.bytesSent += bytes
        }
    }

    /// Writes one message to one connection; the next ``flush()`` sends it.
    package func write(_ frame: ByteBuffer, to connection: WebSocketConnection) {
        if put(frame, to: connection) { connection.countSent(frame) }
    }

    @usableFromInline
    package func put(_ frames: ByteBuffer, to connection: WebSocketConnection) -> Bool {
        guard connection.write(frames) else { return false }
        guard !connection.isUnflushed else { return true }
        connection.isUnflushed = true
        unflushed.append(connection)
        return true
    }

    /// Sends all written data, with one system call for each connection.
    package func flush() {
        var index = 0
        while index < unflushed.count {
            let connection = unflushed[index]
            index += 1
            guard connection.isUnflushed else { continue }
            connection.isUnflushed = false
            connection.context?.flush()
        }
        unflushed.removeAll(keepingCapacity: true)
    }
}
