import NIOCore
import RealtimeHub
import ServerRuntime
import ServerValues

extension PusherLoop: WebSocketLoop {
    /// Something that an event loop has to do for its connections, in the order in which it was asked for.
    ///
    /// Subscribing goes the same way as delivering, so that a subscriber gets everything that was published after its confirmation
    /// and nothing from before it (rule SV-2).
    enum Operation: LoopOperation {
        /// Hand one encoded frame to all subscribers of a channel on this loop, but to the excluded one. Connections with recovery
        /// get the event with its position, if it has one.
        case deliver(ChannelID, ByteBuffer, excluding: SocketID?, positioned: PositionedEvent?)
        /// Start delivering to a connection, and confirm it.
        case attach(NIOLoopBound<PusherConnection>, ChannelID, confirmation: ByteBuffer)
        /// Stop delivering to a connection.
        case detach(NIOLoopBound<PusherConnection>, ChannelID)
        /// Hand one encoded frame to connections that are signed in.
        case tell([SocketID], ByteBuffer)
        /// Close connections: all, those of an application, or those of one of its signed-in users.
        case close(PusherCloseReason, application: String?, user: String?)
        /// Give connections their application as it is now, or close them when there is none any more.
        case review(@Sendable (_ application: String) -> Result<SharedApplication, PusherCloseReason>)

        /// The size that an operation counts in addition to the bytes that it carries.
        private static let overhead = 64

        /// A frame counts on every loop that it waits for, although they share it.
        var queuedBytes: Int {
            switch self {
            case .deliver(_, let frame, _, _): frame.readableBytes + Self.overhead
            case .attach(_, _, let confirmation): confirmation.readableBytes + Self.overhead
            case .tell(let users, let frame): users.count * MemoryLayout<SocketID>.size + frame.readableBytes + Self.overhead
            case .detach, .close, .review: Self.overhead
            }
        }
    }

    /// Frames for one channel are put together up to this size, so that a burst costs one write for each subscriber.
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
                    // in bounds: the line above has compared with the count.
                    case .deliver(channel, let next, excluded, let positioned) = operations[index + count]
                {
                    frames.writeImmutableBuffer(next)
                    withPositions?.writeImmutableBuffer(positioned?.frame ?? next)
                    // in bounds: as in the condition of the loop.
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
            case .close(let farewell, let application, let user): close(farewell, application, user)
            case .review(let judge): review(judge)
            }
            index += 1
        }
        writer.flush()
        return (index, done)
    }

    private func close(_ farewell: PusherCloseReason, _ application: String?, _ user: String?) {
        // Copies, since a connection that closes leaves the list.
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
