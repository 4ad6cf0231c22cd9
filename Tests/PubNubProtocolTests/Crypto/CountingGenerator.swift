/// Gives the bytes 0, 1, 2, …, one for each random byte that is drawn.
struct CountingGenerator: RandomNumberGenerator {
    private var drawn: UInt64 = 0

    mutating func next() -> UInt64 {
        defer { drawn += 1 }
        // The standard library takes the low byte of a word for a byte of the full range.
        return drawn
    }
}
