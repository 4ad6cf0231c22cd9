import LifelineServer
import NIOConcurrencyHelpers
import ServerValues

/// Both clocks of a server, moved by hand.
final class ManualClock: Sendable {
    private let state = NIOLockedValueBox((nanoseconds: Int64(1_000_000_000), unixTicks: UInt64(16_000_000_000_000_000)))

    var clock: ServerClock {
        ServerClock(
            monotonic: { MonotonicInstant(nanoseconds: self.state.withLockedValue { $0.nanoseconds }) },
            unixSeconds: { Int(self.state.withLockedValue { $0.unixTicks } / 10_000_000) },
            unixTicks: { self.state.withLockedValue { $0.unixTicks } })
    }

    /// As ``clock``, with the system's time of day, by which signatures are judged.
    var withTimeOfDay: ServerClock {
        let system = ServerClock.system
        return ServerClock(
            monotonic: clock.monotonic, unixSeconds: system.unixSeconds, unixTicks: system.unixTicks)
    }

    /// Time passes.
    func advance(by seconds: Int64) {
        state.withLockedValue {
            $0.nanoseconds += seconds * 1_000_000_000
            $0.unixTicks += UInt64(seconds) * 10_000_000
        }
    }

    /// Somebody sets the time of day back.
    func setBack(by seconds: UInt64) {
        state.withLockedValue { $0.unixTicks -= seconds * 10_000_000 }
    }
}
