import ConnectionEngine
import NIOConcurrencyHelpers

/// A run of `bench`: connects the subscribers, publishes, waits for the remaining messages, and counts received, lost and repeated
/// messages.
struct BenchRun: Sendable {
    let plan: BenchPlan
    let api: ServerAPI
    let isSigned: Bool
    /// Called from time to time with the progress of the run.
    let progress: @Sendable (String) -> Void

    /// How many connections are made at a time.
    private static let wave = 64
    /// The time limit for making and confirming a connection.
    private static let connectLimit = Duration.seconds(30)
    /// After this time without a delivery, missing messages count as lost.
    private static let quiet = Duration.seconds(3)

    func report() async throws -> BenchReport {
        let tally = BenchTally()
        let subscribers = (0..<plan.subscribers).map { BenchSubscriber(index: $0, plan: plan, tally: tally) }
        let connections = try await connect(subscribers)
        let publisher = BenchPublisher(plan: plan, api: api, isSigned: isSigned)
        let start = Moment.now
        let watching = Task { try await watch(publisher, tally: tally, subscribers: subscribers, since: start) }
        defer { watching.cancel() }
        try await publisher.run()
        try await settle(tally, expected: publisher.expected)
        watching.cancel()
        let counts = publisher.counts
        var report = BenchReport(
            plan: plan, published: counts.published, accepted: counts.accepted, refused: counts.refused,
            unknown: counts.unknown, trouble: publisher.trouble)
        report.measure(tally, since: start)
        report.account(for: subscribers, publisher.outcomes)
        withExtendedLifetime(connections) {}
        return report
    }

    /// Connects and subscribes all subscribers, at most ``wave`` at a time.
    ///
    /// - Throws: the reason why a subscriber could not subscribe in time.
    private func connect(_ subscribers: [BenchSubscriber]) async throws -> [BenchConnection] {
        let making = BenchConnections(plan: plan, api: api, isSigned: isSigned)
        var connections: [BenchConnection] = []
        var next = subscribers.startIndex
        var pending: [(subscriber: BenchSubscriber, since: Moment)] = []
        while next < subscribers.endIndex || !pending.isEmpty {
            while pending.count < Self.wave, next < subscribers.endIndex {
                connections.append(making.open(subscribers[next]))
                pending.append((subscribers[next], .now))
                next += 1
            }
            for (subscriber, since) in pending {
                let state = subscriber.now
                let isLate = Moment.now.duration(since: since) > Self.connectLimit
                guard state.hasFailed || (isLate && !state.isSubscribed) else { continue }
                throw CommandFailure(
                    "Subscriber \(subscriber.index + 1) of \(plan.subscribers) could not subscribe: "
                        + (state.trouble?.reason ?? "the server did not confirm within \(Self.connectLimit.components.seconds) s.")
                )
            }
            pending.removeAll { $0.subscriber.now.isSubscribed }
            progress("connecting: \(connections.count - pending.count) of \(plan.subscribers)")
            if !pending.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        }
        return connections
    }

    private func watch(
        _ publisher: BenchPublisher, tally: BenchTally, subscribers: [BenchSubscriber], since start: Moment
    ) async throws {
        var last = 0
        while true {
            try await Task.sleep(for: .seconds(1))
            let (published, delivered) = (publisher.counts.published, tally.count)
            let reconnects = subscribers.reduce(0) { $0 + max(0, $1.now.connects - 1) }
            progress(
                "\(Moment.now.duration(since: start).components.seconds) s: \(published) published, \(delivered) delivered, "
                    + "\(delivered - last)/s, \(reconnects) reconnects")
            last = delivered
        }
    }

    /// Waits until all expected messages have arrived, or none has arrived for 3 s (``quiet``).
    private func settle(_ tally: BenchTally, expected: Int) async throws {
        var (count, since) = (tally.count, Moment.now)
        while count < expected, Moment.now.duration(since: since) < Self.quiet {
            try await Task.sleep(for: .milliseconds(20))
            let now = tally.count
            if now != count { (count, since) = (now, .now) }
        }
    }
}
