import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol
import TransportCommon
import WireCoding

/// Implements the service-independent client API with Pusher Channels.
final class PusherAdapter: ServiceAdapter {
    typealias Driver = ConnectionDriver<PusherSession>

    let serviceName = PusherSettings.serviceName
    let serviceLabel = "pusher"
    let timers: any TimerScheduler
    let clock: @Sendable () -> Moment
    let driver: Driver
    let heartbeats: HeartbeatMeter
    let signsIn: Bool
    let applicationKey: String
    /// The user id in the settings: this client's member id on presence channels that the client authorises itself. Nil for none.
    let user: String?
    private let caller: PusherCaller?
    let replay: PusherReplay?
    private let network: NetworkObservation?
    private let headers: [TokenSource<[String: String]>]
    let state = NIOLockedValueBox(State())

    struct State {
        var body: (@Sendable ([ServiceEvent]) -> Void)?
        /// The id of the signed-in user; nil before the sign-in.
        var user: String?
        /// The channel of the signed-in user; nil while it is not confirmed.
        var userChannel: String?
        /// This client's member id on each presence channel.
        var myIDs: [Identifier: String] = [:]
    }

    init(
        driver: Driver, heartbeats: HeartbeatMeter, timers: any TimerScheduler, settings: PusherSettings, caller: PusherCaller?,
        replay: PusherReplay?,
        network: NetworkObservation? = nil, headers: [TokenSource<[String: String]>] = []
    ) {
        applicationKey = settings.key
        user = settings.user?.id
        signsIn = settings.signIn != nil
        self.headers = headers
        self.driver = driver
        self.heartbeats = heartbeats
        self.timers = timers
        clock = { timers.now }
        self.caller = caller
        self.replay = replay
        self.network = network
    }

