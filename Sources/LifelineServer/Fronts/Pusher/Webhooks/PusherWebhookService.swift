import Logging
import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub

/// The webhooks of all Pusher applications of a server. Applications without webhooks never come here.
final class PusherWebhookService: Sendable {
    private struct State: Sendable {
        var applications: [String: PusherWebhooks] = [:]
        /// Of receivers that are configured no more.
        var retired: [String: WebhookDelivery.Counts] = [:]
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
        let (applications, retired) = state.withLockedValue { ($0.applications, $0.retired) }
        return applications.mapValues(\.counts).merging(retired) { left, right in
            var sum = left
            sum += right
            return sum
        }
    }

    /// Takes news; to be called under the lock of the channel's shard.
    func tell(_ kind: ChannelNews.Kind, on channel: String, of application: Application) {
        // Reserved channels are the server's own business.
        guard !channel.utf8.starts(with: "#".utf8) else { return }
        webhooks(of: application)?.tell(ChannelNews(kind, on: channel))
    }

    /// As ``tell(_:on:of:)``, for what time brings; `id` is the application's.
    func tell(_ kind: ChannelNews.Kind, on channel: String, ofApplication id: String) {
        state.withLockedValue { $0.applications[id] }?.tell(ChannelNews(kind, on: channel))
    }

    /// A cache channel has got an event: to be called under the lock of its shard.
    func filled(_ channel: String, of application: Application) {
        webhooks(of: application)?.filled(channel)
    }

    func sweep() {
        for webhooks in state.withLockedValue({ Array($0.applications.values) }) { webhooks.sweep() }
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

    /// As the application is configured now: connections may still know it as it was.
    private func webhooks(of application: Application) -> PusherWebhooks? {
        let application = applications.application(id: application.id) ?? application
        let (current, replaced): (PusherWebhooks?, PusherWebhooks?) = state.withLockedValue { state in
            let known = state.applications[application.id]
            if let known, known.serves(application) { return (known, nil) }
            guard !state.isClosed, let eventLoop = eventLoops.randomElement() else { return (known, nil) }
            let new = PusherWebhooks(application, clock: clock, eventLoop: eventLoop, logger: logger)
            state.applications[application.id] = new
            return (new, known)
        }
        if let replaced { retire(replaced, of: application.id) }
        return current
    }

    /// The last events of receivers that are configured otherwise now still go where they were meant to go.
    private func retire(_ webhooks: PusherWebhooks, of id: String) {
        Task {
            await webhooks.close()
            let counts = webhooks.counts
            state.withLockedValue { $0.retired[id, default: .init()] += counts }
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
