import NIOCore
import RealtimeHub

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The two clocks of a server, replaceable in tests.
public struct ServerClock: Sendable {
    /// Decides what is due. Never goes back.
    public var monotonic: @Sendable () -> HubInstant
    /// Seconds since 1970, for the timestamps that requests are signed with, and for nothing else.
    public var unixSeconds: @Sendable () -> Int

    public init(monotonic: @escaping @Sendable () -> HubInstant, unixSeconds: @escaping @Sendable () -> Int) {
        self.monotonic = monotonic
        self.unixSeconds = unixSeconds
    }

    /// The machine's clocks.
    public static let system = ServerClock(
        monotonic: { HubInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) },
        unixSeconds: { Int(time(nil)) })
}
