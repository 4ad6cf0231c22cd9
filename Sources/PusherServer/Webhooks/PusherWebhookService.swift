import Logging
import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub

/// The webhooks of all Pusher applications of a server. Applications without webhooks never come here.
final class PusherWebhookService: Sendable {
    private struct State: Sendable {
        var applications: [String: PusherWebhooks] = [:]
        var isClosed = false
    }

    private let applications: any ApplicationRegistry
    private let clock: ServerClock
    private let eventLoops: [any EventLoop]
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(_ configuration: ServerConfiguration, eventLoops: [any EventLoop]) {
        applications = configuration.applications
        clock = configuration.clock
        logger = configuration.logger
        self.eventLoops = eventLoops
    }

    /// What became of the events of each application, by its id.
    var counts: [String: WebhookDelivery.Counts] {
        state.withLockedValue(\.applications).mapValues(\.counts)
    }

    /// Takes news; to be called under the lock of the channel's shard.
    func tell(_ kind: ChannelNews.Kind, on channel: String, of application: Application) {
        // Reserved channels are the server's own business.
        guard !channel.utf8.starts(with: "#".utf8) else { return }
        let application = asConfigured(application)
        webhooks(of: application)?.tell(ChannelNews(kind, on: channel), of: application)
    }

    /// As ``tell(_:on:of:)``, for what time brings; `id` is the application's.
    func tell(_ kind: ChannelNews.Kind, on channel: String, ofApplication id: String) {
        guard let application = applications.application(id: id) else { return }
        tell(kind, on: channel, of: application)
    }

    /// A cache channel has got an event: to be called under the lock of its shard.
    func filled(_ channel: String, of application: Application) {
        webhooks(of: asConfigured(application))?.filled(channel)
    }

    func sweep() {
        for (id, webhooks) in state.withLockedValue(\.applications) {
            // Receivers that were removed hear no more of what is held back.
            if let application = applications.application(id: id) { webhooks.follow(application) }
            webhooks.sweep()
        }
    }

    /// Tells what there is to tell, for a while; the rest is given up.
    func close() async {
        let applications = state.withLockedValue { state in
            state.isClosed = true
            return Array(state.applications.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for application in applications { group.addTask { await application.close() } }
        }
    }

    /// Connections may still know an application as it was.
    private func asConfigured(_ application: Application) -> Application {
        applications.application(id: application.id) ?? application
    }

    private func webhooks(of application: Application) -> PusherWebhooks? {
        state.withLockedValue { state in
            if let known = state.applications[application.id] { return known }
            guard application.hasWebhooks, !state.isClosed, let eventLoop = eventLoops.randomElement() else { return nil }
            let new = PusherWebhooks(application, clock: clock, eventLoop: eventLoop, logger: logger)
            state.applications[application.id] = new
            return new
        }
    }
}

extension PusherWebhookService {
    /// The news of a subscription.
    func tell(_ outcome: SubscribeOutcome, of channel: ChannelID, _ traits: ChannelTraits, _ application: Application) {
        if outcome.becameOccupied { tell(.occupied, on: channel.name, of: application) }
        if let added = outcome.memberAdded { tell(.memberAdded(user: added.userID), on: channel.name, of: application) }
        if traits.contains(.cached), outcome.cached == nil { tell(.cacheMiss, on: channel.name, of: application) }
    }

    /// The news of a subscription's end.
    func tell(_ outcome: UnsubscribeOutcome, of channel: ChannelID, _ application: Application) {
        if let removed = outcome.memberRemoved { tell(.memberRemoved(user: removed), on: channel.name, of: application) }
        if outcome.becameVacant { tell(.vacated, on: channel.name, of: application) }
    }
}

extension Application {
    /// Asked before anything else is done for webhooks: most applications have none.
    var hasWebhooks: Bool { !webhooks.isEmpty }
}
