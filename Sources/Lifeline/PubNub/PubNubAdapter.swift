import ClientRuntime
import ConnectionEngine
import DequeModule
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon
import WireCoding

/// Implements the service-independent client API with a PubNub subscription and HTTP requests.
final class PubNubAdapter: ServiceAdapter {
    typealias Driver = ConnectionDriver<PubNubSession>

    /// An input that changes the adapter's state. The inputs of all threads are processed one after the other.
    enum Item: Sendable {
        case notices([Notice<PubNubSession>], at: Moment)
        case answered(PubNubNews.Question, Result<[GroupRoster.Channel], LifelineError>)
        /// A channel whose name is invalid, so that it is refused without a request to the service.
        case refused(channel: String, LifelineError)
        /// An event that reports a renewed token or a failed renewal.
        case told(ServiceEvent)
    }

    struct State {
        var news: PubNubNews
        var items = CoalescingQueue<Deque<Item>>()
        var body: (@Sendable ([ServiceEvent]) -> Void)?
        /// The here-now requests in progress, by channel.
        var questions: [Identifier: Task<Void, Never>] = [:]
    }

    let serviceName = PubNubAdapterSettings.serviceName
    let serviceLabel = "pubnub"
    let timers: any TimerScheduler
    let clock: @Sendable () -> Moment
    let longestDelay: Duration?
    let driver: Driver
    let heartbeats: HeartbeatMeter
    private let caller: PubNubCaller
    private let tracksPresence: Bool
    private let tasks: TaskStarter
    private let network: NetworkObservation?
    private let tokens: TokenSource<String>?
    let state: NIOLockedValueBox<State>

    init(
        driver: Driver, heartbeats: HeartbeatMeter, timers: any TimerScheduler, caller: PubNubCaller, news: PubNubNews,
        tracksPresence: Bool,
        tasks: TaskStarter = .plain, network: NetworkObservation? = nil, tokens: TokenSource<String>? = nil
    ) {
        self.driver = driver
        self.heartbeats = heartbeats
        self.timers = timers
        clock = { timers.now }
        longestDelay = news.allowance
        self.caller = caller
        self.tracksPresence = tracksPresence
        self.tasks = tasks
        self.network = network
        self.tokens = tokens
        state = NIOLockedValueBox(State(news: news))
    }

    deinit {
        for task in state.withLockedValue({ Array($0.questions.values) }) { task.cancel() }
    }

