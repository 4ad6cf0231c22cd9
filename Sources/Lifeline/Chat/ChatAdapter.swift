import ChatProtocol
import ConnectionEngine
import DequeModule
import EngineRuntime
import NIOConcurrencyHelpers
import TransportCommon

/// Implements the service-independent client API with a chat session.
final class ChatAdapter: ServiceAdapter {
    typealias Driver = ConnectionDriver<ChatSession>

    /// A function that changes the adapter's state. It returns events for the client's hub, which distributes them to sequences, and tasks
    /// for the adapter. The changes of all threads run one after the other.
    typealias Step = @Sendable (inout ChatEventTranslation) -> ChatEventTranslation.Report

    struct State {
        var news: ChatEventTranslation
        var steps = CoalescingQueue<Deque<Step>>()
        var body: (@Sendable ([ServiceEvent]) -> Void)?
        /// Callers of `subscribe`.
        var callers: [UInt64: CheckedContinuation<LifelineError?, Never>] = [:]
        var lastCaller: UInt64 = 0
        /// For each group channel, the running timer after which the client checks again whether its user is a member of the group.
        var pauses: [ChatChannel: (number: UInt64, cancel: TimerCancellation)] = [:]
    }

    let serviceName = ChatAdapterSettings.serviceName
    let serviceLabel = "chat"
    let clock: @Sendable () -> Moment
    let driver: Driver
    let heartbeats: HeartbeatMeter
    let timers: any TimerScheduler
    let sendLimit: Duration
    let applicationKey: String
    /// The user id in the client's settings; nil when the settings have only a token.
    private let configuredUser: String?
    private let policy: ConnectionPolicy
    private let tracksPresence: Bool
    private let network: NetworkObservation?
    private let tokens: TokenSource<String>?
    let state: NIOLockedValueBox<State>

    init(
        driver: Driver, heartbeats: HeartbeatMeter, timers: any TimerScheduler, sendLimit: Duration, policy: ConnectionPolicy,
        settings: ChatAdapterSettings, seed: UInt64,
        network: NetworkObservation? = nil, tokens: TokenSource<String>? = nil
    ) {
        let tracksPresence = settings.tracksPresence
        applicationKey = settings.appKey
        configuredUser = settings.access.user
        self.tokens = tokens
        self.driver = driver
        self.heartbeats = heartbeats
        self.policy = policy
        self.timers = timers
        clock = { timers.now }
        self.sendLimit = sendLimit
        self.tracksPresence = tracksPresence
        self.network = network
        state = NIOLockedValueBox(
            State(news: ChatEventTranslation(tracksPresence: tracksPresence, start: timers.now, seed: seed)))
    }

    deinit {
        let (callers, pauses) = state.withLockedValue { (Array($0.callers.values), Array($0.pauses.values)) }
        for pause in pauses { pause.cancel() }
        for caller in callers { caller.resume(returning: LifelineError(.disconnectedOnRequest)) }
    }

    var phase: ConnectionPhase { driver.snapshot.phase }
    /// The user id that the server last sent with its welcome; before the first welcome, the user id in the settings.
    var user: String? { driver.withMemory { $0.user } ?? configuredUser }
    var requiresUser: Bool { true }
    /// How long a message may be repeated with the same client id: 55 minutes, because the server stores client ids for an hour (rule
    /// NV-19) and a message may take some minutes to arrive.
    var repetitionSpan: Duration? { .seconds(55 * 60) }
    var networkChanges: Broadcaster<NetworkStatus> { driver.networkChanges }

    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        // The observer runs on the thread that reports the token (inline). It must not block that thread, and does not: it only submits the
        // token and passes the event to the client's hub, which forwards events to sequences.
        tokens?.observe { [weak self, weak driver] news in
            if case .renewed(let token, _) = news { driver?.submit(.perform(.setToken(token), nil)) }
            let event = ServiceEvent(news)
            self?.take { _ in ChatEventTranslation.Report(events: [event]) }
        }
        return driver.notices.observe(on: .inline) { [clock, tokens, weak self] notices in
            let now = clock()
            for case .change(let change) in notices {
                // A refused token is discarded, so that the next connection attempt requests another one (rule LL-82).
                if let cause = change.cause, cause.category == .credentialsRejected { tokens?.refuse(LifelineError(cause)) }
            }
            self?.take { $0.take(notices, at: now) }
        }
    }

    func connect(within limit: Duration?) { driver.submit(.connect(within: limit)) }

    func moved(to place: ApplicationMonitor.Place) {
        switch place {
        case .foreground: for input in ChatSession.returning(policy) { driver.submit(input) }
        case .background: driver.moved(to: .background)
        }
    }

    /// Disconnects. The command is also sent without a connection, so that the session reports the outcome of messages that wait for a
    /// connection (rule NS-15).
    func disconnect() {
        driver.submit(.perform(.leave(disablePush: false), nil))
        driver.submit(.disconnect)
        // Callers that wait for a connection before they enter a channel are resumed by the adapter. The session cannot resume them,
        // because their requests have not been sent to it yet.
        take { $0.disconnected() }
    }

    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError) {
        let id = state.withLockedValue { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLockedValue { $0.callers[id] = continuation }
                let now = clock()
                take { $0.subscribe(channel, waiter: id, at: now) }
                submitted()
                // If the task was cancelled before the waiter was registered, `onCancel` had no waiter to resume, so the check is repeated
                // here.
                if Task.isCancelled { take { $0.abandon(waiter: id) } }
            }
        } onCancel: {
            take { $0.abandon(waiter: id) }
        }
        if let error { throw error }
    }

    func unsubscribe(_ channel: String) {
        take { $0.unsubscribe(channel) }
    }

    func hasPresence(_ channel: String) -> Bool {
        tracksPresence && (try? ChatChannel(name: channel))?.conversation == .open
    }
}

