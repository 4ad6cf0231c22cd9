import Identifiers
import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

/// The protocol state of one connection on the server: it turns messages of the client into actions. A pure value without a socket.
///
/// Every invalid message is answered with a `pusher:error` that says what is wrong, and the connection continues (rule SP-5).
struct PusherFront: Sendable {
    struct Subscription: Hashable, Sendable {
        var channel: String
        /// The user id of the member, on a presence channel.
        var userID: String?
    }

    struct User: Hashable, Sendable {
        var id: String
        var info: String?
    }

    let socketID: SocketID
    private var list = ChannelSubscriptions()
    /// The signed-in user and the rate limits. They are created on first use, because most connections have no user, never send an event
    /// and subscribe to a few channels.
    private var rare = LazyBox<(user: User?, rates: ConnectionRates?)>()
    /// The remaining attempts to subscribe that are accepted without being counted by ``withRates(_:)``.
    private var freeSubscribes = Self.freeSubscribes
    /// Whether the application's server has authorized the client: by a sign-in, or by a subscription that needs a signature.
    private(set) var isAuthorized = false

    /// The number of attempts to subscribe, per connection, that are not limited in their rate.
    private static let freeSubscribes: UInt8 = 200

    init(socketID: SocketID) {
        self.socketID = socketID
    }

    var subscriptions: ShortList<Subscription> { list.all }
    var user: User? { rare.value?.user }

    private mutating func withRates<Result>(_ body: (inout ConnectionRates) -> Result) -> Result {
        rare.change((nil, nil)) { rare in
            var rates = rare.rates ?? ConnectionRates()
            defer { rare.rates = rates }
            return body(&rates)
        }
    }

