import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage
import WebSocketFraming
import WireCoding

/// Encodes messages of the Pusher protocol as WebSocket frames.
enum PusherWire {
    static let subprotocol = "pusher-channels-protocol-7"

    /// Makes one text frame, which is encoded once for all connections that receive it.
    static func frame(_ message: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        append(message, to: &buffer)
        return buffer
    }

    /// The frame of an event for one channel. The two parts of `message` are copied without being parsed.
    static func frame(_ message: EventMessage, to channel: String) -> ByteBuffer {
        var name: [UInt8] = []
        name.reserveCapacity(channel.utf8.count + 2)
        JSONWriter.appendString(channel, to: &name)
        let count = message.before.readableBytes + name.count + message.after.readableBytes
        var frame = ByteBuffer()
        frame.reserveCapacity(count + 10)
        WebSocketFrameWriter(role: .server).writeTextHeader(count: count, to: &frame)
        frame.writeImmutableBuffer(message.before)
        frame.writeBytes(name)
        frame.writeImmutableBuffer(message.after)
        return frame
    }

    static func append(_ message: [UInt8], to buffer: inout ByteBuffer) {
        var writer = WebSocketFrameWriter(role: .server)
        message.withUnsafeBytes { writer.writeText($0, to: &buffer) }
    }

    /// The frames for a new subscriber: the confirmation, and for a cache channel the last event or a cache miss.
    ///
    /// - Parameter recovery: the replay, for connections with recovery. If it says that no event is missing, the last event of a cache
    ///   channel is not sent, because the client has it.
    static func confirmation(
        of channel: String, isCache: Bool, _ outcome: SubscribeOutcome, _ recovery: PusherRecoveryOutcome? = nil
    ) -> ByteBuffer {
        let after = latest(of: channel, isCache: isCache, outcome, recovery)
        if let roster = outcome.roster {
            return MemberConfirmation(recovery: recovery, after: after).frames(of: channel, roster)
        }
        var buffer = ByteBuffer()
        append(PusherFrames.subscriptionSucceeded(channel: channel, recovery: recovery), to: &buffer)
        buffer.writeImmutableBuffer(after)
        return buffer
    }

    /// The frame after a confirmation: for a cache channel the last event or a cache miss, otherwise nothing.
    static func latest(
        of channel: String, isCache: Bool, _ outcome: SubscribeOutcome, _ recovery: PusherRecoveryOutcome?
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        if let cached = outcome.cached {
            guard recovery?.recovered != true else { return buffer }
            append(PusherFrames.event(name: cached.event, channel: channel, data: cached.data), to: &buffer)
        } else if isCache {
            append(PusherFrames.cacheMiss(channel: channel), to: &buffer)
        }
        return buffer
    }

    /// The frame of an event with its position as the last member of the message (rule RV-2).
    static func positioned(_ frame: ByteBuffer, at position: PusherPosition) -> ByteBuffer {
        let message = message(in: frame)
        let end = ",\"position\":\"\(position)\"}"
        let count = message.readableBytes - 1 + end.utf8.count
        var buffer = ByteBuffer()
        buffer.reserveCapacity(count + 10)
        WebSocketFrameWriter(role: .server).writeTextHeader(count: count, to: &buffer)
        buffer.writeBytes(message.readableBytesView.dropLast())
        buffer.writeString(end)
        return buffer
    }

    /// The JSON message inside a frame for subscribers.
    static func message(in frame: ByteBuffer) -> ByteBuffer {
        var message = frame
        message.moveReaderIndex(forwardBy: frame.readableBytes - frame.messageOfServerFrame.count)
        return message
    }

    /// The message for a client that has signed in: the users of its watchlist who are online.
    static func watchlist(online: [String]) -> [UInt8] {
        PusherFrames.watchlistEvents([PusherWatchlistChange(name: "online", userIDs: online)])
    }

    /// The message for watchers: the users of a watchlist who came online or went offline.
    static func watchlist(_ news: WatchlistNotification) -> ByteBuffer {
        var changes: [PusherWatchlistChange] = []
        if !news.online.isEmpty { changes.append(PusherWatchlistChange(name: "online", userIDs: news.online)) }
        if !news.offline.isEmpty { changes.append(PusherWatchlistChange(name: "offline", userIDs: news.offline)) }
        return frame(PusherFrames.watchlistEvents(changes))
    }

