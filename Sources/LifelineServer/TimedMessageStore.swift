import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// Measures how long the store takes to save and to read messages. Takes a lock once for each saved message and each read, but not for each
/// subscriber.
final class StoreTimes: Sendable {
    private let histogram = NIOLockedValueBox(LatencyHistogram())
    private let reads = NIOLockedValueBox(LatencyHistogram())
    private let clock: ServerClock

    init(clock: ServerClock) {
        self.clock = clock
    }

    /// Returns a completion that records how long the store took, counted from this call, and then calls `completion`.
    func timing(_ completion: @escaping @Sendable ((any Error)?) -> Void) -> @Sendable ((any Error)?) -> Void {
        let (start, clock, histogram) = (clock.monotonic(), clock, histogram)
        return { error in
            let time = clock.monotonic().nanoseconds - start.nanoseconds
            histogram.withLockedValue { $0.observe(nanoseconds: time) }
            completion(error)
        }
    }

    /// Records how long a read takes, whether it succeeds or fails.
    func timingRead<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let start = clock.monotonic()
        defer {
            let time = clock.monotonic().nanoseconds - start.nanoseconds
            reads.withLockedValue { $0.observe(nanoseconds: time) }
        }
        return try await body()
    }

    func write(to out: inout PrometheusText) {
        out.histogram(
            "store_append_seconds",
            help: "Time in seconds from passing a PubNub message to the store until the message was stored or refused.",
            histogram.withLockedValue { $0 })
        out.histogram(
            "store_read_seconds",
            help: "Time in seconds from requesting PubNub messages, or their number, from the store until its answer.",
            reads.withLockedValue { $0 })
    }
}

/// A message store that measures the times of another message store.
struct TimedMessageStore: MessageStore {
    let store: any MessageStore
    let times: StoreTimes

    func restore() async throws -> RestoredState { try await store.restore() }

    func restore(_ applications: Set<Identifier>) async throws -> RestoredState { try await store.restore(applications) }

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        store.append(message, with: change, application: application, completion: times.timing(completion))
    }

    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        store.commit(changes, with: messages, application: application, completion: times.timing(completion))
    }

    func reserve(timetokensUpTo limit: UInt64) async throws { try await store.reserve(timetokensUpTo: limit) }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await times.timingRead { try await store.history(query, application: application) }
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try await times.timingRead { try await store.counts(since, application: application) }
    }

    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        try await store.remove(actions: actions, of: channel, application: application)
    }

    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        try await store.delete(channel: channel, start: start, end: end, application: application)
    }

    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] { try await store.trim(limits) }

    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try await store.save(group: group, channels: channels, application: application)
    }

    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        try await store.save(access: entries, removing: keys, application: application)
    }

    func close() async { await store.close() }
}
