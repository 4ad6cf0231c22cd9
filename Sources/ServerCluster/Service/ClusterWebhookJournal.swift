import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerValues

/// Stores the webhook events of one service in a map of the store, for the next leader (rules CR-43 to CR-45).
///
/// All writes go through the leader's output. So an event that a request has caused is in one batch with the request's other effects, and
/// the store refuses writes of a former leader.
package final class ClusterWebhookJournal: WebhookJournal {
    /// The limits of the stored events of one service. Events beyond these limits are not stored, so only the present leader can send them.
    package struct Limits: Hashable, Sendable {
        package var events = 100_000
        package var bytes = 64 << 20
        /// How long stored events of a previous leader wait for an application that is missing in this leader's configuration. The time
        /// begins with the start of this leader. At its end, the events are dropped.
        package var patience = Duration.seconds(300)

        package init() {}
    }

    private struct State: Sendable {
        var last: UInt64 = 0
        /// The sizes of the stored events in bytes, by the number of the event.
        var sizes: [UInt64: Int] = [:]
        var bytes = 0
        var unclaimed: [Identifier: [KeptWebhookEvent]] = [:]
        /// When the previous leader's events were read. The ``unclaimed`` ones have been waiting for their application since then.
        var began: MonotonicInstant
        var isFull = false
    }

    private let output: any ClusterOutput
    private let service: ClusterServiceID
    private let key: StoreKey
    private let clock: ServerClock
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let limits: Limits
    private let state: NIOLockedValueBox<State>

    /// The bytes that the store needs for an event in addition to its content.
    private static let overhead = 160
    /// The number of fields of the map that are read from the store at a time.
    private static let page = 50

    /// Reads the events that the previous leader has stored and not removed.
    ///
    /// - Parameter key: the key of the map, which only this service uses.
    package init(
        _ context: ClusterLeaderContext, of service: ClusterServiceID, key: StoreKey, clock: ServerClock, logger: Logger,
        limits: Limits = Limits()
    ) async throws(StoreFailure) {
        output = context.output
        self.service = service
        self.key = key
        self.clock = clock
        self.logger = logger
        self.limits = limits
        eventLoop = context.eventLoop
        var state = State(began: clock.monotonic())
        var found: [KeptWebhookEvent] = []
        var unreadable: Set<StoreWord> = []
        let now = Self.milliseconds(clock)
        try await context.store.entries(of: key, page: Self.page) { field, value in
            // A number above `Int64.max` counts as unreadable, because later numbers must be greater and still fit (rule CR-42).
            guard let number = UInt64(String(buffer: field)), number <= UInt64(Int64.max),
                let kept = try? KeptWebhookEvent(value, number: number, at: now)
            else {
                unreadable.insert(.bytes(field))
                return
            }
            // A map that is read in pages may return a field twice.
            guard state.sizes[number] == nil else { return }
            let size = value.readableBytes + Self.overhead
            state.sizes[number] = size
            state.bytes += size
            state.last = max(state.last, number)
            found.append(kept)
        }
        found.sort { ($0.event.number ?? 0) < ($1.event.number ?? 0) }
        state.unclaimed = Dictionary(grouping: found, by: \.application)
        self.state = NIOLockedValueBox(state)
        if !found.isEmpty {
            logger.notice("sending webhook events that the previous leader has stored", metadata: ["events": "\(found.count)"])
        }
        guard !unreadable.isEmpty else { return }
        logger.warning(
            "webhook events dropped without delivery",
            metadata: ["events": "\(unreadable.count)", "reason": "they cannot be decoded: another version stored them"])
        output.write([.removeFields(key, Array(unreadable))], of: service)
    }

    private static func milliseconds(_ clock: ServerClock) -> Int64 { Int64(clamping: clock.unixTicks() / 10_000) }

    package func keep(_ event: WebhookEvent, of application: Identifier, for receiver: WebhookReceiverName) -> UInt64? {
        let record = KeptWebhookRecord(
            since: Self.milliseconds(clock), application: application, receiver: receiver, event: event)
        let value = record.encoded()
        let size = value.readableBytes + Self.overhead
        let (number, isFirst) = state.withLockedValue { state -> (UInt64?, Bool) in
            guard state.sizes.count < limits.events, state.bytes + size <= limits.bytes else {
                defer { state.isFull = true }
                return (nil, !state.isFull)
            }
            state.last += 1
            state.sizes[state.last] = size
            state.bytes += size
            return (state.last, false)
        }
        if isFirst {
            logger.warning(
                "storage limit of webhook events reached: further ones are lost if this leader fails",
                metadata: ["events": "\(limits.events)", "bytes": "\(limits.bytes)"])
        }
        guard let number else { return nil }
        output.write([.put(key, .text("\(number)"), value: .bytes(value))], of: service)
        return number
    }

    package func forget(_ numbers: [UInt64]) {
        guard !numbers.isEmpty else { return }
        state.withLockedValue { state in
            for number in numbers { state.bytes -= state.sizes.removeValue(forKey: number) ?? 0 }
            // The journal counts as full until it is half empty. Otherwise a service at the limit would cause a log entry for each event.
            if state.bytes < limits.bytes / 2, state.sizes.count < limits.events / 2 { state.isFull = false }
        }
        output.write([.removeFields(key, numbers.map { .text("\($0)") })], of: service)
    }

    package func claim(_ application: Identifier) -> [KeptWebhookEvent] {
        state.withLockedValue { $0.unclaimed.removeValue(forKey: application) } ?? []
    }

    package var unclaimed: [Identifier] { state.withLockedValue { Array($0.unclaimed.keys) } }

    package func expire() -> [Identifier: Int] {
        let now = clock.monotonic()
        let expired = state.withLockedValue { state -> [Identifier: [KeptWebhookEvent]] in
            guard !state.unclaimed.isEmpty, now.since(state.began) >= limits.patience else { return [:] }
            defer { state.unclaimed = [:] }
            return state.unclaimed
        }
        guard !expired.isEmpty else { return [:] }
        let counts = expired.mapValues(\.count)
        logger.warning(
            "webhook events dropped without delivery",
            metadata: ["events": "\(counts.values.reduce(0, +))", "reason": "no receiver is configured"])
        forget(expired.values.flatMap { $0 }.compactMap(\.event.number))
        return counts
    }

    /// Waits for at most `limit` until all pending additions and deletions have been written to the store, or have failed.
    package func settle(within limit: Duration = .seconds(1)) async {
        let promise = eventLoop.makePromise(of: Void.self)
        let timeout = eventLoop.scheduleTask(in: TimeAmount(limit)) { promise.succeed() }
        output.write([], of: service) { _ in promise.succeed() }
        // This cannot throw: the promise never fails.
        try? await promise.futureResult.get()
        timeout.cancel()
    }
}

