import Identifiers
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerValues

/// The Pusher connections of one event loop and their subscriptions. Used on that event loop only.
final class PusherLoop {
    let loop: EventLoopContext
    var channels = LoopChannels<PusherConnection>()
    /// Subscriptions of connections with recovery, which receive events with positions. All other subscriptions are in ``channels``.
    var recovering = LoopChannels<PusherConnection>()
    var list = ConnectionList<PusherConnection>()
    /// The connections that are signed in as a user.
    var signedIn: [SocketID: PusherConnection] = [:]
    let writer: ConnectionWriter
    /// The parser of all connections of the event loop. They need only one, because the event loop parses their messages one after the
    /// other.
    var parser = PusherEnvelopeParser(rememberedNames: 256)
    /// Whether an event was delivered in the current run of queued operations, so that the run's duration is measured as fan-out.
    var hasDelivered = false

    init(_ loop: EventLoopContext) {
        self.loop = loop
        writer = ConnectionWriter(loop)
    }

    /// Starts delivering events to a connection.
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

    /// Gives every connection the current configuration of its application, or closes the connection. Each application is looked up once
    /// (rule SO-21).
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
