import NIOCore
import ServerValues

/// The state of a service with WebSockets on one event loop.
package protocol WebSocketLoop: LoopPart {
    associatedtype Connection: WebSocketConnection

    var list: ConnectionList<Connection> { get }
}

extension WebSocketLoop {
    package func sweep(at now: MonotonicInstant) {
        sweepConnections(at: now)
    }

    package func sweepConnections(at now: MonotonicInstant) {
        // The loop uses a copy of the list, because a connection that ends is removed from the list.
        for connection in list.all { connection.sweep(at: now) }
    }

    package func connections() -> [any DrainedConnection] { Array(list.all) }

    package func cut() {
        for connection in list.all { connection.hangUp() }
    }
}

/// Writes to the WebSockets of one event loop, and tracks which of them have to be flushed.
///
/// Code that depends on the type of the connections is inlinable, because it runs for each subscriber.
@usableFromInline
package final class ConnectionWriter {
    private let loop: EventLoopContext
    private var unflushed: ContiguousArray<WebSocketConnection> = []
    /// The sum of the words that ``load(_:)`` has read. Nothing uses the sum, but without it the compiler would remove the reads.
    private var loaded = 0

    /// How many connections ``load(_:)`` prefetches at a time. A processor can fetch this many cache lines in parallel, and they are still
    /// in its L1 cache when they are used.
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
        // The loop uses a copy of the array, because a connection that is closed during the delivery leaves the channel.
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

    /// Reads those fields of some connections that a delivery uses, so that the processor fetches them from memory in parallel. Without
    /// this, the processor would fetch them for each connection after the system call for the previous connection, because system calls
    /// remove most of this data from the caches.
    ///
    /// The reads do not retain objects, because a retain would make the processor wait for each read.
    @usableFromInline
    package func load(_ connections: UnsafeBufferPointer<WebSocketConnection>) {
        var sum = loaded
        for index in connections.indices {
            // in bounds: an index of the buffer. The two words are in the two cache lines with the fields that a delivery uses.
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
