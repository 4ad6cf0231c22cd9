import ChatProtocol
import Identifiers
import Logging
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// The chat applications of servers in one process. Decisions are made under locks. When the lock is released, all nodes have applied the
/// decision.
package final class LocalChat: ChatStateBackend {
    let storage: ChatStorage
    private let clock: ServerClock
    private let names: MetricNames
    private let logger: Logger
    private let bridge: (any BridgeTap)?
    /// The nodes. They change under the lock of `state`, so that every application has every node.
    private let nodes = NodeList<any ChatNode>()
    private let state = NIOLockedValueBox(State())
    /// The time of the next purge of the store; nil to purge at the next sweep.
    private let nextPurge = NIOLockedValueBox<MonotonicInstant?>(nil)
    private let histories = HistoryFigures()
    private let sessions = NIOLockedValueBox<UInt64>(0)

    private struct State: Sendable {
        /// All applications. An application that is no longer configured stays, so that its data is available if it is configured again.
        var applications: [ServedChatApplication] = []
        /// The applications that are currently configured.
        var configured: [Identifier: ServedChatApplication] = [:]
        /// The number of applications that were ever made here. The next application gets this number.
        var numbers = 0
    }

    /// - Parameters:
    ///   - settings: the settings of the server that makes the backend, with its applications.
    ///   - bridge: passes messages to other services.
    ///   - log: stores and publishes each change in one step; nil for none.
    ///   - storesFirst: whether a change is appended to the log only after the store has saved it.
    ///   - share: the event ids that this process may assign (rule CC-42).
    package init(
        _ settings: ChatServiceSettings, store: any ChatStore, restored: RestoredChat, clock: ServerClock, names: MetricNames,
        logger: Logger, bridge: (any BridgeTap)? = nil, log: (any ChatDecisionLog)? = nil, storesFirst: Bool = false,
        share: TimetokenShare = .all
    ) {
        self.clock = clock
        self.names = names
        self.logger = logger
        self.bridge = bridge
        storage = ChatStorage(
            store: store, restored: restored, unixTicks: clock.unixTicks, log: log, storesFirst: storesFirst, share: share)
        take(ChatReload(settings: settings.applications, new: make(settings.applications, restored: restored)))
    }

    package func prepare() async throws {
        try await storage.ids.prepare()
    }

    package var applications: [ServedChatApplication] { state.withLockedValue(\.applications) }

    package func application(key: Identifier) -> ServedChatApplication? {
        state.withLockedValue { $0.configured[key] }
    }

    package func gateway(key: Identifier) -> (any ChatGateway)? { application(key: key) }
    package var forwarder: (any ChatForwarder)? { nil }

    package func newSession(on eventLoopID: Int) -> ChatSessionID {
        let id = sessions.withLockedValue { last in
            last += 1
            return last
        }
        return ChatSessionID(id: id, eventLoopID: eventLoopID)
    }

    // MARK: Nodes

    package func join(_ node: any ChatNode) {
        state.withLockedValue { state in
            nodes.join(node, as: node)
            let isFirst = nodes.first === node
            for application in state.applications {
                application.withAudience { $0.join(node) }
                if isFirst { application.webhooks.use(node.eventLoop) }
            }
        }
    }

    package func leave(_ node: any ChatNode) async {
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.signOut(node) } }
        }
        let closing = state.withLockedValue { state in
            let wasFirst = nodes.first === node
            nodes.leave(node)
            let next = nodes.first
            for application in state.applications { application.withAudience { $0.leave(node) } }
            guard wasFirst else { return [(ServedChatApplication, [WebhookDelivery])]() }
            return state.applications.map { ($0, $0.webhooks.use(next?.eventLoop)) }
        }
        // Stores changes that otherwise wait for the next commit, such as acknowledgements.
        for application in applications { application.sweep() }
        await withTaskGroup(of: Void.self) { group in
            for (application, former) in closing { group.addTask { await application.webhooks.close(former) } }
        }
    }

    package func tellsWebhooks(_ node: any ChatNode) -> Bool { nodes.first.map { $0 === node } ?? true }

    // MARK: Time

    package func sweep(by node: any ChatNode) {
        guard nodes.first === node else { return }
        storage.ids.sweep()
        let applications = applications
        for application in applications { application.sweep() }
        purgeInboxes(of: applications)
        trimHistories(of: applications)
    }

    /// The smallest id of an event that is at most this old; 0 when the age is larger than the clock's time.
    private static func id(_ age: Duration, before now: UInt64) -> UInt64 {
        let ticks = UInt64(max(age.components.seconds, 0)).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        return ticks.overflow ? 0 : now - min(ticks.partialValue, now)
    }

    /// Deletes, once an hour, the stored events that no inbox and no history needs any more (rule NV-15).
    private func purgeInboxes(of applications: [ServedChatApplication]) {
        let (now, instant) = (storage.ids.now, clock.monotonic())
        let isDue = nextPurge.withLockedValue { next in
            guard next.map({ instant >= $0 }) ?? true else { return false }
            next = instant.advanced(by: .seconds(3_600))
            return true
        }
        let limits = applications.map(\.settings.limits)
        guard isDue, let inboxes = limits.map(\.inboxRetention).max(), let histories = limits.map(\.historyRetention).max()
        else { return }
        let (store, logger) = (storage.store, logger)
        Task {
            do {
                try await store.purge(
                    inboxBefore: Self.id(inboxes, before: now), historyBefore: Self.id(max(histories, inboxes), before: now))
            } catch {
                logger.error(
                    "expired chat messages could not be deleted from the store; retried in an hour",
                    metadata: ["error": "\(logText(error))"])
            }
        }
    }

    /// Removes messages that exceed the history limits of their applications (rule SO-166).
    private func trimHistories(of applications: [ServedChatApplication]) {
        let instant = clock.monotonic()
        guard histories.begins(at: instant) else { return }
        let (store, histories, logger, now) = (storage.store, histories, logger, storage.ids.now)
        let limits = applications.map { application in
            let limits = application.settings.limits
            // A history keeps a message at least as long as inboxes do (rule CT-8).
            let lowest = Self.id(max(limits.historyRetention, limits.inboxRetention), before: now)
            return (
                Identifier(application.settings.key),
                HistoryLimits(messages: limits.historyMessages, bytes: limits.historyBytes, lowest: lowest)
            )
        }
        Task {
            do {
                let usages = try await store.trim(Dictionary(limits) { first, _ in first })
                histories.finish(
                    applications.compactMap { application in
                        usages[Identifier(application.settings.key)].map { usage in
                            .init(
                                slot: application.slot, messages: usage.messages, bytes: usage.bytes, removed: usage.removed)
                        }
                    })
            } catch {
                guard histories.fail() else { return }
                logger.error(
                    "chat messages beyond the history limits could not be deleted; retried every 10 s",
                    metadata: ["error": "\(logText(error))"])
            }
        }
    }

    /// Writes the metrics about the sizes of histories.
    package func writeHistories(to out: inout PrometheusText) { histories.write(names.names, to: &out) }

    // MARK: Changes by a reload

    package func prepare(_ settings: [ChatApplication]) async throws -> ChatReload {
        let added = Set(settings.map { Identifier($0.key) }).subtracting(applications.map { Identifier($0.key) })
        guard !added.isEmpty else { return ChatReload(settings: settings, new: []) }
        return ChatReload(settings: settings, new: make(settings, restored: try await storage.store.restore(added)))
    }

    package func take(_ reload: ChatReload) {
        var settings: [Identifier: ChatApplication] = [:]
        for application in reload.settings where settings[Identifier(application.key)] == nil {
            settings[Identifier(application.key)] = application
        }
        let applications = state.withLockedValue { state in
            var known = Set(state.applications.map { Identifier($0.key) })
            // Another server may have added the application since the reload was prepared.
            for application in reload.new where known.insert(Identifier(application.key)).inserted {
                for node in nodes.all { application.withAudience { $0.join(node) } }
                application.webhooks.use(nodes.first?.eventLoop)
                state.applications.append(application)
            }
            state.configured = [:]
            for application in state.applications where settings[Identifier(application.key)] != nil {
                state.configured[Identifier(application.key)] = application
            }
            return state.applications
        }
        for application in applications { application.use(settings[Identifier(application.key)]) }
    }

    /// Makes an application for each key that is not served yet, each with a number of its own.
    private func make(_ list: [ChatApplication], restored: RestoredChat) -> [ServedChatApplication] {
        var known = Set(applications.map { Identifier($0.key) })
        let new = list.filter { known.insert(Identifier($0.key)).inserted }
        let first = state.withLockedValue { state in
            state.numbers += new.count
            return state.numbers - new.count
        }
        return new.enumerated().map { index, application in
            ServedChatApplication(
                settings: application, number: first + index, slot: names.slot(.chat, application.key), storage: storage,
                restored: restored.applications[Identifier(application.key)] ?? .init(), clock: clock, logger: logger,
                bridge: bridge)
        }
    }
}
