/// The system's random number generator, in a struct that has a stored value.
///
/// Empty structs on two threads can have the same address, which the Thread Sanitizer reports as a race.
public struct SystemRandom: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()
    /// The number of generated numbers. This stored value gives each generator an address of its own.
    private var drawn: UInt64 = 0

    public init() {}

    public mutating func next() -> UInt64 {
        drawn &+= 1
        return system.next()
    }
}
