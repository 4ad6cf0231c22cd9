/// Assigns timetokens: units of 100 ns since 1970 that strictly increase, even if the machine's clock goes back.
///
/// While the machine's clock is behind the last assigned token, each token is one unit greater than the previous one (rule HB-20). A server
/// with a durable store reserves tokens ahead of time, so that it never repeats a token after a restart (rule HB-21):
/// ```
/// var clock = TimetokenClock(after: highestOfBefore, reserves: true)
/// if let limit = clock.reservation(at: now) {           // before serving, and from time to time
///     try await store.reserve(idsUpTo: limit)
///     clock.confirm(limit)
/// }
/// ```
/// One clock serves all applications of a service; its owner guards it with a lock.
public struct TimetokenClock: Sendable {
    /// The number of timetoken units in a second.
    public static let ticksPerSecond: UInt64 = 10_000_000
    /// The number of timetoken units in a millisecond.
    public static let ticksPerMillisecond = ticksPerSecond / 1_000
    /// How far a reservation reaches into the future: 10 s. After a crash, tokens may be ahead of the machine's clock by this time.
    public static let reservationSpan = 10 * ticksPerSecond
    /// How far ahead of the machine's clock a token of another server may move this clock: a day.
    public static let furthestAdvance = 86_400 * ticksPerSecond
    /// How far ahead of the machine's clock a timetoken from a client may move the tokens of its application: 3 s, well within a
    /// reservation.
    package static let furthestCursor = 3 * ticksPerSecond
    /// How far a client's timetoken may be ahead of a node's clock and still count as assigned by another node of the cluster: a minute.
    package static let furthestSkew = 60 * ticksPerSecond

    /// The last token that this clock assigned. Before its first token, this is the highest token that was assigned before the start.
    public private(set) var last: UInt64
    /// The highest known token: `last`, or a higher token of an application that is ahead of the others.
    package private(set) var highest: UInt64
    private var reserved: UInt64
    private var asked: UInt64?
    /// The smallest difference between two consecutive tokens.
    private let step: UInt64
    private let share: TimetokenShare

    /// Makes a clock whose tokens differ by at least one unit.
    ///
    /// - Parameters:
    ///   - highest: the highest token of the store; new tokens are greater.
    ///   - reserves: whether a store records reservations. If not, no reservations are necessary.
    public init(after highest: UInt64 = 0, reserves: Bool = false) { self.init(after: highest, reserves: reserves, step: 1) }

    /// Makes a clock whose tokens differ by at least `step` units. With a step of 2, there is a time between any token and the next one
    /// (rule HB-22).
    ///
    /// - Parameter share: the subset of tokens that the clock may assign. Each token is the first one of the subset that is not less than
    ///   the time.
    package init(after highest: UInt64, reserves: Bool, step: UInt64, share: TimetokenShare = .all) {
        self.step = step
        self.share = share
        last = min(highest, UInt64(Int64.max) / 2)
        self.highest = last
        reserved = reserves ? last : .max
    }

    /// Assigns the next token.
    ///
    /// While a reservation is late, the reserved tokens are used up first, and then tokens beyond them, because a full disk must not stop a
    /// server (rule HB-21).
    public mutating func next(at unixTicks: UInt64) -> UInt64 {
        let following = last + step
        // If no token was assigned for a while and the next reservation is late, tokens continue in the last second of the present
        // reservation. This second has ten million tokens, which are close to the present time.
        let latest = unixTicks > reserved && last < reserved ? reserved - min(reserved, Self.ticksPerSecond) : unixTicks
        last = share.first(from: max(following, latest))
        highest = max(highest, last)
        return last
    }

    /// Assigns the next token of an application that may be ahead of other applications. The tokens of other applications do not change
    /// (rule HB-22).
    ///
    /// - Parameter floor: the application's last token, or a timetoken from a client, which the new token has to exceed.
    package mutating func next(at unixTicks: UInt64, after floor: UInt64) -> UInt64 {
        let token = next(at: unixTicks)
        guard floor < UInt64(Int64.max), token < floor + step else { return token }
        let following = share.first(from: floor + step)
        highest = max(highest, following)
        return following
    }

    /// Records a token that another process has assigned. It is limited to 63 bits, whatever that process has sent (rule HB-20).
    package mutating func note(_ token: UInt64) {
        highest = max(highest, min(token, UInt64(Int64.max)))
    }

    /// Returns the token up to which to reserve now; nil when enough is reserved, or a reservation is in progress.
    ///
    /// The call is cheap enough for every publish. After a non-nil result, call `confirm` or `reservationFailed`.
    public mutating func reservation(at unixTicks: UInt64) -> UInt64? {
        // A new reservation is due when the present one ends less than 5 s after the machine's clock, or less than half a second after the
        // highest token. Half a second is enough there, because tokens ahead of the machine's clock advance by single units.
        guard asked == nil, reserved != .max,
            reserved < max(unixTicks + Self.reservationSpan / 2, highest + Self.ticksPerSecond / 2)
        else { return nil }
        let limit = max(unixTicks + Self.reservationSpan, highest + Self.ticksPerSecond)
        asked = limit
        return limit
    }

    /// Records that the store has saved the reservation, so that tokens up to `limit` may be assigned.
    public mutating func confirm(_ limit: UInt64) {
        asked = nil
        if reserved != .max { reserved = max(reserved, limit) }
    }

    /// Records that the store could not save the reservation, so that the next call of `reservation` requests one again.
    public mutating func reservationFailed() {
        asked = nil
    }

    /// Makes the tokens of all applications greater than a token of another server. Never call it with a token from a client (rule HB-22).
    ///
    /// - Returns: false, without a change, for a token that is more than a day ahead of the clock.
    public mutating func advance(past cursor: UInt64, at unixTicks: UInt64) -> Bool {
        guard cursor > last else { return true }
        guard cursor <= unixTicks || cursor - unixTicks <= Self.furthestAdvance else { return false }
        last = cursor
        highest = max(highest, cursor)
        return true
    }
}
