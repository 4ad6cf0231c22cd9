import NIOCore
import ServerValues

/// The two clocks of a server, replaceable in tests.
public struct ServerClock: Sendable {
    /// The time for deadlines. It never goes back.
    public var monotonic: @Sendable () -> MonotonicInstant
    /// Seconds since 1970, for the timestamps that requests are signed with, and for nothing else.
    public var unixSeconds: @Sendable () -> Int
    /// Units of 100 ns since 1970, for timetokens. May go back: tokens never do.
    public var unixTicks: @Sendable () -> UInt64

    /// Clocks, such as for tests. The closures are called on any thread.
    public init(
        monotonic: @escaping @Sendable () -> MonotonicInstant, unixSeconds: @escaping @Sendable () -> Int,
        unixTicks: @escaping @Sendable () -> UInt64 = Self.systemTicks
    ) {
        self.monotonic = monotonic
        self.unixSeconds = unixSeconds
        self.unixTicks = unixTicks
    }

    /// The machine's clocks.
    public static let system = ServerClock(
        monotonic: { MonotonicInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) },
        unixSeconds: { Int(systemTicks() / TimetokenClock.ticksPerSecond) })

    /// The machine's time of day in units of 100 ns.
    public static let systemTicks: @Sendable () -> UInt64 = ServerValues.systemTicks
}
