import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerValues
import WireCoding

/// Writes Pusher's state to the store for the next leader (rules CP-50 to CP-56), which reads it with ``RestoredRecords``.
///
/// All writes go through the log's output, so a change and the decisions that caused it are stored together.
final class LeaderRecords: Sendable {
    private let output: any ClusterOutput
    private let clock: ServerClock
    private let userOfflineGrace: Duration
    private let keys: RecordKeys
    /// The time until which the stored lists of absences and of offline users may contain entries that expire, so that they must be
    /// searched.
    private let fading = NIOLockedValueBox(MonotonicInstant(nanoseconds: .min))
    private let index = NIOLockedValueBox(CacheIndex())

    /// The index of cached events: when its last entry expires, and when expired entries are removed next.
    private struct CacheIndex: Sendable {
        var last = MonotonicInstant(nanoseconds: .min)
        var next = MonotonicInstant(nanoseconds: .min)
        var isEmpty = true
    }

    /// The interval in which expired events are removed from the index.
    private static let indexInterval: Duration = .seconds(60)
    /// A stored absence that caused no webhook event is deleted this long after its event was due. The margin is needed because the event's
    /// delay and the stored time are measured with different clocks.
    private static let absenceMargin: Duration = .seconds(2)

    init(_ output: any ClusterOutput, _ keys: RecordKeys, clock: ServerClock, userOfflineGrace: Duration) {
        self.output = output
        self.keys = keys
        self.clock = clock
        self.userOfflineGrace = userOfflineGrace
    }

    private var unixMilliseconds: Int64 { Int64(clamping: clock.unixTicks() / 10_000) }

    private func write(_ writes: StoreWrite...) {
        output.write(writes, of: .pusher)
    }

    // MARK: Subscriptions and users

    /// Stores how many subscriptions a node has to a channel.
    func keep(_ holding: KeptHolding) {
        if holding.holding.count > 0 {
            write(.put(keys.subscriptions, .bytes(holding.field), value: .bytes(holding.value)))
        } else {
            write(.removeFields(keys.subscriptions, [.bytes(holding.field)]))
        }
    }

    func keep(_ connection: SignedInConnection, of node: ClusterNode) {
        let value = connection.encoded()
        write(
            .put(keys.users, .bytes(RecordKeys.field(connection.socketID, of: node)), value: .bytes(value)),
            .removeRanked(keys.offline, [.bytes(RecordKeys.user(connection))]))
    }

    /// Removes a signed-in connection from the store, and adds its user to the list of offline users: the user may reconnect within the
    /// grace period.
    func forget(_ connection: SignedInConnection, of node: ClusterNode) {
        begin(userOfflineGrace)
        write(
            .removeFields(keys.users, [.bytes(RecordKeys.field(connection.socketID, of: node))]),
            .rank(keys.offline, .bytes(RecordKeys.user(connection)), score: unixMilliseconds))
    }

    /// Stores how many connections of an application a node has; only for applications with a limit.
    func keep(_ count: ApplicationCount, of node: ClusterNode) {
        let field = RecordKeys.connections(of: count.application, at: node)
        if count.count > 0 {
            write(.put(keys.connections, .bytes(field), value: .integer(Int64(count.count))))
        } else {
            write(.removeFields(keys.connections, [.bytes(field)]))
        }
    }

    // MARK: Cached events

    /// Stores the last event of a cache channel.
    func remember(_ message: CachedMessage, of channel: ChannelID) {
        let milliseconds = message.expires.since(clock.monotonic()).milliseconds
        guard milliseconds > 0 else { return }
        expectCached(until: message.expires)
        let now = unixMilliseconds
        let value = KeptCachedEvent(expires: now.clampedAdding(milliseconds), event: message.event, data: message.data).encoded()
        let member = channel.encoded(.sequence)
        write(
            .setFor(milliseconds: milliseconds, keys.cached(channel), .bytes(value)),
            .rank(keys.cacheIndex, .bytes(member), score: now + milliseconds),
            .removeRankedUpTo(keys.cacheIndex, score: now))
    }

    /// Records when an entry of the index of cached events expires, so that expired entries are removed in time.
    func expectCached(until expires: MonotonicInstant) {
        index.withLockedValue { index in
            index.isEmpty = false
            index.last = max(index.last, expires)
        }
    }

    private func sweepIndex() {
        let now = clock.monotonic()
        let isDue = index.withLockedValue { index in
            guard !index.isEmpty, now >= index.next else { return false }
            index.next = now.advanced(by: Self.indexInterval)
            // One second is added, because the index is cleaned by the wall clock, and `now` is monotonic.
            index.isEmpty = now > index.last.advanced(by: .seconds(1))
            return true
        }
        guard isDue else { return }
        write(.removeRankedUpTo(keys.cacheIndex, score: unixMilliseconds))
    }

    // MARK: Absences

    /// Stores a delayed webhook event, so that another leader sends it if this leader ends before it is due.
    func note(_ news: ChannelWebhookEvent.Kind, on channel: ChannelID) {
        switch news {
        case .vacated:
            begin(ChannelEventDebouncer.delay)
            write(.rank(keys.absences, .bytes(RecordKeys.absence(of: nil, from: channel)), score: unixMilliseconds))
        case .memberRemoved(let user):
            begin(ChannelEventDebouncer.delay)
            write(.rank(keys.absences, .bytes(RecordKeys.absence(of: user, from: channel)), score: unixMilliseconds))
        case .occupied: write(.removeRanked(keys.absences, [.bytes(RecordKeys.absence(of: nil, from: channel))]))
        case .memberAdded(let user):
            write(.removeRanked(keys.absences, [.bytes(RecordKeys.absence(of: user, from: channel))]))
        case .clientEvent, .cacheMiss, .subscriptionCount: break
        }
    }

    /// Deletes the stored delayed event once the event is queued for its receivers; otherwise the next leader would send it a second time.
    func strike(_ news: ChannelWebhookEvent.Kind, on channel: ChannelID) {
        switch news {
        case .vacated: write(.removeRanked(keys.absences, [.bytes(RecordKeys.absence(of: nil, from: channel))]))
        case .memberRemoved(let user):
            write(.removeRanked(keys.absences, [.bytes(RecordKeys.absence(of: user, from: channel))]))
        case .occupied, .memberAdded, .clientEvent, .cacheMiss, .subscriptionCount: break
        }
    }

    private func begin(_ delay: Duration) {
        let end = clock.monotonic().advanced(by: delay + .seconds(5))
        fading.withLockedValue { $0 = max($0, end) }
    }

    /// Deletes expired records.
    func sweep() {
        sweepIndex()
        guard clock.monotonic() < fading.withLockedValue({ $0 }) else { return }
        let now = unixMilliseconds
        write(
            .removeRankedUpTo(
                keys.absences, score: now - (ChannelEventDebouncer.delay + Self.absenceMargin).milliseconds),
            .removeRankedUpTo(keys.offline, score: now - userOfflineGrace.milliseconds))
    }
}