    var phase: ConnectionPhase { driver.snapshot.phase }
    var applicationKey: String { caller.settings.subscribeKey }
    var user: String? { caller.settings.userID }
    var networkChanges: Broadcaster<NetworkStatus> { driver.networkChanges }

    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        tokens?.observe { [weak self, weak driver] news in
            if case .renewed(let token, _) = news { driver?.submit(.perform(.setAuth(token), nil)) }
            self?.take(.told(ServiceEvent(news)))
        }
        // The observer of notices runs on the thread that reports them (inline). It must not block that thread, and does not: it passes
        // events to the client's hub, which only forwards them to sequences.
        return driver.notices.observe(on: .inline) { [clock, tokens, weak self] notices in
            for case .change(let change) in notices {
                // A refused token is discarded, so that the next connection attempt requests another one (rule LL-82).
                if let cause = change.cause, cause.category == .accessDenied { tokens?.refuse(LifelineError(cause)) }
            }
            self?.take(.notices(notices, at: clock()))
        }
    }

    func connect(within limit: Duration?) { driver.submit(.connect(within: limit)) }

    func disconnect() { driver.submit(.disconnect) }

    func moved(to place: ApplicationMonitor.Place) { driver.moved(to: place) }

    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError) {
        let group = PubNubGroupRoom.group(of: channel)
        if let error = group.map({ Self.problem(withGroup: $0) }) ?? Self.problem(with: channel) {
            take(.refused(channel: channel, error))
            throw error
        }
        // The command is sent even if the channel is subscribed, because a queued command may still unsubscribe it.
        do throws(ConnectionFailure) {
            _ = try await driver.perform(.subscribe(list(of: channel), timetoken: nil, state: [:]), submitted: submitted)
        } catch {
            throw LifelineError(error)
        }
    }

    func unsubscribe(_ channel: String) {
        driver.submit(.perform(.unsubscribe(list(of: channel)), nil))
    }

    /// Rule LL-87.
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError) {
        let group = PubNubGroupRoom.group(of: channel)
        switch feature {
        case .subscribing:
            if let problem = group.map({ Self.problem(withGroup: $0) }) ?? Self.problem(with: channel) { throw problem }
        case .members:
            if let group { try Self.check(group: group) } else { try Self.check(channel) }
        case .publishing, .history, .resuming, .typing, .reactions: try Self.check(channel)
        case .presence:
            guard hasPresence(channel) else {
                throw .unsupported(feature: "presence on channel \(channel)", service: serviceName)
            }
        case .ownPresenceData:
            try check(.presence, of: channel)
            try Self.check(channel)
        default: throw unknown(feature)
        }
    }

    /// Rule LL-112.
    func setOwnPresence(_ json: String, of channel: String) async throws(LifelineError) {
        try check(.ownPresenceData, of: channel)
        let state = try await caller.setState(json, of: channel)
        do throws(ConnectionFailure) {
            // The session adds the state to its later requests, because the service drops the state together with the user's presence.
            _ = try await driver.perform(.setState(state.members?.isEmpty == true ? nil : state.text, of: channel))
        } catch {
            throw LifelineError(error)
        }
    }

    func hasPresence(_ channel: String) -> Bool { tracksPresence }

    /// Sends a typing indicator as a signal, which is not stored and is sent by HTTP (rule LL-123).
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) {
        try check(.typing, of: channel)
        let payload = JSONText(checked: TypingSignal(isTyping: isTyping).json)
        _ = try await caller.ask(PubNubSignalCall(channel: channel, message: payload))
    }

    func addReaction(_ name: String, to id: String, in channel: String) async throws(LifelineError) {
        try await caller.addReaction(name, to: id, in: channel)
    }

    func removeReaction(_ name: String, from id: String, in channel: String) async throws(LifelineError) {
        try await caller.removeReaction(name, from: id, in: channel)
    }

    func reactions(to id: String, in channel: String) async throws(LifelineError) -> [Reaction] {
        try await caller.reactions(to: id, in: channel)
    }

    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        try Self.check(publication.channel)
        return try await caller.publish(publication)
    }

    func history(of channel: String, _ request: HistoryRequest) async throws(LifelineError) -> HistoryPage {
        try Self.check(channel)
        return try await caller.history(of: channel, request)
    }

    /// Messages are encrypted on all channels when the client has a cipher key, and otherwise on none (rule LL-26).
    func encryptionGap(of channel: String) -> LifelineError? {
        if caller.cipher != nil { return nil }
        return .unsupported(feature: "end-to-end encryption without a cipher key", service: serviceName)
    }

    func members(of channel: String) async throws(LifelineError) -> [Member] {
        guard let group = PubNubGroupRoom.group(of: channel) else {
            try Self.check(channel)
            return try await caller.members(of: channel)
        }
        try Self.check(group: group)
        var roster = GroupRoster()
        return roster.answered(try await caller.present(in: channel))
    }

    func roomName(ofGroup group: String) throws(LifelineError) -> String {
        try Self.check(group: group)
        return PubNubGroupRoom.name(of: group)
    }

    func channels(ofGroup group: String) async throws(LifelineError) -> [String] {
        try Self.check(group: group)
        return try await caller.ask(PubNubListGroupCall(group: group))
    }

    func change(group: String, _ change: ChannelGroupChange) async throws(LifelineError) {
        try Self.check(group: group)
        switch change {
        case .add(let channels): try await caller.ask(PubNubChangeGroupCall(group: group, .add, channels: channels))
        case .remove(let channels): try await caller.ask(PubNubChangeGroupCall(group: group, .remove, channels: channels))
        case .delete: try await caller.ask(PubNubRemoveGroupCall(group: group))
        }
    }

    private static func check(group: String) throws(LifelineError) {
        if let problem = problem(withGroup: group) { throw problem }
    }

    private static func problem(withGroup group: String) -> LifelineError? {
        guard !group.isEmpty, !group.hasByte(UInt8(ascii: ",")), !group.hasByte(UInt8(ascii: "*")),
            !group.hasByte(UInt8(ascii: ":")), !group.hasByteSuffix(PubNubMessage.presenceSuffix)
        else {
            return LifelineError(
                .badRequest, "The channel group's name is empty, contains a comma, star or colon, or ends in -pnpres.")
        }
        return nil
    }

    private func list(of channel: String) -> PubNubList {
        if let group = PubNubGroupRoom.group(of: channel) {
            return PubNubList(groups: tracksPresence ? [group, group + PubNubMessage.presenceSuffix] : [group])
        }
        return PubNubList(channels: tracksPresence ? [channel, channel + PubNubMessage.presenceSuffix] : [channel])
    }

    /// The error for a name that is neither a single channel nor a single pattern; nil for a valid name. Messages that arrive for an
    /// invalid name would belong to no room.
    ///
    /// - Parameter isPattern: whether a pattern is allowed.
    private static func problem(with channel: String, isPattern: Bool = true) -> LifelineError? {
        let name = isPattern ? channel.droppingByteSuffix(".*") : channel
        guard !name.isEmpty, !name.hasByte(UInt8(ascii: ",")), !name.hasByte(UInt8(ascii: "*")),
            !name.hasByteSuffix(PubNubMessage.presenceSuffix)
        else {
            return LifelineError(
                .badRequest,
                "The channel's name is empty, contains a comma or a star that is not in a final .*, or ends in -pnpres."
            )
        }
        return nil
    }

    /// Throws unless the name is that of a single channel. Patterns and groups can only be subscribed.
    private static func check(_ channel: String) throws(LifelineError) {
        if let problem = problem(with: channel, isPattern: false) { throw problem }
        if PubNubGroupRoom.group(of: channel) != nil {
            throw LifelineError(
                .badRequest, "The channel's name begins with a colon, which is reserved for channel groups. Use another name.")
        }
    }
}

