import NIOConcurrencyHelpers
import RealtimeHub

/// The limits on the calls of one application: used nonces, and rates (rules NA-2 and NA-3).
final class ServerAPIRateLimiter: Sendable {
    /// Calls that share one quota.
    enum Quota: Hashable, Sendable {
        case calls(NexconnAPIRoute)
        /// Direct messages, by receivers, and changes of their metadata: in a minute.
        case directMessages
        /// Messages to groups and changes of their metadata: in a second.
        case groupMessages
    }

    private struct State: Sendable {
        var calls = NexconnAPIReplays()
        /// When each quota would be unused again, ns.
        var busyUntil: [Quota: Int64] = [:]
    }

    private let state = NIOLockedValueBox(State())
    /// The time since which signatures are remembered; nil when there were no calls before.
    private let start: MonotonicInstant?

    /// - Parameter start: the time of now; nil when no server has begun with this store before, so that all calls are remembered.
    init(since start: MonotonicInstant?) {
        self.start = start
    }

    /// Whether a call may have been made before signatures were remembered: before the server started, or to the leader before this one
    /// (rule NA-8).
    ///
    /// - Parameter age: milliseconds since the call was signed, by its own timestamp.
    func mayPrecede(age: Int64, at now: MonotonicInstant) -> Bool {
        guard let start else { return false }
        // Both ends of the age are cut to whole milliseconds.
        return age > (now.nanoseconds - start.nanoseconds) / 1_000_000 + 1
    }

    /// Records the signature of a call. False when it was used before, or is too old to be certain.
    func admit(signature: String, timestamp: Int64, at now: Int64) -> Bool {
        state.withLockedValue { $0.calls.admit(signature, timestamp: timestamp, at: now) }
    }

    /// Counts something against a quota, or says after how many milliseconds there is room.
    ///
    /// - Parameter callsPerSecond: what an ordinary address may be called; the other quotas are in proportion to it.
    func spend(_ count: Int = 1, of quota: Quota, callsPerSecond: Int, at now: MonotonicInstant) -> Int? {
        let calls = Int64(max(callsPerSecond, 1))
        let (limit, period): (Int64, Int64) =
            switch quota {
            case .calls(.issueToken): (2 * calls, 1_000_000_000)
            case .calls: (calls, 1_000_000_000)
            case .directMessages: (60 * calls, 60_000_000_000)
            case .groupMessages: (max(calls / 5, 1), 1_000_000_000)
            }
        let now = now.nanoseconds
        return state.withLockedValue { state in
            let start = max(state.busyUntil[quota] ?? now, now)
            let end = start + period / limit * Int64(count)
            // However small a quota is, one call fits when nothing else was asked.
            guard end - now <= period || start == now else { return Int((end - now - period + 999_999) / 1_000_000) }
            state.busyUntil[quota] = end
            return nil
        }
    }
}

/// Signatures of calls, for as long as their timestamps would be accepted.
///
/// A signature stands for its nonce and timestamp together: nonces alone come again by chance. Bounded: when there are too many, what
/// is oldest is forgotten, and calls of that time are refused from then on.
struct NexconnAPIReplays: Sendable {
    /// How far a timestamp may be off, ms: five minutes.
    static let tolerance: Int64 = 300_000
    /// Signatures that are remembered.
    static let limit = 1 << 20

    private struct Mark: Hashable, Sendable {
        var high: UInt64
        var low: UInt64
    }

    /// The marks by timestamp, in slices of ten seconds.
    private var slices: [Int64: Set<Mark>] = [:]
    private var count = 0
    private var floor = Int64.min
    private let limit: Int

    init(limit: Int = Self.limit) {
        self.limit = limit
    }

    mutating func admit(_ signature: String, timestamp: Int64, at now: Int64) -> Bool {
        let slice = timestamp / 10_000
        guard slice >= floor, let mark = Self.mark(signature), slices[slice]?.contains(mark) != true else { return false }
        slices[slice, default: []].insert(mark)
        count += 1
        while let oldest = slices.keys.min(), count > limit || oldest < (now - Self.tolerance) / 10_000 {
            count -= slices.removeValue(forKey: oldest)?.count ?? 0
            floor = oldest + 1
        }
        return slice >= floor
    }

    /// 128 of its 160 bits.
    private static func mark(_ signature: String) -> Mark? {
        guard signature.utf8.count == 40, let high = UInt64(signature.prefix(16), radix: 16),
            let low = UInt64(signature.dropFirst(16).prefix(16), radix: 16)
        else { return nil }
        return Mark(high: high, low: low)
    }
}
