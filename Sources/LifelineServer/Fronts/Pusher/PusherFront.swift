import PusherProtocol
import RealtimeHub
import WireCoding

/// One connection of the Pusher protocol as the server sees it: messages in, actions out. A pure value without a socket.
///
/// Whatever a client sends, it gets a clear `pusher:error` and the connection goes on (rule SP-5).
struct PusherFront: Sendable {
    struct Subscription: Hashable, Sendable {
        var channel: String
        /// The member's id on a presence channel.
        var userID: String?
    }

    struct User: Hashable, Sendable {
        var id: String
        var info: String?
    }

    let socketID: SocketID
    private(set) var subscriptions: [Subscription] = []
    private(set) var user: User?
    /// Made with the first client event: most connections never send one.
    private var clientEvents: TokenBucket?

    init(socketID: SocketID) {
        self.socketID = socketID
    }

    /// Reads one text message. `bytes` are UTF-8 and used during the call only.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, parser: inout PusherEnvelopeParser, application: Application, at now: HubInstant
    ) -> PusherAction {
        do throws(PusherEnvelopeError) {
            return receive(try parser.parse(bytes), application: application, at: now)
        } catch {
            return .error(nil, error.description)
        }
    }

    mutating func receive(_ message: PusherEnvelope, application: Application, at now: HubInstant) -> PusherAction {
        switch message.event {
        case PusherEventName.ping: return .reply(PusherFrames.pong)
        case PusherEventName.pong: return .none
        case PusherEventName.subscribe: return subscribe(message.data, application)
        case PusherEventName.unsubscribe: return unsubscribe(message.data)
        case PusherEventName.signin: return signIn(message.data, application)
        default:
            guard PusherEventName.isClientEvent(message.event) else {
                return .error(nil, "Clients may send client- events and the events of the protocol only.")
            }
            return clientEvent(message, application, at: now)
        }
    }

    /// Takes back a subscription that the hub refused, and says what to answer.
    mutating func refused(_ channel: String, _ refusal: SubscribeRefusal) -> [UInt8] {
        subscriptions.removeAll { $0.channel == channel }
        return switch refusal {
        case .tooManyMembers(let limit):
            PusherFrames.error(code: nil, message: "The channel has its limit of \(limit) members.", channel: channel)
        case .memberMissing: Self.unauthorized(channel)
        }
    }

    /// Ends all subscriptions and says which there were.
    mutating func leaveAll() -> [Subscription] {
        var left: [Subscription] = []
        swap(&left, &subscriptions)
        return left
    }

    // MARK: Subscribing

    private mutating func subscribe(_ data: String?, _ application: Application) -> PusherAction {
        guard let request = PusherSubscribeData(parsing: data) else {
            return .error(nil, "pusher:subscribe needs an object with a channel.")
        }
        let name: PusherChannelName
        do throws(PusherNameError) {
            name = try PusherChannelName(request.channel)
        } catch {
            return .error(nil, "The channel cannot be subscribed to. \(error.description)")
        }
        guard name.name.utf8.count <= application.limits.channelNameBytes else {
            return .error(nil, "The channel name is longer than \(application.limits.channelNameBytes) bytes.")
        }
        guard !isSubscribed(to: name.name) else {
            return .error(nil, "Existing subscription to channel \(name.name)", channel: name.name)
        }
        guard subscriptions.count < application.limits.channelsPerConnection else {
            return .error(nil, "The connection has its limit of \(application.limits.channelsPerConnection) channels.")
        }
        if name.isReserved {
            // The only reserved channel is that of the signed-in user, whose sign-in was its authorisation.
            guard let user, name.name == PusherChannelName.serverToUser(user.id) else { return .unauthorized(name.name) }
        } else if name.kind.needsAuthorization, !isAuthorized(request, application) {
            return .unauthorized(name.name)
        }
        guard name.kind.access == .presence else {
            subscriptions.append(Subscription(channel: name.name))
            return .subscribe(channel: name.name, member: nil)
        }
        return subscribeMember(request, application)
    }

    private mutating func subscribeMember(_ request: PusherSubscribeData, _ application: Application) -> PusherAction {
        let member: PresenceMember
        if let text = request.channelData {
            guard let given = PusherMember(parsing: text) else {
                return .error(nil, "channel_data needs a user_id.", channel: request.channel)
            }
            member = PresenceMember(userID: given.userID, info: given.infoJSON)
        } else if let user {
            member = PresenceMember(userID: user.id, info: user.info)
        } else {
            return .error(nil, "A presence channel needs channel_data.", channel: request.channel)
        }
        let limits = application.limits
        guard !member.userID.isEmpty, member.userID.utf8.count <= limits.userIDBytes else {
            return .error(nil, "A user_id has 1 to \(limits.userIDBytes) bytes.", channel: request.channel)
        }
        guard (request.channelData ?? member.info ?? "").utf8.count <= limits.presenceMemberBytes else {
            return .error(nil, "A member has at most \(limits.presenceMemberBytes) bytes.", channel: request.channel)
        }
        subscriptions.append(Subscription(channel: request.channel, userID: member.userID))
        return .subscribe(channel: request.channel, member: member)
    }

    /// A presence channel joined as the signed-in user is signed without channel data.
    private func isAuthorized(_ request: PusherSubscribeData, _ application: Application) -> Bool {
        guard let auth = request.auth else { return false }
        let channelData = PusherChannelKind(of: request.channel).access == .presence ? request.channelData : nil
        return PusherSignature.isValid(
            channelAuth: auth, socketID: socketID.description, channel: request.channel, channelData: channelData,
            key: application.key, secret: application.secret.revealed)
    }

    private mutating func unsubscribe(_ data: String?) -> PusherAction {
        guard let request = PusherSubscribeData(parsing: data) else {
            return .error(nil, "pusher:unsubscribe needs an object with a channel.")
        }
        guard let index = subscriptions.firstIndex(where: { $0.channel == request.channel }) else { return .none }
        return .unsubscribe(subscriptions.remove(at: index))
    }

    private func isSubscribed(to channel: String) -> Bool {
        subscriptions.contains { $0.channel == channel }
    }

    // MARK: Signing in

    private mutating func signIn(_ data: String?, _ application: Application) -> PusherAction {
        guard let request = PusherSigninData(parsing: data),
            PusherSignature.isValid(
                userAuth: request.auth, socketID: socketID.description, userData: request.userData, key: application.key,
                secret: application.secret.revealed)
        else { return .error(4009, "The sign-in is not authorized.") }
        guard let object = try? JSONText(request.userData), let id = object["id"]?.string, !id.isEmpty,
            id.utf8.count <= application.limits.userIDBytes
        else { return .error(4009, "user_data needs an id of 1 to \(application.limits.userIDBytes) bytes.") }
        guard user == nil || user?.id == id else { return .error(4009, "The connection is signed in as another user.") }
        let info = object["user_info"]
        user = User(id: id, info: info?.kind == .object ? info?.text : nil)
        return .reply(PusherFrames.signinSuccess(userData: request.userData))
    }

    // MARK: Client events

    private mutating func clientEvent(
        _ message: PusherEnvelope, _ application: Application, at now: HubInstant
    ) -> PusherAction {
        guard application.allowsClientEvents else {
            return .error(4301, "The application does not allow client events.", channel: message.channel)
        }
        guard let channel = message.channel, let subscription = subscriptions.first(where: { $0.channel == channel }) else {
            return .error(4301, "Client events need a channel that the connection is subscribed to.")
        }
        guard PusherChannelKind(of: channel).allowsClientEvents else {
            return .error(4301, "Client events are for private and presence channels.", channel: channel)
        }
        guard message.event.utf8.count <= application.limits.eventNameBytes else {
            return .error(4301, "The event name is longer than \(application.limits.eventNameBytes) bytes.", channel: channel)
        }
        let data = message.data ?? "null"
        guard data.utf8.count <= application.limits.eventDataBytes else {
            return .error(4301, "The data is larger than \(application.limits.eventDataBytes) bytes.", channel: channel)
        }
        let rate = application.limits.clientEventsPerSecond
        var bucket = clientEvents ?? TokenBucket(burst: rate, at: now)
        let isAllowed = bucket.take(perSecond: rate, burst: rate, at: now)
        clientEvents = bucket
        guard isAllowed else { return .error(4301, "More than \(rate) client events in a second.", channel: channel) }
        return .relay(ClientEvent(name: message.event, channel: channel, data: data, userID: subscription.userID))
    }

    /// One text for every reason, so that a forger learns nothing from it (rule SP-7).
    static func unauthorized(_ channel: String) -> [UInt8] {
        PusherFrames.error(code: 4009, message: "The subscription is not authorized.", channel: channel)
    }
}

extension PusherAction {
    fileprivate static func error(_ code: Int?, _ message: String, channel: String? = nil) -> PusherAction {
        .reply(PusherFrames.error(code: code, message: message, channel: channel))
    }

    fileprivate static func unauthorized(_ channel: String) -> PusherAction {
        .reply(PusherFront.unauthorized(channel))
    }
}
