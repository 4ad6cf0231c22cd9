import NIOCore
import NIOPosix
import RealtimeHub

extension ServerCore {
    /// Collects what every event loop has counted; nothing is counted under locks, so each is asked on its own thread.
    func figures(on eventLoop: any EventLoop) -> EventLoopFuture<ServerFigures> {
        let asked = now
        let queued = outlets.map(\.queuedBytes)
        let loops = outlets.map { outlet in
            outlet.eventLoop.submit { [self] in
                var figures = outlet.figures
                figures.delay = max(now.since(asked), .zero)
                return figures
            }
        }
        let process = NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { ProcessFigures.current() }
        return EventLoopFuture.whenAllSucceed(loops, on: eventLoop).and(process).map { [self] loops, process in
            var figures = ServerFigures()
            figures.loops = loops
            figures.queuedBytes = queued
            figures.maximumQueuedBytes = configuration.maximumQueuedBytes
            figures.process = process
            fill(&figures)
            // Last, since applications that are counted for the first time have got their names meanwhile.
            figures.names = names.names
            return figures
        }
    }

    private func fill(_ figures: inout ServerFigures) {
        figures.statistics = statistics
        figures.uptime = now.since(started)
        figures.bridge = bridge?.counts
        figures.isReady = readiness.isEmpty
        figures.acceptFailures = shortage.failures
        figures.hasValidConfiguration = hasValidConfiguration.withLockedValue { $0 }
        figures.certificate = certificate.map { (isValid: $0.problem == nil, expires: $0.expires) }
        let admission = admission.withLockedValue { $0 }
        figures.sockets = admission.sockets
        figures.maximumConnections = admission.maximumConnections
        for (application, count) in admission.perApplication {
            figures.connections[metricName(ofAdmitted: application), default: 0] += count
        }
        for tallies in withEveryShard({ $0.tallies }) {
            for (application, tally) in tallies {
                figures.channels[names.name(.pusher, application), default: .init()] += tally
            }
        }
        for application in pubnub.applications {
            figures.messagesPublished[application.slot, default: 0] += application.publishedCount
        }
        for (application, slot) in zip(nexconn.applications, chatSlots) {
            figures.chatMessages[slot, default: 0] += application.messageCount
        }
        for (application, counts) in webhooks.counts {
            figures.webhooks[names.name(.pusher, application), default: .init()] += counts
        }
        for (key, counts) in nexconn.webhookCounts {
            figures.webhooks[names.name(.chat, key), default: .init()] += counts
        }
    }

    private func metricName(ofAdmitted application: String) -> MetricNames.Name {
        guard let key = NexconnApplication.key(ofAdmitted: application) else { return names.name(.pusher, application) }
        return names.name(.chat, key)
    }
}

// MARK: - Readiness

/// Why a server wants no more connections for now.
enum Unreadiness: String, Hashable, Sendable {
    /// It is about to stop.
    case draining
    /// It has as many connections as it may have.
    case full
}

extension ServerCore {
    /// Empty when connections are welcome (rule ME-10).
    var readiness: [Unreadiness] {
        admission.withLockedValue { admission in
            var reasons: [Unreadiness] = []
            if admission.isDraining { reasons.append(.draining) }
            if admission.connections >= admission.maximumConnections { reasons.append(.full) }
            return reasons
        }
    }
}
