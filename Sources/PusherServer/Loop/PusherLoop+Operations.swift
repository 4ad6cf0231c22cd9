import NIOCore
import ServerRuntime
import ServerValues

extension PusherLoop: WebSocketLoop {
    /// An operation that an event loop performs for its connections, in the order in which operations are queued.
    ///
    /// Subscriptions use the same queue as deliveries. So a subscriber receives all events that are published after its confirmation, and
    /// no event that was published before (rule SV-2).
    enum Operation: LoopOperation {
        /// Deliver one encoded frame to all subscribers of a channel on this event loop, except for one connection. Connections
        /// with recovery receive the event with its position, if it has one.
        case deliver(ChannelID, ByteBuffer, excluding: SocketID?, positioned: PositionedEvent?)
        /// Send the confirmation to a connection, and start delivering events to it.
        case attach(NIOLoopBound<PusherConnection>, ChannelID, confirmation: ByteBuffer)
        /// Stop delivering events to a connection.
        case detach(NIOLoopBound<PusherConnection>, ChannelID)
        /// Deliver one encoded frame to signed-in connections.
        case tell([SocketID], ByteBuffer)
        /// Close connections: all, those of an application, or those of one of its signed-in users.
        case close(PusherCloseReason, application: String?, user: String?)
        /// Close connections that have subscriptions in this partition of the cluster, or whose signed-in user belongs to an application
        /// with this home partition.
        case interrupt(PusherCloseReason, ChannelPartition)
        /// Give connections the current configuration of their application, or close them when the application no longer exists.
        case review(@Sendable (_ application: String) -> Result<SharedApplication, PusherCloseReason>)

        /// The number of bytes that are counted for each queued operation, in addition to the bytes that it carries.
        private static let overhead = 64

        /// The number of bytes for which this operation counts in the queue of its event loop. A frame for several event loops counts in
        /// each of their queues, although they share its memory.
        var queuedBytes: Int {
            switch self {
            case .deliver(_, let frame, _, _): frame.readableBytes + Self.overhead
            case .attach(_, _, let confirmation): confirmation.readableBytes + Self.overhead
            case .tell(let users, let frame): users.count * MemoryLayout<SocketID>.size + frame.readableBytes + Self.overhead
            case .detach, .close, .interrupt, .review: Self.overhead
            }
        }
    }

    /// The size, in bytes, up to which consecutive frames for one channel are joined, so that a burst needs one write for each subscriber.
    private static let mergedBytes = 16_384

    func perform(_ operations: [Operation], from start: Int, budget: Int) -> (next: Int, bytes: Int) {
        var (index, done, written) = (start, 0, 0)
        while index < operations.count, done < budget {
            done += operations[index].queuedBytes
            switch operations[index] {
            case .deliver(let channel, let frame, let excluded, let positioned):
                let recoverers = recovering.isEmpty ? nil : recovering[channel]
                var frames = frame
                var withPositions = recoverers == nil ? nil : positioned?.frame ?? frame
                var count = 1
                while index + count < operations.count, frames.readableBytes < Self.mergedBytes,
                    // in bounds: the condition above compares the index with the count.
                    case .deliver(channel, let next, excluded, let positioned) = operations[index + count]
                {
                    frames.writeImmutableBuffer(next)
                    withPositions?.writeImmutableBuffer(positioned?.frame ?? next)
                    // in bounds: the condition of the loop compares the index with the count.
                    done += operations[index + count].queuedBytes
                    count += 1
                }
                index += count
                let isLast = index == operations.count
                func isExcluded(_ connection: PusherConnection) -> Bool { excluded != nil && connection.socketID == excluded }
                if let subscribed = channels[channel] {
                    writer.deliver(frames, count: count, to: subscribed, isLast: isLast, except: isExcluded)
                }
                if let recoverers, let withPositions {
                    writer.deliver(withPositions, count: count, to: recoverers, isLast: isLast, except: isExcluded)
                }
                written += frames.readableBytes + (withPositions?.readableBytes ?? 0)
                hasDelivered = true
                if written >= loop.queue.burstBytes {
                    writer.flush()
                    written = 0
                }
                continue
            case .attach(let connection, let channel, let confirmation):
                let connection = connection.value
                if connection.isOpen {
                    attach(connection, to: channel)
                    writer.write(confirmation, to: connection)
                }
            case .detach(let connection, let channel): detach(connection.value, from: channel)
            case .tell(let users, let frame):
                for user in users {
                    if let connection = signedIn[user] { writer.write(frame, to: connection) }
                }
            case .close(let farewell, let application, let user): close(farewell, application: application, user: user)
            case .interrupt(let farewell, let partition):
                // A copy is iterated, because a connection that closes is removed from the list.
                for connection in Array(list.all) where connection.uses(partition) { connection.close(farewell) }
            case .review(let judge): review(judge)
            }
            index += 1
        }
        writer.flush()
        return (index, done)
    }

    private func close(_ farewell: PusherCloseReason, application: String?, user: String?) {
        // A copy is iterated, because a connection that closes is removed from the list.
        let connections = user == nil ? Array(list.all) : Array(signedIn.values)
        for connection in connections where connection.belongs(to: application, user: user) { connection.close(farewell) }
    }

    func endTurn(since: MonotonicInstant?) {
        if let since {
            if hasDelivered { loop.state.figures.observeFanOut(.pusher, since: since, at: loop.now) }
            hasDelivered = false
        }
        loop.publishCounters()
    }
}
