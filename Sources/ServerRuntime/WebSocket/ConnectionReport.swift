import NIOCore
import ServerValues
import WireCoding

/// What a server tells of one of its WebSockets.
package struct ConnectionReport: Hashable, Sendable {
    /// As logs name it.
    package var id: String
    package var service: ServiceName
    package var application: String
    /// How its protocol names it: a socket id or a session.
    package var name: String?
    package var user: String?
    /// The other end of the socket; a proxy's when there is one.
    package var address: String?
    package var age: Duration
    package var receivedBytes: Int
    package var sentBytes: Int
    /// What the socket has not taken yet.
    package var pendingBytes: Int
    package var channels: Int?
    /// `open` or `closing`.
    package var state: String
}

/// How a WebSocket ended.
package struct EndedConnection: Hashable, Sendable {
    package enum Side: String, Hashable, Sendable {
        /// The server said goodbye first.
        case server
        case client
        /// The socket was gone without a goodbye.
        case nobody
    }

    package var id: String
    package var service: ServiceName
    package var application: String
    /// When, in seconds since 1970.
    package var time: Int
    package var age: Duration
    package var receivedBytes: Int
    package var sentBytes: Int
    package var closedBy: Side
    /// 0 for none.
    package var code: Int
}

/// The last connections of an event loop that ended; as many as it may keep. Touched on that loop only.
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
    /// Notes who ends the connection and how; the first who does counts.
    package final func noteEnding(_ side: EndedConnection.Side, _ code: Int) {
        if ending == nil { ending = (side, UInt16(clamping: code)) }
    }

    /// What there is to tell of the connection. On its event loop.
    package final func report(name: String?, user: String?, channels: Int?) -> ConnectionReport {
        ConnectionReport(
            id: "\(loop.number)-\(serial)", service: service.name, application: service.application(at: slot), name: name,
            user: user, address: context?.remoteAddress?.ipAddress, age: service.context.now.since(opened),
            receivedBytes: receivedBytes, sentBytes: sentBytes, pendingBytes: pendingBytes, channels: channels,
            state: isOpen ? "open" : "closing")
    }

    /// Keeps how the connection ended, where anybody can ask for that.
    final func recordEnding() {
        let core = service.context
        let capacity = core.settings.endedConnectionsKept
        let watched = core.feed.isWatched
        guard capacity > 0 || watched else { return }
        let (side, code) = ending ?? (.nobody, 0)
        let application = service.application(at: slot)
        if capacity > 0 {
            loop.state.ended.capacity = capacity
            loop.state.ended.add(
                EndedConnection(
                    id: "\(loop.number)-\(serial)", service: service.name, application: application,
                    time: core.clock.unixSeconds(), age: core.now.since(opened), receivedBytes: receivedBytes,
                    sentBytes: sentBytes, closedBy: side, code: Int(code)))
        }
        if watched {
            core.feed.tell(FeedEvent(.ended, service.name, application: application, name: code == 0 ? nil : String(code)))
        }
    }
}