    /// Handles one text message. `bytes` are UTF-8 and are valid during the call only.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, parser: inout PusherEnvelopeParser, application: Application, at now: MonotonicInstant
    ) -> PusherAction {
        do throws(PusherEnvelopeError) {
            return receive(try parser.parse(bytes), application: application, at: now)
        } catch {
            return .error(nil, error.description)
        }
    }

    mutating func receive(_ message: PusherEnvelope, application: Application, at now: MonotonicInstant) -> PusherAction {
        switch message.event {
        case PusherEventName.ping: return .reply(PusherFrames.pong)
        case PusherEventName.pong: return .none
        case PusherEventName.subscribe: return subscribe(message.data, application, at: now)
        case PusherEventName.unsubscribe: return unsubscribe(message.data, at: now)
        case PusherEventName.signin: return signIn(message.data, application, at: now)
        default:
            guard PusherEventName.isClientEvent(message.event) else {
                return .error(nil, "Clients may send only events whose names begin with client-, and the protocol's own events.")
            }
            return clientEvent(message, application, at: now)
        }
    }

    /// Removes a subscription that the ``ChannelBackend`` has refused. Returns the error message for the client.
    mutating func refused(_ channel: String, _ refusal: SubscribeRefusal) -> [UInt8] {
        _ = list.remove(channel)
        return switch refusal {
        case .tooManyMembers(let limit):
            PusherFrames.error(code: nil, message: "The channel has reached its limit of \(limit) members.", channel: channel)
        case .tooManyMemberBytes(let limit):
            PusherFrames.error(
                code: nil, message: "The list of the channel's members has reached its limit of \(limit) bytes.", channel: channel
            )
        case .tooManyChannels(let limit):
            Self.overCapacity("The application has reached its limit of \(limit) channels.", channel)
        case .tooManySubscriptions(let limit):
            Self.overCapacity("The application has reached its limit of \(limit) subscriptions.", channel)
        case .memberMissing: Self.unauthorized(channel)
        case .unavailable: Self.overCapacity("The servers cannot reach each other; please try again.", channel)
        }
    }

    /// Removes a subscription that exceeds the share of the client's address. Returns the error message for the client.
    mutating func addressRefused(_ channel: String) -> [UInt8] {
        _ = list.remove(channel)
        return Self.overCapacity(
            "The clients of this IP address have used up their share of the application's subscriptions.", channel)
    }

    /// Ends all subscriptions and returns them.
    mutating func leaveAll() -> [Subscription] {
        list.removeAll()
    }

    // MARK: Subscribing

    private mutating func subscribe(_ data: String?, _ application: Application, at now: MonotonicInstant) -> PusherAction {
        guard let request = PusherSubscribeData(parsing: data) else {
            return .error(nil, "pusher:subscribe needs an object with a channel.")
        }
        let name: PusherChannelName
        do throws(PusherNameError) {
            name = try PusherChannelName(request.channel, limit: application.limits.bytes(ofChannelName: request.channel))
        } catch {
            return .error(nil, "Invalid channel name: the channel cannot be subscribed to. \(error.description)")
        }
        guard mayAttempt(application, at: now) else {
            return .error(nil, "The connection subscribes too often; please try again in a second.", channel: name.name)
        }
        guard list[name.name] == nil else {
            return .error(nil, "Existing subscription to channel \(name.name)", channel: name.name)
        }
        guard list.count < application.limits.channelsPerConnection else {
            return .error(nil, "The connection has reached its limit of \(application.limits.channelsPerConnection) channels.")
        }
        if name.isReserved {
            // The only reserved channel that a client may subscribe to is that of its signed-in user.
            guard let user, name.name.isExactly(PusherChannelName.serverToUser(user.id)) else { return .unauthorized(name.name) }
        } else if name.kind.needsAuthorization, !isSigned(request, application) {
            return .unauthorized(name.name)
        }
        guard name.kind.access == .presence else {
            if name.kind.needsAuthorization { isAuthorized = true }
            list.append(Subscription(channel: name.name))
            return .subscribe(channel: name.name, member: nil, recover: request.recover)
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
            return .error(nil, "A presence channel needs channel_data, unless a user is signed in.", channel: request.channel)
        }
        let limits = application.limits
        guard !member.userID.isEmpty, member.userID.utf8.count <= limits.userIDBytes else {
            return .error(nil, "The user_id must have 1 to \(limits.userIDBytes) bytes.", channel: request.channel)
        }
        guard (request.channelData ?? member.info ?? "").utf8.count <= limits.presenceMemberBytes else {
            return .error(
                nil, "The member's data must have at most \(limits.presenceMemberBytes) bytes.", channel: request.channel)
        }
        isAuthorized = true
        list.append(Subscription(channel: request.channel, userID: member.userID))
        return .subscribe(channel: request.channel, member: member, recover: request.recover)
    }

    /// Whether the application's server has signed the subscription.
    ///
    /// The signature of a presence channel covers the channel data, if there are any. For other channels the channel data have no
    /// meaning, and libraries differ in whether they sign them, so both forms are accepted (rule SP-62).
    private func isSigned(_ request: PusherSubscribeData, _ application: Application) -> Bool {
        guard let auth = request.auth else { return false }
        func isSigned(with channelData: String?) -> Bool {
            ConstantTime.anyIsRight(application.validSecrets) { secret in
                PusherSignature.isValid(
                    channelAuth: auth, socketID: socketID.description, channel: request.channel, channelData: channelData,
                    key: application.key, secret: secret.revealed)
            }
        }
        if isSigned(with: request.channelData) { return true }
        let needsData = PusherChannelKind(of: request.channel).access == .presence
        return !needsData && request.channelData != nil && isSigned(with: nil)
    }

    private mutating func unsubscribe(_ data: String?, at now: MonotonicInstant) -> PusherAction {
        guard let request = PusherSubscribeData(parsing: data) else {
            return .error(nil, "pusher:unsubscribe needs an object with a channel.")
        }
        guard let ended = list.remove(request.channel) else { return .none }
        withRates { $0.chargeForEnd(isPresence: ended.userID != nil, at: now) }
        return .unsubscribe(ended)
    }

    /// Whether the connection may subscribe now. Its rate is limited, because repeated leaving and joining causes costs for all subscribers
    /// of the channels.
    private mutating func mayAttempt(_ application: Application, at now: MonotonicInstant) -> Bool {
        if rare.value?.rates != nil {
            guard withRates({ $0.allowsJoining(at: now) }) else { return false }
        }
        if freeSubscribes > 0 {
            freeSubscribes -= 1
            return true
        }
        return withRates { $0.takeSubscribe(burst: application.limits.channelsPerConnection, at: now) }
    }

    // MARK: Signing in

    private mutating func signIn(_ data: String?, _ application: Application, at now: MonotonicInstant) -> PusherAction {
        guard application.allowsUserAuthentication else {
            return .error(4009, "User authentication is switched off for the application; switch it on to sign users in.")
        }
        guard let request = PusherSigninData(parsing: data),
            ConstantTime.anyIsRight(
                application.validSecrets,
                { secret in
                    PusherSignature.isValid(
                        userAuth: request.auth, socketID: socketID.description, userData: request.userData, key: application.key,
                        secret: secret.revealed)
                })
        else { return .error(4009, "The sign-in is not authorized.") }
        guard withRates({ $0.takeSignIn(at: now) }) else {
            return .error(nil, "The connection signs in too often; please try again in a second.")
        }
        let signIn: VerifiedSignIn
        do throws(VerifiedSignIn.Problem) {
            signIn = try VerifiedSignIn(parsing: request.userData, limits: application.limits)
        } catch {
            return .error(4009, error.description)
        }
        guard user?.id.isExactly(signIn.user.id) != false else {
            return .error(4009, "The connection is signed in as another user.")
        }
        rare.change((nil, nil)) { $0.user = signIn.user }
        isAuthorized = true
        return .signIn(signIn, answers: answers(to: signIn, request, application.limits))
    }

    private func answers(to signIn: VerifiedSignIn, _ request: PusherSigninData, _ limits: ApplicationLimits) -> [[UInt8]] {
        var answers = [PusherFrames.signinSuccess(userData: request.userData)]
        if signIn.isWatchlistCut {
            let limit = limits.watchlistUsers
            let text = "The watchlist has more than \(limit) users. The first \(limit) users are watched, the others are not."
            answers.append(PusherFrames.error(code: 4302, message: text))
        }
        return answers
    }

    // MARK: Client events

    private mutating func clientEvent(
        _ message: PusherEnvelope, _ application: Application, at now: MonotonicInstant
    ) -> PusherAction {
        guard application.allowsClientEvents else {
            return .error(4301, "The application does not allow client events.", channel: message.channel)
        }
        guard let channel = message.channel, let subscription = list[channel] else {
            return .error(4301, "The connection is not subscribed to the channel of the client event.")
        }
        guard PusherChannelKind(of: channel).allowsClientEvents else {
            return .error(4301, "Client events are allowed on private and presence channels only.", channel: channel)
        }
        guard message.event.utf8.count <= application.limits.eventNameBytes else {
            return .error(4301, "The event name is longer than \(application.limits.eventNameBytes) bytes.", channel: channel)
        }
        let data = message.data ?? "null"
        guard data.utf8.count <= application.limits.eventDataBytes else {
            return .error(4301, "The event's data is larger than \(application.limits.eventDataBytes) bytes.", channel: channel)
        }
        let rate = application.limits.clientEventsPerSecond
        guard withRates({ $0.takeClientEvent(perSecond: rate, at: now) }) else {
            return .error(4301, "The connection sends more than \(rate) client events in a second.", channel: channel)
        }
        return .relay(PusherClientEvent(name: message.event, channel: channel, data: data, userID: subscription.userID))
    }

    /// The error when a limit is reached. Code 4100 means that the client did nothing wrong and may subscribe again later.
    private static func overCapacity(_ text: String, _ channel: String) -> [UInt8] {
        PusherFrames.error(code: 4100, message: text, channel: channel)
    }

    /// The error for a subscription that is not authorized. Its text is the same for every reason, so that an attacker learns nothing from
    /// it (rule SP-7).
    static func unauthorized(_ channel: String) -> [UInt8] {
        PusherFrames.error(code: 4009, message: "The subscription is not authorized.", channel: channel)
    }
}

extension PusherAction {
    fileprivate static func error(_ code: Int?, _ message: String, channel: String? = nil) -> PusherAction {
        .refuse(PusherFrames.error(code: code, message: message, channel: channel), code: code)
    }

    fileprivate static func unauthorized(_ channel: String) -> PusherAction {
        .refuse(PusherFront.unauthorized(channel), code: 4009)
    }
}
