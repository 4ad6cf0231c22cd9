/// Gives out timetokens: units of 100 ns since 1970 that strictly increase, whatever the clock of the machine does.
///
/// While the machine's clock is behind what was given out, tokens follow each other by one unit (rule HB-20). A server whose store
/// is durable reserves ahead, so that one that starts again never repeats a token (rule HB-21):
/// ```
/// var clock = TimetokenClock(after: highestOfBefore, reserves: true)
/// if let limit = clock.reservation(at: now) {           // before serving, and from time to time
///     try await store.reserve(idsUpTo: limit)
///     clock.confirm(limit)
/// }
/// ```
/// One clock serves all applications of a service; its owner guards it.
public struct TimetokenClock: Sendable {
    /// Units in a second.
    public static let ticksPerSecond: UInt64 = 10_000_000
    /// Units in a millisecond.
    public static let ticksPerMillisecond = ticksPerSecond / 1_000
    /// How far a reservation reaches: 10 s. After a crash tokens may run ahead of the clock by as much.
    public static let reservationSpan = 10 * ticksPerSecond
    /// How far servers may push the clock ahead: a day.
    public static let furthestAdvance = 86_400 * ticksPerSecond
    /// How far a client's cursor may move the tokens of its application ahead of the clock: 3 s, well within a reservation.
    package static let furthestCursor = 3 * ticksPerSecond
    /// How far a cursor may be ahead of a node's clock and still be taken for one that another node of the cluster gave out: a minute.
    package static let furthestSkew = 60 * ticksPerSecond

    /// The last token given out, or the highest of before the start.
    public private(set) var last: UInt64
    /// The highest token that is known: `last`, or a higher one of an application that is ahead of the others.
    package private(set) var highest: UInt64
    private var reserved: UInt64
    private var asked: UInt64?
    /// The smallest difference between consecutive tokens.
    private let step: UInt64
    private let share: TimetokenShare

    /// A clock.
    ///
    /// - Parameters:
    ///   - highest: the highest token of the store; tokens begin after it.
    ///   - reserves: whether a store remembers reservations. Without one nothing has to be reserved.
    public init(after highest: UInt64 = 0, reserves: Bool = false) { self.init(after: highest, reserves: reserves, step: 1) }

    /// A clock whose tokens are at least `step` units from each other. With 2 there is a time between any token and the next one
    /// (rule HB-22).
    ///
    /// - Parameter share: the tokens that it may give out. Each is the first one of the share that is not behind the time.
    package init(after highest: UInt64, reserves: Bool, step: UInt64, share: TimetokenShare = .all) {
        self.step = step
        self.share = share
        last = min(highest, UInt64(Int64.max) / 2)
        self.highest = last
        reserved = reserves ? last : .max
    }

    /// The next token.
    ///
    /// Where reservations come late, tokens first use up what is reserved and then go beyond: a full disk must not stop a server
    /// (rule HB-21).
    public mutating func next(at unixTicks: UInt64) -> UInt64 {
        let following = last + step
        // While the next reservation is late, a clock that was idle continues in the last second of the present one, which leaves ten million
        // tokens: tokens must not be far behind the time of day.
        let latest = unixTicks > reserved && last < reserved ? reserved - min(reserved, Self.ticksPerSecond) : unixTicks
        last = share.first(from: max(following, latest))
        highest = max(highest, last)
        return last
    }

    /// The next token of an application that may be ahead of the others, which do not follow it (rule HB-22).
    ///
    /// - Parameter floor: the application's last token, or the cursor of a client that it has to pass.
    package mutating func next(at unixTicks: UInt64, after floor: UInt64) -> UInt64 {
        let token = next(at: unixTicks)
        guard floor < UInt64(Int64.max), token < floor + step else { return token }
        let following = share.first(from: floor + step)
        highest = max(highest, following)
        return following
    }

    /// Notes a token that another process has given out. Beyond 63 bits there are none, whatever that process says (rule HB-20).
    package mutating func note(_ token: UInt64) {
        highest = max(highest, min(token, UInt64(Int64.max)))
    }

    /// The limit to have reserved now, or nil when enough is reserved or asked for.
    ///
    /// Cheap enough for every publish. After a non-nil answer call `confirm` or `reservationFailed`.
    public mutating func reservation(at unixTicks: UInt64) -> UInt64? {
        // Behind the clock tokens follow it; ahead of it they advance by single units, for which a second's worth is plenty.
        guard asked == nil, reserved != .max,
            reserved < max(unixTicks + Self.reservationSpan / 2, highest + Self.ticksPerSecond / 2)
        else { return nil }
        let limit = max(unixTicks + Self.reservationSpan, highest + Self.ticksPerSecond)
        asked = limit
        return limit
    }

    /// Tokens up to `limit` may be given out: the store remembers.
    public mutating func confirm(_ limit: UInt64) {
        asked = nil
        if reserved != .max { reserved = max(reserved, limit) }
    }

    /// The store could not save the reservation; `reservation` returns it again the next time.
    public mutating func reservationFailed() {
        asked = nil
    }

    /// Moves all applications past a token that a server knows, never past one that a client sends (rule HB-22).
    ///
    /// - Returns: false, without a change, for tokens more than a day ahead of the clock.
    public mutating func advance(past cursor: UInt64, at unixTicks: UInt64) -> Bool {
        guard cursor > last else { return true }
        guard cursor <= unixTicks || cursor - unixTicks <= Self.furthestAdvance else { return false }
        last = cursor
        highest = max(highest, cursor)
        return true
    }
}
