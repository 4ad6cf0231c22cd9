import Identifiers
import Logging
import NIOConcurrencyHelpers
import NexconnProtocol
import RealtimeHub
import ServerRuntime

/// What the chat front is told. Sizes are bytes.
package struct ChatServiceSettings: Sendable {
    /// Of several with the same key the first one counts.
    package var applications: [ChatApplication]
    /// After this much silence of a client the server asks whether it is still there, and cuts it 10 s later.
    package var chatHeartbeat: Duration
    package var messageTimeout: Duration
    package var closeTimeout: Duration
    package var requestTimeout: Duration
    package var maximumFragments: Int
    /// The application whose open channels are shared with other services.
    package var bridgedKey: String?

    package init(
        applications: [ChatApplication], chatHeartbeat: Duration, messageTimeout: Duration, closeTimeout: Duration,
        requestTimeout: Duration, maximumFragments: Int, bridgedKey: String? = nil
    ) {
        self.applications = applications
        self.chatHeartbeat = chatHeartbeat
        self.messageTimeout = messageTimeout
        self.closeTimeout = closeTimeout
        self.requestTimeout = requestTimeout
        self.maximumFragments = maximumFragments
        self.bridgedKey = bridgedKey
    }
}

extension ServiceName {
    package static let chat = ServiceName(rawValue: "chat")
}

/// All chat applications of a server: those that are configured, and those that were and are not served any more.
package final class ChatService: Sendable {
    let context: ServerContext
    let settings: ChatServiceSettings
    let timeline: NexconnTimeline
    let mailboxes: [EventLoopMailbox<NexconnLoop>]
    /// Where connections are counted that have not said which application they are for.
    let otherSlot: MetricSlot
    private let loopRefusals: [NIOLockedValueBox<Int>]
    let requestKind: RequestKind
    private let bridge: (any BridgeTap)?
    private let state = NIOLockedValueBox(State())
    /// When inboxes are looked through next, in units of 100 ns since 1970.
    private let nextPurge = NIOLockedValueBox<UInt64>(0)
    private let sessions = NIOLockedValueBox<UInt64>(0)

    private struct State: Sendable {
        /// By their numbers. An application that is not configured any more stays, so that it has what it had when it comes back.
        var applications: [NexconnApplication] = []
        /// Those of them that are configured.
        var configured: [Identifier: NexconnApplication] = [:]
    }

    package init(
        _ settings: ChatServiceSettings, _ context: ServerContext, store: any ChatStore, restored: RestoredChat,
        bridge: (any BridgeTap)? = nil
    ) {
        self.context = context
        self.settings = settings
        self.bridge = bridge
        timeline = NexconnTimeline(store: store, restored: restored, unixTicks: context.clock.unixTicks)
        let loopRefusals = context.loops.map { _ in NIOLockedValueBox(0) }
        self.loopRefusals = loopRefusals
        mailboxes = zip(context.loops, loopRefusals).map { EventLoopMailbox($0.queue, NexconnLoop($0, $1)) }
        otherSlot = context.names.other(.chat)
        requestKind = context.requestKinds.add("chat")
        take(ChatReload(settings: settings.applications, new: make(settings.applications, restored: restored)))
    }

    /// Has the store promise ids. To be called before the first request.
    package func prepare() async throws {
        try await timeline.prepare()
    }

    var applications: [NexconnApplication] { state.withLockedValue(\.applications) }

    /// The application that serves sessions and calls with this key.
    func application(key: String) -> NexconnApplication? {
        let key = Identifier(key)
        return state.withLockedValue { $0.configured[key] }
    }

    /// The book's name for a new session on an event loop.
    func newSession(on loop: EventLoopContext) -> ChatSession {
        let id = sessions.withLockedValue { last in
            last += 1
            return last
        }
        return ChatSession(id: id, partition: loop.number)
    }

    /// Frames of sessions that were refused before anybody was asked; may lag behind by a turn of an event loop.
    package var framesRefused: Int { loopRefusals.reduce(0) { $0 + $1.withLockedValue { $0 } } }

    /// Registers a user of an application, or brings the name up to date, and gives out a token; returns it once it is stored.
    package func issueToken(app: String, user: String, name: String?) async throws(ChatTokenProblem) -> String {
        guard let application = application(key: app) else { throw .unknownApplication }
        let token = NexconnApplication.newToken()
        let hash = NexconnApplication.hash(ofToken: token)
        let result: Result<String, NexconnRefusal> = await withCheckedContinuation { continuation in
            application.change(
                { book, change in
                    try book.issueToken(
                        hash: hash, to: Identifier(user), name: name, avatar: nil, at: change.now, into: &change.commit)
                    return token
                },
                completion: { continuation.resume(returning: $0) })
        }
        switch result {
        case .success(let token): return token
        case .failure(let refusal): throw refusal.code == .storageFailed ? .notStored : .invalid(refusal.reason)
        }
    }

    /// Asks all sessions to come back later, each after a pause of its own.
    package func drainSessions() {
        for mailbox in mailboxes { mailbox.enqueue(.drain) }
    }

    /// Messages that were stored since the start.
    package var messages: Int { applications.reduce(0) { $0 + $1.messageCount } }

    /// Lets time pass in all applications.
    package func sweep() {
        timeline.sweep()
        for application in applications { application.sweep() }
        purgeInboxes()
    }

    /// The least id that an event of so long ago can have; 0 for longer than there was time.
    private static func id(_ age: Duration, before now: UInt64) -> UInt64 {
        let ticks = UInt64(max(age.components.seconds, 0)).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        return ticks.overflow ? 0 : now - min(ticks.partialValue, now)
    }

    /// Has the store forget, once an hour, what no inbox and no history keeps any more (rule NV-15).
    private func purgeInboxes() {
        let now = timeline.now
        let isDue = nextPurge.withLockedValue { next in
            guard now >= next else { return false }
            next = now + 3_600 * TimetokenClock.ticksPerSecond
            return true
        }
        let limits = applications.map(\.settings.limits)
        guard isDue, let inboxes = limits.map(\.inboxRetention).max(), let histories = limits.map(\.historyRetention).max()
        else { return }
        let (store, logger) = (timeline.store, context.logger)
        Task {
            do {
                try await store.purge(
                    inboxBefore: Self.id(inboxes, before: now), historyBefore: Self.id(max(histories, inboxes), before: now))
            } catch {
                logger.error("inboxes not purged", metadata: ["error": "\(type(of: error))"])
            }
        }
    }

    /// What became of the events of applications that have a webhook.
    package var webhookCounts: [ApplicationName: WebhookDelivery.Counts] {
        applications.reduce(into: [:]) { counts, application in
            guard let events = application.webhooks.counts else { return }
            counts[context.names.counted(application.name), default: .init()] += events
        }
    }

    /// Stores and tells what waits.
    package func close() async {
        for application in applications { application.sweep() }
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.webhooks.close() } }
        }
    }
}

