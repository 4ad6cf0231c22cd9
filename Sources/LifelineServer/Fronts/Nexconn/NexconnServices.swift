import Logging
import NIOConcurrencyHelpers
import RealtimeHub

/// All chat applications of a server.
final class NexconnServices: Sendable {
    let timeline: NexconnTimeline
    let applications: [NexconnApplication]
    private let byKey: [String: NexconnApplication]
    private let logger: Logger
    /// When inboxes are looked through next, in units of 100 ns since 1970.
    private let nextPurge = NIOLockedValueBox<UInt64>(0)
    private let sessions = NIOLockedValueBox<UInt64>(0)

    init(
        _ configuration: ServerConfiguration, store: any ChatStore, restored: RestoredChat, outlets: [LoopOutlet],
        bridge: ServiceBridge? = nil
    ) {
        let timeline = NexconnTimeline(store: store, restored: restored, unixTicks: configuration.clock.unixTicks)
        self.timeline = timeline
        logger = configuration.logger
        applications = configuration.chatApplications.enumerated().map { number, settings in
            NexconnApplication(
                settings: settings, number: number, timeline: timeline,
                restored: restored.applications[settings.key] ?? .init(), clock: configuration.clock, outlets: outlets,
                logger: configuration.logger, bridge: bridge,
                webhooks: Self.webhooks(settings, configuration, outlets))
        }
        byKey = Dictionary(applications.map { ($0.settings.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func webhooks(
        _ settings: ChatApplication, _ configuration: ServerConfiguration, _ outlets: [LoopOutlet]
    ) -> NexconnWebhooks? {
        guard let url = settings.webhook, let outlet = outlets.first else { return nil }
        return NexconnWebhooks(
            url: url, settings: settings, clock: configuration.clock, eventLoop: outlet.eventLoop, logger: configuration.logger)
    }

    func application(key: String) -> NexconnApplication? { byKey[key] }

    /// The book's name for a new session on an event loop.
    func newSession(on outlet: LoopOutlet) -> ChatSession {
        let id = sessions.withLockedValue { last in
            last += 1
            return last
        }
        return ChatSession(id: id, partition: outlet.partition)
    }

    /// Messages that were stored since the start.
    var messages: Int { applications.reduce(0) { $0 + $1.messageCount } }

    /// Lets time pass in all applications.
    func sweep() {
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
        guard isDue, let inboxes = applications.map(\.settings.limits.inboxRetention).max(),
            let histories = applications.map(\.settings.limits.historyRetention).max()
        else { return }
        let (store, logger) = (timeline.store, logger)
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
    var webhookCounts: [(key: String, counts: WebhookDelivery.Counts)] {
        applications.compactMap { application in
            application.webhooks.map { (key: application.settings.key, counts: $0.counts) }
        }
    }

    /// Stores and tells what waits, and closes the store.
    func close() async {
        for application in applications { application.sweep() }
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.webhooks?.close() } }
        }
        await timeline.store.close()
    }
}
