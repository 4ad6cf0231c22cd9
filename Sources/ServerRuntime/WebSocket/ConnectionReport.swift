import NIOCore
import ServerValues
import WireCoding

/// A description of one open WebSocket, for the console.
package struct ConnectionReport: Hashable, Sendable {
    /// The connection's id in logs: event loop and serial number.
    package var id: String
    package var service: ServiceName
    package var application: String
    /// The connection's id in its service's protocol, such as Pusher's socket id or a session id.
    package var name: String?
    package var user: String?
    /// The IP address of the socket's peer, which may be a proxy.
    package var address: String?
    package var age: Duration
    package var receivedBytes: Int
    package var sentBytes: Int
    /// The number of sent bytes that the socket has not accepted yet.
    package var pendingBytes: Int
    package var channels: Int?
    /// `open` or `closing`.
    package var state: String
}

/// How a WebSocket ended.
package struct EndedConnection: Hashable, Sendable {
    package enum Side: String, Hashable, Sendable {
        /// The server began the close handshake.
        case server
        case client
        /// The TCP connection ended without a close frame from either side.
        case nobody
    }

    package var id: String
    package var service: ServiceName
    package var application: String
    /// When the connection ended, in seconds since 1970.
    package var time: Int
    package var age: Duration
    package var receivedBytes: Int
    package var sentBytes: Int
    package var closedBy: Side
    /// The close code; 0 for none.
    package var code: Int
    /// The reason as text; nil when neither side gave one.
    package var reason: String?
    /// The IP address of the socket's peer, which may be a proxy.
    package var address: String?
}

/// The most recently ended connections of an event loop, up to a limit. Used on that event loop only.
package struct EndedConnections: Sendable {
    private var ring: [EndedConnection] = []
    private var next = 0
    package var capacity = 0

    package mutating func add(_ ended: EndedConnection) {
        guard capacity > 0 else { return }
        guard ring.count >= capacity else { return ring.append(ended) }
        ring[next] = ended
        next = (next + 1) % capacity
    }

    /// The latest first.
    package var latestFirst: [EndedConnection] { Array((ring.clamped(from: next) + ring.prefix(next)).reversed()) }
}

extension WebSocketConnection {
    /// The side that ends a connection, with its code and reason. This is a class, so that an open connection stores only an empty pointer.
    final class Ending {
        let side: EndedConnection.Side
        let code: UInt16
        let reason: String?

        init(_ side: EndedConnection.Side, code: UInt16, reason: String?) {
            (self.side, self.code, self.reason) = (side, code, reason)
        }
    }

    /// Records which side ends the connection and how; only the first call has an effect.
    ///
    /// The log entry is written at once, while the connection still has its user; it has the code, the reason and the traffic counts.
    ///
    /// - Parameter blame: who caused the server to close; nil to derive it from the code.
    package final func noteEnding(_ side: EndedConnection.Side, code: Int, reason: String? = nil, blame: Blame? = nil) {
        guard ending == nil else { return }
        ending = Ending(side, code: UInt16(clamping: code), reason: reason)
        if side == .server { loop.state.figures.close(service.name, code) }
        logEnding(side, code: code, reason: reason, blame: blame)
    }

    private final func logEnding(_ side: EndedConnection.Side, code: Int, reason: String?, blame: Blame? = nil) {
        let core = service.context
        loop.state.note("connection ended", side == .server ? blame ?? self.blame(code) : .nobody, in: core) {
            var metadata = logMetadata.merging(endingDetails) { $1 }
            metadata["service"] = "\(service.name.rawValue)"
            metadata["by"] = "\(side.rawValue)"
            if code != 0 { metadata["code"] = "\(code)" }
            if let reason { metadata["reason"] = "\(logText(reason.utf8))" }
            if metadata["app"] == nil { metadata["app"] = "\(service.application(at: slot))" }
            if metadata["address"] == nil, let address = remoteAddress { metadata["address"] = "\(address)" }
            metadata["seconds"] = "\(core.now.since(opened).components.seconds)"
            metadata["received_bytes"] = "\(receivedBytes)"
            metadata["sent_bytes"] = "\(sentBytes)"
            return metadata
        }
    }

    /// Describes the connection for the console. Called on its event loop.
    package final func report(name: String?, user: String?, channels: Int?) -> ConnectionReport {
        ConnectionReport(
            id: "\(loop.number)-\(serial)", service: service.name, application: service.application(at: slot), name: name,
            user: user, address: context?.remoteAddress?.ipAddress, age: service.context.now.since(opened),
            receivedBytes: receivedBytes, sentBytes: sentBytes, pendingBytes: pendingBytes, channels: channels,
            state: isOpen ? "open" : "closing")
    }

    /// Adds the closed connection to the event loop's list of ended connections, which the console shows.
    final func recordEnding() {
        if ending == nil { logEnding(.nobody, code: 0, reason: nil) }
        let core = service.context
        let capacity = core.settings.endedConnectionsKept
        let watched = core.feed.isWatched
        guard capacity > 0 || watched else { return }
        let ending = ending ?? Ending(.nobody, code: 0, reason: nil)
        let application = service.application(at: slot)
        if capacity > 0 {
            loop.state.ended.capacity = capacity
            loop.state.ended.add(
                EndedConnection(
                    id: "\(loop.number)-\(serial)", service: service.name, application: application,
                    time: core.clock.unixSeconds(), age: core.now.since(opened), receivedBytes: receivedBytes,
                    sentBytes: sentBytes, closedBy: ending.side, code: Int(ending.code), reason: ending.reason,
                    address: remoteAddress))
        }
        if watched {
            core.feed.tell(
                FeedEvent(.ended, service.name, application: application, name: ending.code == 0 ? nil : String(ending.code)))
        }
    }
}
