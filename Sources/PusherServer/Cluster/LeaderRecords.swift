import NIOConcurrencyHelpers
import NIOCore
import RealtimeHub
import RedisClient
import ServerCluster
import ServerRuntime
import WireCoding

/// Pusher's state in Redis, from which another leader continues (rules CP-50 to CP-56). Writes only; ``RestoredRecords`` reads.
///
/// Everything is written through the log's own output, so a change and the facts that came of it are kept together.
final class LeaderRecords: Sendable {
    private let output: any ClusterOutput
    private let clock: ServerClock
    private let userOfflineGrace: Duration
    private let keys: RecordKeys
    /// The time until which the list of absent members has entries to remove.
    private let fading = NIOLockedValueBox(MonotonicInstant(nanoseconds: .min))
    private let index = NIOLockedValueBox(CacheIndex())

    /// The list of cached events: until when it has entries that expire, and when the expired ones are removed next.
    private struct CacheIndex: Sendable {
        var last = MonotonicInstant(nanoseconds: .min)
        var next = MonotonicInstant(nanoseconds: .min)
        var isEmpty = true
    }

    /// How often expired events are removed from the list.
    private static let indexInterval: Duration = .seconds(60)
    /// How long after its due time an absence is deleted that was not reported: the clocks of the delay and of the list may differ.
    private static let absenceMargin: Duration = .seconds(2)

    init(_ output: any ClusterOutput, _ keys: RecordKeys, clock: ServerClock, userOfflineGrace: Duration) {
        self.output = output
        self.keys = keys
        self.clock = clock
        self.userOfflineGrace = userOfflineGrace
    }

    private var unixMilliseconds: Int64 { Int64(clamping: clock.unixTicks() / 10_000) }

    private func write(_ commands: RedisCommand...) {
        output.write(commands, of: .pusher)
    }

    // MARK: Subscriptions and users

    /// Records how many subscriptions to a channel a node has now.
    func keep(_ holding: KeptHolding) {
        if holding.holding.count > 0 {
            write(RedisCommand("HSET", keys.subscriptions, .bytes(holding.field), .bytes(holding.value)))
        } else {
            write(RedisCommand("HDEL", keys.subscriptions, .bytes(holding.field)))
        }
    }

    func keep(_ connection: SignedInConnection, of node: ClusterNode) {
        var value = ByteBuffer()
        value.write(connection: connection)
        write(
            RedisCommand("HSET", keys.users, .bytes(RecordKeys.field(connection.socketID, of: node)), .bytes(value)),
            RedisCommand("ZREM", keys.offline, .bytes(RecordKeys.user(connection))))
    }

    /// The user may be back before watchers are notified.
    func forget(_ connection: SignedInConnection, of node: ClusterNode) {
        begin(userOfflineGrace)
        write(
            RedisCommand("HDEL", keys.users, .bytes(RecordKeys.field(connection.socketID, of: node))),
            RedisCommand("ZADD", keys.offline, .integer(unixMilliseconds), .bytes(RecordKeys.user(connection))))
    }

    /// A node has so many connections of an application with a limit.
    func keep(_ count: ApplicationCount, of node: ClusterNode) {
        let field = RecordKeys.connections(of: count.application, at: node)
        if count.count > 0 {
            write(RedisCommand("HSET", keys.connections, .bytes(field), .integer(Int64(count.count))))
        } else {
            write(RedisCommand("HDEL", keys.connections, .bytes(field)))
        }
    }

    // MARK: Cached events

    /// A cache channel remembers an event.
    func remember(_ message: CachedMessage, of channel: ChannelID) {
        let milliseconds = message.expires.since(clock.monotonic()).milliseconds
        guard milliseconds > 0 else { return }
        expectCached(until: message.expires)
        let now = unixMilliseconds
        var value = ByteBuffer()
        value.writeInteger(now.clampedAdding(milliseconds))
        value.write(text: message.event)
        value.write(text: message.data)
        var member = ByteBuffer()
        member.write(channel: channel)
        write(
            RedisCommand("SET", keys.cached(channel), .bytes(value), "PX", .integer(milliseconds)),
            RedisCommand("ZADD", keys.cacheIndex, .integer(now + milliseconds), .bytes(member)),
            RedisCommand("ZREMRANGEBYSCORE", keys.cacheIndex, "-inf", .integer(now)))
    }

    /// The list of cached events has one that expires then.
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
            // A second more, because Redis has the time of day.
            index.isEmpty = now > index.last.advanced(by: .seconds(1))
            return true
        }
        guard isDue else { return }
        write(RedisCommand("ZREMRANGEBYSCORE", keys.cacheIndex, "-inf", .integer(unixMilliseconds)))
    }

    // MARK: Absences

    /// Records an event of which webhooks are notified later, so that another leader does it if this one cannot.
    func note(_ news: ChannelWebhookEvent.Kind, on channel: ChannelID) {
        switch news {
        case .vacated:
            begin(ChannelEventDebouncer.delay)
            write(
                RedisCommand(
                    "ZADD", keys.absences, .integer(unixMilliseconds), .bytes(RecordKeys.absence(of: nil, from: channel))))
        case .memberRemoved(let user):
            begin(ChannelEventDebouncer.delay)
            write(
                RedisCommand(
                    "ZADD", keys.absences, .integer(unixMilliseconds), .bytes(RecordKeys.absence(of: user, from: channel))))
        case .occupied: write(RedisCommand("ZREM", keys.absences, .bytes(RecordKeys.absence(of: nil, from: channel))))
        case .memberAdded(let user):
            write(RedisCommand("ZREM", keys.absences, .bytes(RecordKeys.absence(of: user, from: channel))))
        case .clientEvent, .cacheMiss, .subscriptionCount: break
        }
    }

    /// Deletes a record once its event is queued for its receivers: another leader would send it a second time.
    func strike(_ news: ChannelWebhookEvent.Kind, on channel: ChannelID) {
        switch news {
        case .vacated: write(RedisCommand("ZREM", keys.absences, .bytes(RecordKeys.absence(of: nil, from: channel))))
        case .memberRemoved(let user):
            write(RedisCommand("ZREM", keys.absences, .bytes(RecordKeys.absence(of: user, from: channel))))
        case .occupied, .memberAdded, .clientEvent, .cacheMiss, .subscriptionCount: break
        }
    }

    private func begin(_ delay: Duration) {
        let end = clock.monotonic().advanced(by: delay + .seconds(5))
        fading.withLockedValue { $0 = max($0, end) }
    }

    /// Deletes the records of events that have been sent.
    func sweep() {
        sweepIndex()
        guard clock.monotonic() < fading.withLockedValue({ $0 }) else { return }
        let now = unixMilliseconds
        write(
            RedisCommand(
                "ZREMRANGEBYSCORE", keys.absences, "-inf",
                .integer(now - (ChannelEventDebouncer.delay + Self.absenceMargin).milliseconds)),
            RedisCommand("ZREMRANGEBYSCORE", keys.offline, "-inf", .integer(now - userOfflineGrace.milliseconds)))
    }
}
