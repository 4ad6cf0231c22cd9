import DequeModule
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// The leader's state for writing messages of one keyset to Redis.
struct RedisKeysetWriter: Sendable {
    /// The newest timetoken in the Redis streams. Redis refuses an entry with a lower timetoken, because streams only grow at their end.
    var newest: UInt64 = 0
    /// The timetokens and sizes in bytes of the recent messages, with which readers may catch up.
    private(set) var recent = Deque<(timetoken: UInt64, bytes: Int)>()
    private(set) var recentBytes = 0
    /// Whether Redis has messages that arrived out of order. Such messages are stored outside the streams.
    var hasLate = false
    /// The counted messages of the histories; nil when messages are not counted, because the keyset limits neither messages nor bytes.
    var counted: CountedEntries?
    /// Whether the list of keysets in Redis contains this keyset.
    private var isListed = false
    /// Channels whose empty histories are being removed: how many removals are in progress, and how many messages were added since the
    /// first removal began.
    private var watched: [Identifier: (removals: Int, added: UInt64)] = [:]
    /// When the expiry of the stream of recent messages was last set in Redis, in units of 100 ns.
    private var lastExpiry: UInt64 = 0

    mutating func noteRestored(_ message: StoredMessage) {
        noteRecent(message)
        newest = max(newest, message.timetoken)
    }

    /// The writes that store one message.
    ///
    /// - Parameters:
    ///   - body: the encoded message.
    ///   - change: the message action change that the message announces; nil for other messages.
    mutating func writes(
        for message: StoredMessage, _ body: ByteBuffer, with change: MessageActionChange?, of keyset: Identifier,
        _ keys: RedisStreamKeys, _ settings: RedisStoreSettings, at now: UInt64
    ) -> [StoreWrite] {
        var writes = list(keyset, keys)
        let field = RedisMessageField(timetoken: message.timetoken, channel: message.channel).word
        if message.timetoken > newest {
            newest = message.timetoken
            let recentKey = keys.recent(keyset)
            let latest = max(now, message.timetoken)
            let horizon = latest - min(latest, settings.catchUp)
            writes.append(
                .append(recentKey, number: message.timetoken, [StoreField("m", .bytes(body))], .before(horizon)))
            if message.isStored, !settings.hasDatabase {
                if !watched.isEmpty { watched[message.channel]?.added += 1 }
                var fields = [StoreField("m", .bytes(body))]
                if let expires = message.expires {
                    fields.append(StoreField(StoreRead.expiryField, .text(RedisMessageField.digits(of: expires))))
                }
                writes.append(.append(keys.history(keyset, message.channel), number: message.timetoken, fields, nil))
                if let expires = message.expires {
                    let seconds = Int64(clamping: expires / TimetokenClock.ticksPerSecond) + 1
                    writes.append(.rank(keys.expiring(keyset), field, score: seconds))
                }
                writes += counted?.add([CountedEntries.Entry(message)], keys.counted(keyset)) ?? []
            }
            noteRecent(message)
            if let oldest = trim(before: horizon, settings) {
                writes.append(.trim(recentKey, before: oldest, isExact: false))
                writes.append(.set(keys.trimmed(keyset), .text(String(oldest - 1))))
            }
            // If the clock was set back, the expiry is set at once. Otherwise Redis would remove the stream before the next renewal (rule
            // CB-67).
            if now < lastExpiry || now - lastExpiry >= settings.catchUp / 20 {
                lastExpiry = now
                let lifetime = 2 * settings.catchUp / TimetokenClock.ticksPerMillisecond
                writes.append(.expire(recentKey, milliseconds: Int64(clamping: lifetime)))
            }
        } else {
            hasLate = true
            writes.append(.putIfAbsent(keys.late(keyset), StoreField(field, .bytes(body))))
            // A message that arrives out of order may be stored already, so it is unknown whether the number of messages grows. The count
            // is discarded, and later all messages are counted anew.
            if message.isStored, counted != nil {
                counted = nil
                writes += keys.counted(keyset).removal
            }
        }
        if let change { writes.append(Self.write(change, of: message.channel, to: keys.actions(keyset))) }
        return writes
    }

    /// Starts to record whether messages are added to the histories of these channels.
    ///
    /// - Returns: the argument for ``endWatching(_:)``.
    mutating func watch(_ channels: Set<Identifier>) -> [Identifier: UInt64] {
        for channel in channels { watched[channel, default: (0, 0)].removals += 1 }
        return channels.reduce(into: [:]) { $0[$1] = watched[$1]?.added ?? 0 }
    }

    /// Ends the recording. Returns the channels to whose histories no message was added since the recording has started.
    mutating func endWatching(_ channels: [Identifier: UInt64]) -> Set<Identifier> {
        var untouched: Set<Identifier> = []
        for (channel, added) in channels {
            guard let state = watched[channel] else { continue }
            if state.added == added { untouched.insert(channel) }
            watched[channel] = state.removals > 1 ? (state.removals - 1, state.added) : nil
        }
        return untouched
    }

    /// The write that adds the keyset to the stored list of keysets; empty after the first call.
    mutating func list(_ keyset: Identifier, _ keys: RedisStreamKeys) -> [StoreWrite] {
        guard !isListed else { return [] }
        isListed = true
        return [.add(keys.keysets, [.text(keyset.text)])]
    }

    private static func write(_ change: MessageActionChange, of channel: Identifier, to key: StoreKey) -> StoreWrite {
        switch change {
        case .added(let action):
            return .put(
                key, RedisMessageField(timetoken: action.timetoken, channel: channel).word, value: .bytes(action.encoded()))
        case .removed(let action):
            return .removeFields(key, [RedisMessageField(timetoken: action.timetoken, channel: channel).word])
        }
    }

    private mutating func noteRecent(_ message: StoredMessage) {
        recent.append((message.timetoken, message.bytes))
        recentBytes += message.bytes
    }

    /// - Returns: the timetoken before which to trim the recent messages; nil when they are within the limits.
    private mutating func trim(before horizon: UInt64, _ settings: RedisStoreSettings) -> UInt64? {
        func drop() {
            if let first = recent.popFirst() { recentBytes -= first.bytes }
        }
        while let first = recent.first, first.timetoken < horizon { drop() }
        guard recent.count > settings.recentMessages || recentBytes > settings.recentBytes else { return nil }
        // When a limit is exceeded, messages are dropped until a tenth of the limit is free, so that not every message causes a trim.
        while recent.count > settings.recentMessages / 10 * 9 || recentBytes > settings.recentBytes / 10 * 9, recent.count > 1 {
            drop()
        }
        return recent.first?.timetoken
    }
}
