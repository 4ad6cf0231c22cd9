/// The SplitMix64 random number generator. The same seed gives the same sequence on every platform.
///
/// Not for secrets. The driver seeds it from the system's generator; tests and the simulator pass a fixed seed, so that even jitter is
/// reproducible.
public struct SeededRandom: RandomNumberGenerator, Hashable, Sendable {
    @usableFromInline var state: UInt64

    @inlinable public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A duration drawn evenly from `range`, in nanosecond steps.
    public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
        let low = range.lowerBound.clampedNanoseconds
        let high = range.upperBound.clampedNanoseconds
        return .nanoseconds(Int64.random(in: low...high, using: &self))
    }
}