// MARK: - What a reload can change

/// Chat applications that are about to be taken over, and those of them that have to be added, ready to serve.
package struct ChatReload: Sendable {
    let settings: [ChatApplication]
    let new: [NexconnApplication]
}

extension ChatService {
    /// Makes what a change of the applications needs. Changes nothing yet. Not to be called again before ``take(_:)``.
    ///
    /// - Throws: when the store does not say what it remembers of a new application.
    package func prepare(_ settings: [ChatApplication]) async throws -> ChatReload {
        let known = Set(applications.map { Identifier($0.key) })
        guard settings.contains(where: { !known.contains(Identifier($0.key)) }) else {
            return ChatReload(settings: settings, new: [])
        }
        return ChatReload(settings: settings, new: make(settings, restored: try await timeline.store.restore()))
    }

    /// Serves these applications from now on, and no others. Of several with the same key the first one counts (rule NV-70).
    package func take(_ reload: ChatReload) {
        var settings: [Identifier: ChatApplication] = [:]
        for application in reload.settings where settings[Identifier(application.key)] == nil {
            settings[Identifier(application.key)] = application
        }
        let applications = state.withLockedValue { state in
            state.applications += reload.new
            state.configured = [:]
            for application in state.applications where settings[Identifier(application.key)] != nil {
                state.configured[Identifier(application.key)] = application
            }
            return state.applications
        }
        for application in applications { application.use(settings[Identifier(application.key)]) }
    }

    /// Applications that are not known yet, numbered behind those that are.
    private func make(_ list: [ChatApplication], restored: RestoredChat) -> [NexconnApplication] {
        let applications = applications
        var known = Set(applications.map { Identifier($0.key) })
        var new: [NexconnApplication] = []
        for application in list where known.insert(Identifier(application.key)).inserted {
            new.append(
                NexconnApplication(
                    settings: application, number: applications.count + new.count,
                    slot: context.names.slot(.chat, application.key), timeline: timeline,
                    restored: restored.applications[Identifier(application.key)] ?? .init(), clock: context.clock,
                    mailboxes: mailboxes, logger: context.logger,
                    bridge: settings.bridgedKey?.isExactly(application.key) == true ? bridge : nil))
        }
        return new
    }
}