    static let ping: ByteBuffer = {
        var buffer = frame(PusherFrames.ping)
        var writer = WebSocketFrameWriter(role: .server)
        writer.writePing(UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        return buffer
    }()

    /// A `pusher:error` with the reason, unless the reason needs none, and the close frame.
    static func farewell(_ farewell: PusherCloseReason) -> ByteBuffer {
        var buffer = ByteBuffer()
        if farewell.explains {
            append(PusherFrames.error(code: Int(farewell.code), message: farewell.reason), to: &buffer)
        }
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeClose(WebSocketCloseCode(rawValue: farewell.code), reason: farewell.reason, to: &buffer)
        return buffer
    }
}

/// The reason for which the server closes a connection. Pusher protocol, Close codes (rule SP-4).
package struct PusherCloseReason: Error, Hashable, Sendable {
    var code: UInt16
    var reason: String
    /// Whether a `pusher:error` with the same code is sent before the close frame.
    var explains = true
    /// Whether all connections are closed at about the same time. Members are then not notified of each other's leaving (rule SP-20).
    var concernsAll = false

    init(_ code: UInt16, _ reason: String, explains: Bool = true) {
        self.code = code
        self.reason = reason
        self.explains = explains
    }

    static let unknownApplication = PusherCloseReason(4001, "There is no application with this key.")
    static let disabledApplication = PusherCloseReason(4003, "The application is disabled.")
    static let overQuota = PusherCloseReason(4004, "The application has reached its limit of connections.")
    static let unknownPath = PusherCloseReason(4005, "The path for connections is /app/KEY, with the key of the application.")
    static let malformedVersion = PusherCloseReason(4006, "The query parameter protocol is not a positive number.")
    static let unsupportedVersion = PusherCloseReason(
        4007, "The query parameter protocol names an unsupported version; versions 4 to 7 are supported.")
    static let terminated = PusherCloseReason(4009, "The application has ended the user's connections.")
    static let notAuthorized = PusherCloseReason(
        4009, "The connection has neither signed in nor subscribed to a private or presence channel in time.")
    static let overCapacity = PusherCloseReason(4100, "The server is over capacity.")
    /// The close code asks the client to pause, because a client that reconnects at once would again read too slowly.
    static let slowSubscriber = PusherCloseReason(4100, "The client reads more slowly than events of its channels arrive.")
    /// The leader of a cluster does not answer. The close code asks clients to pause; they may then reach another server.
    static let noLeader = PusherCloseReason(4100, "The servers cannot reach each other; please connect again.")
    static func draining(code: UInt16) -> PusherCloseReason {
        var farewell = PusherCloseReason(code, "The server is shutting down; please connect again.")
        farewell.concernsAll = true
        return farewell
    }
    static let noPong = PusherCloseReason(4201, "The client sent nothing in time, not even a pong.")
    /// The reason for clients whose protocol version has no `pusher:ping`; it must not mention a missing pong.
    static let inactive = PusherCloseReason(4202, "The connection was closed after inactivity.")

    /// Makes a reason with a close code of the WebSocket protocol itself. No `pusher:error` is sent before such a close frame.
    static func plain(_ code: WebSocketCloseCode, _ reason: String) -> PusherCloseReason {
        PusherCloseReason(code.rawValue, reason, explains: false)
    }
}

extension ChannelTraits {
    init(of kind: PusherChannelKind) {
        self = []
        if kind.access == .presence { insert(.presence) }
        if kind.isCache { insert(.cached) }
    }
}

extension ChannelTraits {
    init(of channel: ChannelID) {
        self.init(of: PusherChannelKind(of: channel.name))
    }
}

extension SubscribeRefusal {
    /// The code of the `pusher:error` for this refusal, which metrics count; nil for an error without a code.
    var code: Int? {
        switch self {
        case .tooManyMembers, .tooManyMemberBytes: nil
        case .memberMissing: 4009
        case .tooManyChannels, .tooManySubscriptions, .unavailable: 4100
        }
    }
}

extension ApplicationLimits {
    /// The largest length, in bytes, of this channel name. For a user's channel it is the prefix plus the largest user id (rule SP-63).
    func bytes(ofChannelName name: String) -> Int {
        PusherChannelName.isReserved(name) ? PusherChannelName.serverToUser("").utf8.count + userIDBytes : channelNameBytes
    }
}

extension PusherMember {
    init(_ member: PresenceMember) {
        self.init(userID: member.userID, infoJSON: member.info)
    }
}