extension ChatAdapter {
    /// Queues a state change. If no other thread is running state changes, this thread runs all queued ones, so that the client's hub gets
    /// one report at a time.
    private func take(_ step: @escaping Step) {
        guard state.withLockedValue({ $0.steps.append(step) }) else { return }
        while let (report, body) = state.withLockedValue({ Self.next(&$0) }) {
            if !report.events.isEmpty { body?(report.events) }
            for task in report.tasks { perform(task) }
        }
    }

    private static func next(_ state: inout State) -> (ChatEventTranslation.Report, (@Sendable ([ServiceEvent]) -> Void)?)? {
        guard let step = state.steps.takeFirst() else { return nil }
        return (step(&state.news), state.body)
    }

    /// Reports a message of this client to the rooms of its channel after the server has accepted the message. The server itself does not
    /// send a message back to the device that published it (rule LL-27).
    func take(_ draft: ChatMessageDraft, _ sent: ChatSentMessage) {
        let now = clock()
        take { $0.sent(draft, sent, at: now) }
    }

    private func perform(_ task: ChatEventTranslation.Task) {
        switch task {
        case .acknowledge(let place): driver.submit(.perform(.acknowledge(place), nil))
        case .exit(let channel): driver.submit(.perform(.exit(channel), nil))
        case .enter(let inquiry):
            // Entering requests no earlier messages (count 0); callers load them with `history`.
            ask(.enter(ChatEntryRequest(inquiry.channel.id, count: 0))) { news, result, now in
                news.entered(inquiry, result.failure, at: now)
            }
        case .checkMembership(let inquiry):
            ask(.request(.groupMembers(ChatMembersRequest(inquiry.channel.id, limit: 1)))) { news, result, now in
                news.checked(inquiry, result.failure, at: now)
            }
        case .checkLater(let inquiry, let pause): checkLater(inquiry, after: pause)
        case .askMembers(let inquiry):
            ask(.request(Self.question(about: inquiry.channel.id))) { news, result, _ in
                news.counted(inquiry, result.map { Self.members(in: $0) })
            }
        case .resume(let ids, let error):
            let callers = state.withLockedValue { state in ids.compactMap { state.callers.removeValue(forKey: $0) } }
            for caller in callers { caller.resume(returning: error) }
        }
    }

    private func checkLater(_ inquiry: ChatEventTranslation.Inquiry, after pause: Duration) {
        let cancel = timers.schedule(after: pause) { [weak self] in
            self?.state.withLockedValue { state in
                if state.pauses[inquiry.channel]?.number == inquiry.number { state.pauses[inquiry.channel] = nil }
            }
            self?.take { $0.checkAgain(inquiry) }
        }
        let former = state.withLockedValue { $0.pauses.updateValue((inquiry.number, cancel), forKey: inquiry.channel) }
        former?.cancel()
    }

    private func ask(
        _ command: ChatCommand,
        _ step:
            @escaping @Sendable (inout ChatEventTranslation, Result<ChatReply, ConnectionFailure>, Moment) ->
            ChatEventTranslation.Report
    ) {
        // The observers of this result and of the session's notices run inline, on the thread that reports them. Their state changes
        // therefore run in the order in which the session reports results and notices.
        driver.perform(command) { [clock, weak self] result in
            let now = clock()
            self?.take { step(&$0, result, now) }
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
