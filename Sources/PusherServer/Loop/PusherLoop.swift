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
    /// Subscriptions of connections with recovery, which get events with positions. The others are in ``channels``.
    var recovering = LoopChannels<PusherConnection>()
    var list = ConnectionList<PusherConnection>()
    /// The connections among them that are signed in as a user.
    var signedIn: [SocketID: PusherConnection] = [:]
    let writer: ConnectionWriter
    /// Shared by all connections of the loop, since they are read one after the other.
    var parser = PusherEnvelopeParser(rememberedNames: 256)
    /// Whether something was delivered since the first of the operations was queued.
    var hasDelivered = false

    init(_ loop: EventLoopContext) {
        self.loop = loop
        writer = ConnectionWriter(loop)
    }

    /// Starts delivering to a connection.
    func attach(_ connection: PusherConnection, to channel: ChannelID) {
        if connection.isRecovering {
            recovering.attach(connection, to: channel, countedAt: connection.slot)
        } else {
            channels.attach(connection, to: channel, countedAt: connection.slot)
        }
    }

    func detach(_ connection: PusherConnection, from channel: ChannelID) {
        if connection.isRecovering {
            recovering.detach(connection, from: channel)
        } else {
            channels.detach(connection, from: channel)
        }
    }

    func detachAll(_ connection: PusherConnection) {
        if connection.isRecovering { recovering.detachAll(connection) } else { channels.detachAll(connection) }
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
}