extension PubNubAdapter {
    /// Queues an input. If no other thread is processing inputs, this thread processes all queued ones, so that the client's hub, which
    /// distributes events to sequences, gets one report at a time.
    private func take(_ item: Item) {
        guard state.withLockedValue({ $0.items.append(item) }) else { return }
        while let (report, body) = state.withLockedValue({ Self.next(&$0) }) {
            if !report.events.isEmpty { body?(report.events) }
            for question in report.questions { ask(question) }
        }
    }

    private static func next(_ state: inout State) -> (PubNubNews.Report, (@Sendable ([ServiceEvent]) -> Void)?)? {
        guard let item = state.items.takeFirst() else { return nil }
        switch item {
        case .notices(let notices, let at): return (state.news.take(notices, at: at), state.body)
        case .answered(let question, let answer):
            let report = state.news.answered(question, answer)
            return (report, state.body)
        case .refused(let channel, let error):
            let report = PubNubNews.Report(events: [.subscriptionFailed(channel: channel, error, willRetry: false)])
            return (report, state.body)
        case .told(let event): return (PubNubNews.Report(events: [event]), state.body)
        }
    }

    private func ask(_ question: PubNubNews.Question) {
        let caller = caller
        let task = tasks.start { [weak self] in
            let answer: Result<[GroupRoster.Channel], LifelineError>
            do throws(LifelineError) {
                answer = .success(try await caller.present(in: question.channel))
            } catch {
                answer = .failure(error)
            }
            if !Task.isCancelled { self?.take(.answered(question, answer)) }
        }
        state.withLockedValue { $0.questions.updateValue(task, forKey: Identifier(question.channel)) }?.cancel()
    }
}
