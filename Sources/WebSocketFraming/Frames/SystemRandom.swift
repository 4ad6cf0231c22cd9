/// The system's random numbers, from a value that is not empty.
///
/// Two empty generators on two threads can have one address, which the Thread Sanitizer takes for a race between them.
public struct SystemRandom: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()
    /// How many numbers were drawn; gives the value an address of its own.
    private var drawn: UInt64 = 0

    public init() {}

    public mutating func next() -> UInt64 {
        drawn &+= 1
        return system.next()
    }
}
