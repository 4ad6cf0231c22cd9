import NIOConcurrencyHelpers
import ServerValues

/// Limits the server API calls of one application: rates, and nonces that may be used only once (rules NA-2 and NA-3).
final class ServerAPIRateLimiter: Sendable {
    /// A kind of call with a quota of its own. All calls of one kind share the quota.
    enum Quota: Hashable, Sendable {
        case calls(ChatAPIRoute)
        /// Direct messages, counted by receivers, and changes of their metadata, per minute.
        case directMessages
        /// Messages to groups, and changes of their metadata, per second.
        case groupMessages
    }

    private struct State: Sendable {
        var calls = ChatAPIReplays()
        /// For each quota, the monotonic time in ns from which the whole quota is available, because no earlier call uses a part of it any
        /// more.
        var busyUntil: [Quota: Int64] = [:]
    }

    private let state = NIOLockedValueBox(State())
    /// The time since which the signatures of calls are recorded; nil when no call was made before the recording began.
    private let start: MonotonicInstant?

    /// - Parameter start: the current time: earlier calls may have been made without being recorded. Nil when no server has used this store
    ///   before: there were no earlier calls then.
    init(since start: MonotonicInstant?) {
        self.start = start
    }

    /// Whether a call may have been made before signatures were recorded: before the server started, or to the previous leader
    /// (rule NA-8).
    ///
    /// - Parameter age: the age of the call in milliseconds, by its own timestamp.
    func mayPrecede(age: Int64, at now: MonotonicInstant) -> Bool {
        guard let start else { return false }
        // Adds 1 ms, because the timestamp and the current time of a call are both rounded to whole milliseconds.
        return age > (now.nanoseconds - start.nanoseconds) / 1_000_000 + 1
    }

    /// Records the signature of a call. Returns false when the signature was used before, or when the call's timestamp is too old for this
    /// check.
    func admit(signature: String, timestamp: Int64, at now: Int64) -> Bool {
        state.withLockedValue { $0.calls.admit(signature, timestamp: timestamp, at: now) }
    }

    /// Counts calls against a quota. Returns nil, or the number of milliseconds until the quota has room for them.
    ///
    /// - Parameter callsPerSecond: the limit of an ordinary path; the other quotas are proportional to it.
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
            // A call is always accepted if its quota is completely unused, even if the call needs more than the quota.
            guard end - now <= period || start == now else { return Int((end - now - period + 999_999) / 1_000_000) }
            state.busyUntil[quota] = end
            return nil
        }
    }
}

/// The signatures of recent calls, kept as long as calls with their timestamps are accepted.
///
/// A signature depends on the nonce and the timestamp, so it identifies a call even if two nonces are equal by chance. The number of
/// signatures is bounded: the oldest are dropped, and from then on a call is refused if its timestamp is as old as a dropped signature.
struct ChatAPIReplays: Sendable {
    /// The largest accepted difference in ms between a call's timestamp and the server's clock: five minutes.
    static let tolerance: Int64 = 300_000
    /// The largest number of recorded signatures.
    static let limit = 1 << 20

    private struct Mark: Hashable, Sendable {
        var high: UInt64
        var low: UInt64
    }

    /// The recorded signatures by timestamp, in slices of ten seconds.
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

    /// The part of a signature that is recorded: the first 128 of its 160 bits.
    private static func mark(_ signature: String) -> Mark? {
        guard signature.utf8.count == 40, let high = UInt64(signature.prefix(16), radix: 16),
            let low = UInt64(signature.dropFirst(16).prefix(16), radix: 16)
        else { return nil }
        return Mark(high: high, low: low)
    }
}
