import Identifiers
import NIOCore
import PusherProtocol
import RealtimeHub
import ServerRuntime
import ServerValues

/// The Pusher connections of one event loop and what they are subscribed to. Touched on that loop only.
final class PusherLoop {
    let loop: EventLoopContext
    var channels = LoopChannels<PusherConnection>()
    var list = ConnectionList<PusherConnection>()
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

    /// Gives every connection its application as it is now; each application is judged once (rule SO-21).
    func review(_ judge: (String) -> Result<SharedApplication, PusherCloseReason>) {
        var verdicts: [Identifier: Result<SharedApplication, PusherCloseReason>] = [:]
        for connection in list.all {
            guard let id = connection.applicationID else { continue }
            let verdict = verdicts[Identifier(id)] ?? judge(id)
            verdicts[Identifier(id)] = verdict
            switch verdict {
            case .success(let application): connection.adopt(application)
            case .failure(let farewell): connection.close(farewell)
            }
        }
    }

    // MARK: Delivering

    /// Writes frames to all subscribers of a channel.
    ///
    /// - Parameter isLast: whether nothing else is written in this turn. Then each connection is flushed while it is at hand;
    ///   otherwise frames leave with the next ``flush()``.
    func deliver(_ frames: ByteBuffer, count: Int, to id: ChannelID, excluding: SocketID?, isLast: Bool) {
        guard let channel = channels[id] else { return }
        var delivered = 0
        for connection in channel.connections where excluding == nil || connection.socketID != excluding {
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
