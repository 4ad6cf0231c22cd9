import ServerRuntime
import ServerValues

/// Identifies who tries to log in: by address and session.
package struct LoginVisitor: Hashable, Sendable {
    /// The address of the client; nil when it is not known.
    package var address: RemoteAddress?
    /// The id of the valid session in the request; nil without one.
    package var session: String?

    package init(address: RemoteAddress?, session: String? = nil) {
        self.address = address
        self.session = session
    }
}

/// Limits how often passwords may be tried. Its size is bounded (rule CO-13).
///
/// Each address and each session has its own limit. Unknown addresses also share two limits: one for the first attempts of an address, one
/// for all later attempts, so that addresses that continue to guess do not block new addresses. Sessions, and addresses that have logged in
/// before, have only their own limits.
package struct LoginLimiter: Sendable {
    private enum Visitor: Hashable, Sendable {
        case address(RemoteAddress)
        case session(String)
    }

    private struct Attempts: Sendable {
        var bucket: TokenBucket
        var last: MonotonicInstant
        /// How many passwords the address has tried in its present period of ``firstsTime``.
        var count = 0
        var begun: MonotonicInstant

        init(at now: MonotonicInstant) {
            (last, begun) = (now, now)
            bucket = TokenBucket(burst: LoginLimiter.burst, at: LoginLimiter.slow(now))
        }
    }

    /// How many passwords one session or one address (one IPv6 network) may try at once. One more password is allowed every ten seconds.
    package static let burst = 6
    package static let pause = Duration.seconds(10)
    /// The number of attempts to log in that an address has at the beginning of each period of ``firstsTime`` before its attempts count as
    /// later ones. First and later attempts have limits of their own.
    package static let firsts = 3
    package static let firstsTime = Duration.seconds(600)
    /// How many first attempts to log in all unknown addresses together may make at once.
    package static let burstOfFirsts = 60
    package static let firstsPerSecond = 4
    /// How many later attempts to log in all unknown addresses together may make at once. The limit is low, because hashing a password
    /// takes memory and time.
    package static let burstOfAll = 30
    package static let perSecondOfAll = 2
    /// The largest number of unknown addresses whose attempts to log in are counted separately. Attempts of further addresses count as
    /// first attempts.
    package static let capacity = 16_384
    /// The largest number of stored visitors: addresses that have logged in, and sessions that try a password. When it is exceeded, the
    /// visitor that has not tried a password for the longest time is removed.
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

    /// Whether a visitor has a session, or an address from which somebody has logged in before.
    package func isKnown(_ visitor: LoginVisitor) -> Bool {
        visitor.session != nil || visitor.address.map { known[.address($0)] != nil } == true
    }

    /// Counts an attempt of a visitor to log in.
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

    /// Records a successful login: the address is known from now on, and its earlier attempts to log in no longer count.
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

    /// Counts an attempt to log in against the visitor's own limit. Returns after how many seconds to retry; nil when the attempt is
    /// allowed.
    private static func take(_ attempts: inout Attempts, at now: MonotonicInstant) -> Int? {
        attempts.last = now
        let wait = attempts.bucket.take(1, perSecond: 1, burst: burst, at: slow(now))
        return wait == .zero ? nil : max(Int((wait * 10).components.seconds), 1)
    }

    /// Counts an attempt to log in against a limit that all unknown addresses share. Returns after how many seconds to retry; nil when the
    /// attempt is allowed.
    private static func share(_ bucket: inout TokenBucket, rate: Int, burst: Int, at now: MonotonicInstant) -> Int? {
        bucket.take(perSecond: rate, burst: burst, at: now) ? nil : 1
    }

    /// Divides the time by ten for the rate limit of a visitor. The limit allows one attempt every ten seconds, but ``TokenBucket`` needs a
    /// whole number per second.
    private static func slow(_ now: MonotonicInstant) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: now.nanoseconds / 10)
    }

    /// If the table of unknown addresses is full, removes addresses whose present period of ``firstsTime`` has ended.
    private mutating func makeRoom(at now: MonotonicInstant) {
        guard strangers.count >= Self.capacity else { return }
        strangers = strangers.filter { now.since($0.value.begun) < Self.firstsTime }
    }
}