/// The stored form of a webhook event that was not delivered yet.
private struct KeptWebhookRecord: CodedValue {
    /// The Unix time in milliseconds at which the event was made.
    var since: Int64
    var application: Identifier
    var receiver: WebhookReceiverName
    var event: WebhookEvent

    var expectedLength: Int { event.body.count + event.key.utf8.count + event.topic.utf8.count + 128 }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        try fields.version(1)
        let (since, application) = (try fields.field(1, value?.since), try fields.field(2, value?.application))
        let (name, topic) = (try fields.field(3, value?.receiver.text), try fields.field(4, value?.event.topic))
        let (key, ordinal) = (try fields.field(5, value?.event.key), try fields.field(6, value?.receiver.ordinal))
        return Self(
            since: since, application: application, receiver: WebhookReceiverName(text: name, ordinal: ordinal),
            event: WebhookEvent(topic: topic, key: key, body: try fields.field(7, value?.event.body)))
    }
}

extension KeptWebhookEvent {
    /// - Parameter now: the current Unix time in milliseconds.
    fileprivate init(_ value: ByteBuffer, number: UInt64, at now: Int64) throws(ClusterCodingError) {
        var record = try KeptWebhookRecord(decoding: value)
        record.event.number = number
        // An event's age must be at least 0, even if the clock was set back since the event was stored.
        let age = now.subtractingReportingOverflow(record.since)
        self.init(
            application: record.application, receiver: record.receiver, event: record.event,
            age: .milliseconds(age.overflow ? 0 : max(age.partialValue, 0)))
    }
}
