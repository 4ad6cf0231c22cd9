import ServerRuntime
import ServerValues

/// How often a password may be tried: a value of bounded size (rule CO-13).
package struct LoginLimiter: Sendable {
    private struct Attempts: Sendable {
        var bucket: TokenBucket
        var last: MonotonicInstant
    }

    /// Of one address, or one network of IPv6: so many at once, and one more in every ten seconds.
    package static let burst = 6
    package static let pause = Duration.seconds(10)
    /// Of all addresses together: hashing takes the server's memory and time.
    package static let burstOfAll = 30
    package static let perSecondOfAll = 2
    /// Addresses that are told apart. Those that come when the table is full share the limit of all.
    package static let capacity = 1_024

    private var addresses: [RemoteAddress: Attempts] = [:]
    private var all: TokenBucket

    package init(at now: MonotonicInstant) {
        all = TokenBucket(burst: Self.burstOfAll, at: now)
    }

    package var count: Int { addresses.count }

    /// Counts an attempt.
    ///
    /// - Returns: after how many seconds to try again; nil when the attempt may be made.
    package mutating func attempt(from address: RemoteAddress?, at now: MonotonicInstant) -> Int? {
        // Seconds of the bucket are ten of the clock's, since its rates are whole numbers.
        let slow = MonotonicInstant(nanoseconds: now.nanoseconds / 10)
        if let address {
            if addresses[address] == nil { makeRoom(at: now) }
            if addresses[address] != nil || addresses.count < Self.capacity {
                var attempts = addresses[address] ?? Attempts(bucket: TokenBucket(burst: Self.burst, at: slow), last: now)
                let wait = attempts.bucket.take(1, perSecond: 1, burst: Self.burst, at: slow)
                attempts.last = now
                addresses[address] = attempts
                guard wait == .zero else { return max(Int((wait * 10).components.seconds), 1) }
            }
        }
        guard all.take(perSecond: Self.perSecondOfAll, burst: Self.burstOfAll, at: now) else { return 1 }
        return nil
    }

    /// Somebody knew the password: earlier attempts are forgiven.
    package mutating func succeed(from address: RemoteAddress?) {
        if let address { addresses[address] = nil }
    }

    /// Forgets addresses whose buckets are full again.
    private mutating func makeRoom(at now: MonotonicInstant) {
        guard addresses.count >= Self.capacity else { return }
        let full = Self.pause * Self.burst
        addresses = addresses.filter { now.since($0.value.last) < full }
    }
}
