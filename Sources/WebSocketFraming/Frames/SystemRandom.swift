/// The system's random number generator, in a value that is not empty.
///
/// Empty generators on two threads can have the same address, which the Thread Sanitizer reports as a race.
public struct SystemRandom: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()
    /// How many numbers were drawn; gives the value a separate address.
    private var drawn: UInt64 = 0

    public init() {}

    public mutating func next() -> UInt64 {
        drawn &+= 1
        return system.next()
    }
}
