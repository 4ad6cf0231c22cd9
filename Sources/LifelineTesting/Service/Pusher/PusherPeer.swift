import Identifiers
import PusherProtocol
import WireCoding

/// What the test service stores about one connected Pusher client.
struct PusherPeer: Sendable {
    let socketID: String
    /// The subscribed channels, in the order in which they were subscribed.
    var channels: [String] = []
    /// The client's own member on each subscribed presence channel.
    var members: [Identifier: PusherMember] = [:]
    /// Whether the client's pings stay unanswered, so that the outcome of its client event stays unknown.
    var withholdsPongs = false

    init(socketID: String) { self.socketID = socketID }
}

extension ServiceState {
    mutating func greetPusher(_ id: UInt64) {
        guard let peer = pusher(id) else { return }
        tell(id, PusherFrames.connectionEstablished(socketID: peer.socketID, activityTimeout: 120))
    }

    /// Refuses a client: sends an error with the reason, and closes the connection.
    mutating func refusePusher(_ id: UInt64, _ refusal: Refusal) {
        let (code, message) =
            refusal == .invalidToken ? (4009, "Connection not authorized.") : (4001, "Could not find app by key.")
        tell(id, PusherFrames.error(code: code, message: message))
        close(id, .closeFrame(code, message))
    }

    func pusher(_ id: UInt64) -> PusherPeer? {
        if case .pusher(let peer) = sockets[id]?.peer { peer } else { nil }
    }

    private mutating func update(_ id: UInt64, _ change: (inout PusherPeer) -> Void) {
        guard var peer = pusher(id) else { return }
        change(&peer)
        sockets[id]?.peer = .pusher(peer)
    }

    /// The ids of the sockets that are subscribed to a channel, except the socket `sender`.
    func pusherSubscribers(of channel: String, but sender: UInt64? = nil) -> [UInt64] {
        openSockets.filter { socket in
            if case .pusher(let peer) = socket.peer { socket.id != sender && peer.channels.contains(channel) } else { false }
        }.map(\.id)
    }

    mutating func receivedPusher(_ id: UInt64, _ text: String) {
        guard let message = try? PusherEnvelope(parsing: text) else {
            return tell(id, PusherFrames.error(code: nil, message: "The message is not a message of the Pusher protocol."))
        }
        switch message.event {
        case PusherEventName.subscribe:
            if let data = PusherSubscribeData(parsing: message.data) { subscribePusher(id, data) }
        case PusherEventName.unsubscribe:
            if let data = PusherSubscribeData(parsing: message.data) { unsubscribePusher(id, data.channel) }
        case PusherEventName.ping: tell(id, PusherFrames.pong)
        case PusherEventName.pong: return
        case PusherEventName.signin:
            if let data = PusherSigninData(parsing: message.data) {
                tell(id, PusherFrames.signinSuccess(userData: data.userData))
            }
        default:
            if let channel = message.channel { clientEvent(id, message, on: channel) }
        }
    }

    private mutating func subscribePusher(_ id: UInt64, _ data: PusherSubscribeData) {
        let name = data.channel
        if isDenied(name) {
            return tell(
                id, PusherFrames.error(code: 4009, message: "TestService.deny(_:) denies access to the channel.", channel: name))
        }
        channel(name) { $0.isKnown = true }
        let isNew = pusher(id)?.channels.contains(name) == false
        update(id) { if isNew { $0.channels.append(name) } }
        switch PusherChannelKind(of: name).access {
        case .presence:
            let member = data.channelData.flatMap { PusherMember(parsing: $0) } ?? PusherMember(userID: "me")
            update(id) { $0.members[Identifier(name)] = member }
            arrive(TestMember(id: member.userID, info: member.infoJSON), on: name, but: id)
            let members = channel(name) { $0.members }
            tell(
                id,
                PusherFrames.subscriptionSucceeded(
                    channel: name, members: members.map { PusherMember(userID: $0.id, infoJSON: $0.info) }))
        default:
            tell(id, PusherFrames.subscriptionSucceeded(channel: name))
            if PusherChannelKind(of: name).isCache { tell(id, PusherFrames.cacheMiss(channel: name)) }
        }
    }

    private mutating func unsubscribePusher(_ id: UInt64, _ name: String) {
        var member: PusherMember?
        update(id) { peer in
            peer.channels.removeAll { $0.isExactly(name) }
            member = peer.members.removeValue(forKey: Identifier(name))
        }
        if let member { departPusher(member.userID, from: name) }
    }

    /// Removes a client whose connection has ended from its presence channels.
    mutating func leftPusher(_ peer: PusherPeer) {
        for name in peer.channels {
            if let member = peer.members[Identifier(name)] { departPusher(member.userID, from: name) }
        }
    }

    /// Removes a user from a channel, unless another connection of the user is still subscribed.
    private mutating func departPusher(_ user: String, from name: String) {
        let isElsewhere = openSockets.contains { socket in
            guard case .pusher(let peer) = socket.peer else { return false }
            return peer.members[Identifier(name)]?.userID.isExactly(user) ?? false
        }
        if !isElsewhere { depart(user, from: name) }
    }

    private mutating func clientEvent(_ id: UInt64, _ message: PusherEnvelope, on channel: String) {
        let json = message.data ?? "null"
        let user = pusher(id)?.members[Identifier(channel)]?.userID
        let outcome = outcome(on: channel)
        if case .refused(let reason) = outcome {
            record(TestPublication(channel: channel, event: message.event, json: json, user: user, isAccepted: false))
            return tell(id, PusherFrames.error(code: nil, message: reason, channel: nil))
        }
        if case .unanswered = outcome { update(id) { $0.withholdsPongs = true } }
        record(TestPublication(channel: channel, event: message.event, json: json, user: user, isAccepted: true))
        let frame = PusherFrames.event(name: message.event, channel: channel, data: json, userID: user)
        for other in pusherSubscribers(of: channel, but: id) { tell(other, frame) }
    }
}