    var phase: ConnectionPhase { driver.snapshot.phase }
    var networkChanges: Broadcaster<NetworkStatus> { driver.networkChanges }

    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        for source in headers { source.observe { news in body([ServiceEvent(news)]) } }
        // The observer of notices runs on the thread that reports them (inline). It must not block that thread, and does not: it passes
        // events to the client's hub, which only forwards them to sequences.
        return driver.notices.observe(on: .inline) { [clock, state, weak self, weak driver] notices in
            let now = clock()
            var news = notices.flatMap { Self.events($0, at: now) }
            state.withLockedValue { Self.note(notices, in: &$0) }
            if news.contains(where: \.isTyping), let self { news.removeAll { self.isOwnTyping($0) } }
            if !news.isEmpty { body(news) }
            for case .subscriptionFailed(let channel, _, willRetry: false) in news where !PusherChannelName.isReserved(channel) {
                // The caller of `subscribe` got an error, so the next connection must not subscribe to the channel.
                driver?.submit(.perform(.unsubscribe(channel: channel), nil))
            }
        }
    }

    func connect(within limit: Duration?) { driver.submit(.connect(within: limit)) }

    func disconnect() { driver.submit(.disconnect) }

    func moved(to place: ApplicationMonitor.Place) { driver.moved(to: place) }

    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError) {
        if PusherChannelName.isReserved(channel) { return try await subscribeAsUser(channel) }
        do throws(ConnectionFailure) {
            _ = try await driver.perform(.subscribe(PusherSubscription(channel: channel)), submitted: submitted)
        } catch {
            throw LifelineError(error)
        }
    }

    func unsubscribe(_ channel: String) {
        if PusherChannelName.isReserved(channel) {
            // The user stays signed in, so the service continues to send the user's events; the client's hub drops them, because their
            // channel has no room. The completion reports the end of the subscription, so that the report is in order with the user's
            // events.
            driver.perform(.unsubscribe(channel: channel)) { [state] _ in
                state.withLockedValue { $0.body }?([.unsubscribed(channel: channel)])
            }
            return
        }
        driver.submit(.perform(.unsubscribe(channel: channel), nil))
    }

    func hasPresence(_ channel: String) -> Bool {
        PusherChannelKind(of: channel).access == .presence
    }

    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        try check(publication)
        if let caller { return try await caller.publish(publication) }
        return await publishAsClient(publication)
    }

    func check(_ publication: Publication) throws(LifelineError) {
        try check(.publishing, of: publication.channel)
        if let feature = Self.missing(publication) { throw .unsupported(feature: feature, service: serviceName) }
    }

    func roomsOfPublishers(to channel: String) -> [String] { caller == nil ? [channel] : [] }

    /// Rule LL-87.
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError) {
        switch feature {
        case .subscribing: if !PusherChannelName.isReserved(channel) { _ = try Self.checked(channel) }
        case .publishing:
            let name = try Self.checked(channel)
            guard caller != nil || name.kind.allowsClientEvents else {
                throw .unsupported(feature: "publishing to \(channel) without the app's secret", service: serviceName)
            }
        case .presence:
            guard hasPresence(channel) else {
                throw .unsupported(feature: "presence on channel \(channel)", service: serviceName)
            }
        case .ownPresenceData: throw noOwnPresence
        case .members:
            guard try Self.checked(channel).kind.access == .presence else {
                throw .unsupported(feature: "presence on channel \(channel)", service: serviceName)
            }
            guard caller != nil else {
                throw .unsupported(
                    feature: "question who is on a channel without the app's secret", service: serviceName)
            }
        case .history: throw noHistory
        case .resuming:
            guard try !Self.checked(channel).isReserved, replay != nil else { throw noHistory }
        case .reactions: throw noReactions
        case .typing: try checkTyping(in: Self.checked(channel))
        default: throw unknown(feature)
        }
    }

    /// Rule LL-25.
    func members(of channel: String) async throws(LifelineError) -> [Member] {
        try check(.members, of: channel)
        guard let caller else { throw unknown(.members) }
        return try await caller.members(of: Self.checked(channel))
    }

    /// Messages are encrypted if the channel's name begins with `private-encrypted-` (rule LL-26).
    func encryptionGap(of channel: String) -> LifelineError? {
        if PusherChannelKind(of: channel).access == .encrypted { return nil }
        return .unsupported(
            feature: "end-to-end encryption on channel \(channel), whose name does not begin with private-encrypted-",
            service: serviceName)
    }

    static func checked(_ channel: String) throws(LifelineError) -> PusherChannelName {
        do throws(PusherNameError) {
            return try PusherChannelName(channel)
        } catch {
            throw LifelineError(.badRequest, "The channel's name cannot be used. \(error)")
        }
    }

    /// The publishing option that the service does not support for this publication (rule LL-28); nil when it supports all of them.
    private static func missing(_ publication: Publication) -> String? {
        switch publication.options.isStored {
        case true?: "storing of messages"
        case false? where PusherChannelKind(of: publication.channel).isCache:
            "publishing to cache channel \(publication.channel) without keeping the message"
        default: nil
        }
    }

    /// The data of a client event. Receivers read a JSON string as the text that it contains (rule PW-2). A string is therefore sent as a
    /// JSON string that contains its JSON, as servers send all data. Other values are sent unchanged (rule LL-69).
    private static func wireData(of json: String) -> String {
        json.utf8.first == UInt8(ascii: "\"") ? JSONWriter.string(json) : json
    }

    /// Publishes as a client event on a private or presence channel (rule LL-14).
    private func publishAsClient(_ publication: Publication) async -> PublishOutcome {
        let name = Self.neutralName(publication.event, on: publication.channel).event
        let event = Self.clientPrefix + name
        do throws(ConnectionFailure) {
            let command = PusherCommand.publish(
                channel: publication.channel, event: event, json: Self.wireData(of: publication.json))
            _ = try await driver.perform(command) { [state, clock] result in
                guard case .success = result else { return }
                // The client reports its own message, because the service does not echo an event to its publisher's connection (rule
                // LL-27).
                let (body, myID) = state.withLockedValue { ($0.body, $0.myIDs[publication.channel]) }
                body?([
                    .message(
                        Message(
                            channel: publication.channel, event: name, text: publication.json, user: myID,
                            receivedAt: clock(), isClientEvent: true))
                ])
            }
            return .accepted(id: nil)
        } catch {
            // Rule LL-67.
            if error == .withdrawnByCaller { return .refused(LifelineError(error)) }
            let isOpen = error.category == .unknown || error.category == .cancelled
            if isOpen { return .unknown(LifelineError(error)) }
            guard driver.withMemory({ $0.wants(publication.channel) }) else {
                let reason = "Without the app's secret, only subscribers can publish to channel \(publication.channel)."
                return .refused(LifelineError(.notSubscribed, reason))
            }
            return .refused(LifelineError(error))
        }
    }
}

