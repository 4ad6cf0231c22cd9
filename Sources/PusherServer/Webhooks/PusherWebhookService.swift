import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerStorage

/// The webhooks of all Pusher applications of a server. Applications without webhooks have no entry.
final class PusherWebhookService: Sendable {
    private struct State: Sendable {
        var applications: [Identifier: PusherWebhooks] = [:]
        /// For each application, the number of stored events that were dropped because the application did not exist in time.
        var expired: [Identifier: Int] = [:]
        var isClosed = false
    }

    private let applications: any ApplicationRegistry
    private let context: ServerContext
    /// Stores webhook events, so that another process can send them after the end of this one; nil for none.
    private let records: PusherWebhookRecords?
    private let state = NIOLockedValueBox(State())

    init(_ applications: any ApplicationRegistry, context: ServerContext, records: PusherWebhookRecords? = nil) {
        self.applications = applications
        self.context = context
        self.records = records
    }

    /// The delivery counts of webhook events, by application and receiver.
    var receivers: [Identifier: [WebhookReport]] {
        let (applications, expired) = state.withLockedValue { ($0.applications, $0.expired) }
        var reports = applications.mapValues(\.receivers)
        for (id, count) in expired {
            // Events that were dropped because their application did not exist are counted under a number that no receiver has.
            let known = reports[id] ?? []
            let number = known.last.map { $0.number + 1 } ?? 0
            reports[id] = known + [WebhookReport(number: number, url: nil, counts: .init(dropped: count))]
        }
        return reports
    }

    /// Queues an event for the application's receivers. Call it under the lock of the channel's shard.
    func tell(_ kind: ChannelWebhookEvent.Kind, on channel: String, of application: Application) {
        // Reserved channels, whose names begin with #, are internal to the server and not reported.
        guard !channel.utf8.starts(with: "#".utf8) else { return }
        let application = asConfigured(application)
        webhooks(of: application)?.tell(ChannelWebhookEvent(kind, on: channel), of: application)
    }

    /// Queues an event that was caused by a timer; `id` is the application's id.
    func tell(_ kind: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String) {
        guard let application = applications.application(id: id) else { return }
        tell(kind, on: channel, of: application)
    }

    /// Records that a cache channel has a cached event. Call it under the lock of the channel's shard.
    func filled(_ channel: String, of application: Application) {
        webhooks(of: asConfigured(application))?.filled(channel)
    }

    func sweep() {
        restore()
        for (id, webhooks) in state.withLockedValue(\.applications) {
            follow(id, webhooks)
            webhooks.sweep()
        }
    }

    /// Sends the webhook events that another process has stored to the current receivers (rule CR-43).
    func restore() {
        guard let journal = records?.journal else { return }
        for id in journal.unclaimed {
            guard let application = applications.application(id: id.text) else { continue }
            _ = webhooks(of: application)
        }
        let expired = journal.expire()
        guard !expired.isEmpty else { return }
        state.withLockedValue { $0.expired.merge(expired) { $0 + $1 } }
    }

    /// Stops sending new requests, and waits for a limited time for the answers to requests in progress.
    func hold() async {
        let applications = state.withLockedValue { Array($0.applications.values) }
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.hold() } }
        }
    }

    /// Applies changed applications: later requests use the new settings (rule SW-30).
    func applicationsChanged() {
        for (id, webhooks) in state.withLockedValue(\.applications) { follow(id, webhooks) }
    }

    /// Applies the current settings of an application, so that events whose sending is delayed are not sent to receivers that were removed.
    private func follow(_ id: Identifier, _ webhooks: PusherWebhooks) {
        if let application = applications.application(id: id.text) { webhooks.follow(application) }
    }

    /// Sends pending webhook events until the close timeout, then drops the rest.
    ///
    /// - Parameter tellingAll: whether events whose sending is delayed are sent now; if false, another process sends them later.
    func close(tellingAll: Bool = true) async {
        let applications = state.withLockedValue { state in
            state.isClosed = true
            return Array(state.applications.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.close(tellingAll: tellingAll) } }
        }
    }

    /// The current configuration of an application, because connections may still have an earlier one.
    private func asConfigured(_ application: Application) -> Application {
        applications.application(id: application.id) ?? application
    }

    private func webhooks(of application: Application) -> PusherWebhooks? {
        state.withLockedValue { state in
            if let known = state.applications[Identifier(application.id)] { return known }
            guard application.hasWebhooks, !state.isClosed, let loop = context.loops.randomElement() else { return nil }
            let new = PusherWebhooks(
                application, clock: context.clock, eventLoop: loop.eventLoop, logger: context.logger, records: records)
            state.applications[Identifier(application.id)] = new
            return new
        }
    }
}

extension Application {
    /// Whether the application has webhooks. Most applications have none and need no work for them.
    var hasWebhooks: Bool { !webhooks.isEmpty }
}
