import NIOCore
import ServerValues

/// The clocks of a server: monotonic time for deadlines, and Unix time. Tests can replace them.
public struct ServerClock: Sendable {
    /// The monotonic time, for deadlines. It never goes back.
    public var monotonic: @Sendable () -> MonotonicInstant
    /// Seconds since 1970, only for comparing the timestamps of signed requests.
    public var unixSeconds: @Sendable () -> Int
    /// Units of 100 ns since 1970, for timetokens. This clock may go back, but timetokens never do.
    public var unixTicks: @Sendable () -> UInt64

    /// Makes a clock from three closures, for example for tests. The closures are called on any thread.
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

    /// The machine's Unix time in units of 100 ns.
    public static let systemTicks: @Sendable () -> UInt64 = ServerValues.systemTicks
}
