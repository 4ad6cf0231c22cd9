/// The received message numbers of one subscriber in a channel; numbers begin with 0.
struct SequenceLedger: Sendable {
    /// How many different messages have arrived.
    private(set) var received = 0
    /// How many repetitions have arrived.
    private(set) var duplicates = 0
    /// How many messages arrived after a message with a higher number.
    private(set) var late = 0
    /// One more than the highest number that has arrived.
    private(set) var next = 0
    /// The missing numbers below `next`, in order. Grows only with the number of gaps.
    private var holes: [Range<Int>] = []

    mutating func note(_ number: Int) {
        if number >= next {
            if number > next { holes.append(next..<number) }
            next = number + 1
            received += 1
            return
        }
        guard let index = holes.firstIndex(where: { $0.contains(number) }) else {
            duplicates += 1
            return
        }
        let hole = holes[index]
        let rest = [hole.lowerBound..<number, number + 1..<hole.upperBound].filter { !$0.isEmpty }
        holes.replaceSubrange(index...index, with: rest)
        received += 1
        late += 1
    }

    /// The numbers below `end` that have not arrived.
    func missing(below end: Int) -> [Range<Int>] {
        let known = holes.map { $0.clamped(to: 0..<max(end, 0)) }.filter { !$0.isEmpty }
        return next < end ? known + [next..<end] : known
    }
}
