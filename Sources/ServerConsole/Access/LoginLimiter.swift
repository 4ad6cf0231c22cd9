import ServerRuntime
import ServerValues

/// The origin of attempts to log in.
package struct LoginVisitor: Hashable, Sendable {
    /// The address; nil when it is not known.
    package var address: RemoteAddress?
    /// The id of the valid session in the request.
    package var session: String?

    package init(address: RemoteAddress?, session: String? = nil) {
        self.address = address
        self.session = session
    }
}

/// Limits how often a password may be tried: a value of bounded size (rule CO-13).
///
/// Each visitor has a separate limit. Strangers share two further limits: one for the first attempts of an address, one for all
/// later ones, so that addresses that continue to guess do not keep new ones out. Sessions and addresses that have logged in before
/// share no limit.
package struct LoginLimiter: Sendable {
    private enum Visitor: Hashable, Sendable {
        case address(RemoteAddress)
        case session(String)
    }

    private struct Attempts: Sendable {
        var bucket: TokenBucket
        var last: MonotonicInstant
        /// The number of attempts in the address's present period of ``firstsTime``.
        var count = 0
        var begun: MonotonicInstant

        init(at now: MonotonicInstant) {
            (last, begun) = (now, now)
            bucket = TokenBucket(burst: LoginLimiter.burst, at: LoginLimiter.slow(now))
        }
    }

    /// The burst of attempts of one address (one IPv6 network) or session; one more is allowed every ten seconds.
    package static let burst = 6
    package static let pause = Duration.seconds(10)
    /// The number of first attempts of an address within ``firstsTime``.
    package static let firsts = 3
    package static let firstsTime = Duration.seconds(600)
    /// The burst limit of all first attempts together.
    package static let burstOfFirsts = 60
    package static let firstsPerSecond = 4
    /// The burst limit of all later attempts together, because hashing takes the server's memory and time.
    package static let burstOfAll = 30
    package static let perSecondOfAll = 2
    /// The largest number of addresses that are counted separately. Attempts from further ones count as first ones.
    package static let capacity = 16_384
    /// The largest number of known addresses and sessions: addresses that have logged in, and sessions that try a password. The one
    /// that was unseen for the longest time is removed.
    package static let knownCapacity = 128

    private var strangers: [RemoteAddress: Attempts] = [:]
    private var known: [Visitor: Attempts] = [:]
    private var first: TokenBucket
    private var later: TokenBucket

    package init(at now: MonotonicInstant) {
        first = TokenBucket(burst: Self.burstOfFirsts, at: now)
        later = TokenBucket(burst: Self.burstOfAll, at: now)
    }

    /// The number of stored addresses and sessions.
    package var count: Int { strangers.count + known.count }

    /// Whether a visitor has a session, or an address from which a login succeeded before.
    package func isKnown(_ visitor: LoginVisitor) -> Bool {
        visitor.session != nil || visitor.address.map { known[.address($0)] != nil } == true
    }

    /// Counts an attempt.
    ///
    /// - Returns: after how many seconds to retry; nil when the attempt is allowed.
    package mutating func attempt(by visitor: LoginVisitor, at now: MonotonicInstant) -> Int? {
        if let session = visitor.session { return attempt(by: .session(session), at: now) }
        guard let address = visitor.address else {
            return Self.share(&later, rate: Self.perSecondOfAll, burst: Self.burstOfAll, at: now)
        }
        if known[.address(address)] != nil { return attempt(by: .address(address), at: now) }
        if strangers[address] == nil { makeRoom(at: now) }
        guard strangers[address] != nil || strangers.count < Self.capacity else {
            return Self.share(&first, rate: Self.firstsPerSecond, burst: Self.burstOfFirsts, at: now)
        }
        var attempts = strangers[address] ?? Attempts(at: now)
        if now.since(attempts.begun) >= Self.firstsTime { (attempts.begun, attempts.count) = (now, 0) }
        var wait = Self.take(&attempts, at: now)
        if wait == nil {
            attempts.count += 1
            wait =
                attempts.count <= Self.firsts
                ? Self.share(&first, rate: Self.firstsPerSecond, burst: Self.burstOfFirsts, at: now)
                : Self.share(&later, rate: Self.perSecondOfAll, burst: Self.burstOfAll, at: now)
        }
        strangers[address] = attempts
        return wait
    }

    /// Records a successful login: earlier attempts no longer count, and the address is known from now on.
    package mutating func succeed(_ visitor: LoginVisitor, at now: MonotonicInstant) {
        if let session = visitor.session { known[.session(session)] = nil }
        guard let address = visitor.address else { return }
        strangers[address] = nil
        remember(.address(address), Attempts(at: now))
    }

    private mutating func attempt(by visitor: Visitor, at now: MonotonicInstant) -> Int? {
        var attempts = known[visitor] ?? Attempts(at: now)
        let wait = Self.take(&attempts, at: now)
        remember(visitor, attempts)
        return wait
    }

    private mutating func remember(_ visitor: Visitor, _ attempts: Attempts) {
        if known[visitor] == nil, known.count >= Self.knownCapacity,
            let oldest = known.min(by: { $0.value.last < $1.value.last })?.key
        {
            known[oldest] = nil
        }
        known[visitor] = attempts
    }

    /// Counts against the visitor's own limit.
    private static func take(_ attempts: inout Attempts, at now: MonotonicInstant) -> Int? {
        attempts.last = now
        let wait = attempts.bucket.take(1, perSecond: 1, burst: burst, at: slow(now))
        return wait == .zero ? nil : max(Int((wait * 10).components.seconds), 1)
    }

    /// Takes a token from a limit that all unknown addresses share.
    private static func share(_ bucket: inout TokenBucket, rate: Int, burst: Int, at now: MonotonicInstant) -> Int? {
        bucket.take(perSecond: rate, burst: burst, at: now) ? nil : 1
    }

    /// Converts the clock's time for a visitor's bucket: ten seconds become one, because rates are whole numbers.
    private static func slow(_ now: MonotonicInstant) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: now.nanoseconds / 10)
    }

    /// Removes addresses whose next attempt counts as a first one again.
    private mutating func makeRoom(at now: MonotonicInstant) {
        guard strangers.count >= Self.capacity else { return }
        strangers = strangers.filter { now.since($0.value.begun) < Self.firstsTime }
    }
}