extension PusherAdapter {
    /// Translates a notice of the session into `ServiceEvent`s; empty for notices that have no such event.
    static func events(_ notice: Notice<PusherSession>, at now: Moment) -> [ServiceEvent] {
        switch notice {
        case .change(let change): [.change(change)]
        case .event(.watchlist(let changes)): changes.compactMap { ServiceNotice($0).map { .notice($0) } }
        case .event(let event): Self.event(event, at: now).map { [$0] } ?? []
        case .dropped(let count):
            [
                .problem(
                    LifelineError(
                        .init(.messageCountExceeded),
                        "\(count) events were dropped, because the client did not process them fast enough."),
                    channel: nil)
            ]
        }
    }

    static func event(_ event: PusherSessionEvent, at now: Moment) -> ServiceEvent? {
        switch event {
        case .subscribed(let confirmed):
            let hasPresence = PusherChannelKind(of: confirmed.channel).access == .presence
            return .subscribed(
                channel: confirmed.channel, members: hasPresence ? confirmed.members.map(Member.init) : nil,
                isRenewal: confirmed.isRenewal)
        case .subscriptionFailed(let channel, let failure, _, let willRetry):
            return .subscriptionFailed(channel: channel, LifelineError(failure), willRetry: willRetry)
        case .unsubscribed(let channel):
            return .unsubscribed(channel: channel)
        case .message(let message):
            return Self.message(message, at: now)
        case .memberAdded(let channel, let member):
            return .joined(channel: channel, Member(member))
        case .memberRemoved(let channel, let member):
            return .left(channel: channel, memberID: member.userID)
        case .gap(let channel, let since):
            return .gap(channel: channel, since: since, .connectionLost)
        case .serverError(let code, let message):
            // Codes from 4000 to 4299 concern the connection, so its status reports them.
            if let code, (4000...4299).contains(code) { return nil }
            let text = String(message.prefix(300))
            return .problem(LifelineError(code == 4301 ? .init(.overloaded) : .badRequest, text, number: code), channel: nil)
        case .decryptionFailed(let channel, let event, _):
            let reason = "The event \(event) could not be decrypted. The channel's key is wrong or has changed."
            return .problem(LifelineError(.init(.decryptionFailed), reason), channel: channel)
        case .malformed(let reason):
            return .problem(LifelineError(.init(.malformedResponse), reason), channel: nil)
        case .cacheMissed(let channel):
            return .notice(ServiceNotice(.cacheMissed, channel: channel))
        case .subscriptionCount(let channel, let count):
            return .notice(ServiceNotice(.subscriptionCount, channel: channel, data: #"{"count":\#(count)}"#))
        case .signedIn(let user):
            return .notice(ServiceNotice(.signedIn, data: #"{"user":\#(JSONWriter.string(user.id))}"#))
        case .signInFailed(let failure, _, let willRetry):
            return .problem(LifelineError(failure), channel: nil, willRetry: willRetry)
        case .established, .watchlist, .frame, .pinged, .ponged:
            return nil
        }
    }

    /// Translates a frame into a message event; nil for a frame without a channel, and for the protocol's own events, such as a cache miss.
    private static func message(_ message: PusherEnvelope, at now: Moment) -> ServiceEvent? {
        guard let channel = message.channel, !message.event.hasBytePrefix("pusher:"),
            !message.event.hasBytePrefix("pusher_internal:")
        else { return nil }
        let (event, isClientEvent) = neutralName(message.event, on: channel)
        if isClientEvent, event == TypingSignal.event { return typing(message, in: channel) }
        return .message(
            Message(
                channel: channel, event: event, text: message.data ?? "null", id: message.position, user: message.userID,
                receivedAt: now,
                isClientEvent: isClientEvent))
    }

    static var clientPrefix: String { "client-" }

    /// Removes the prefix `client-`, which the service requires for client events, from an event name (rule LL-88).
    private static func neutralName(_ event: String, on channel: String) -> (event: String, isClientEvent: Bool) {
        guard event.hasBytePrefix(clientPrefix), PusherChannelKind(of: channel).allowsClientEvents else { return (event, false) }
        return (String(event.utf8.dropFirst(clientPrefix.utf8.count)) ?? event, true)
    }
}

extension ServiceNotice {
    /// Makes a notice from a watchlist event; nil for an event name that the protocol does not define.
    init?(_ change: PusherWatchlistChange) {
        let names: [String: Name] = ["online": .usersOnline, "offline": .usersOffline]
        guard let name = names[change.name] else { return nil }
        self.init(name, data: #"{"users":[\#(change.userIDs.map { JSONWriter.string($0) }.joined(separator: ","))]}"#)
    }
}

extension Member {
    init(_ member: PusherMember) {
        self.init(id: member.userID, info: member.infoJSON)
    }
}
