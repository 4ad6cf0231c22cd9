import Testing

@testable import ChatDatabase

@Suite("Stretches without holes (CD-20)")
struct SpanSetTests {
    @Test("Stretches that overlap or touch become one")
    func merging() {
        var spans = SpanSet([10...20, 40...50])
        spans.insert(22...38)
        #expect(spans.spans == [10...20, 22...38, 40...50])
        spans.insert(21...21)
        #expect(spans.spans == [10...38, 40...50])
        spans.insert(39...60)
        #expect(spans.spans == [10...60])
        spans.insert(0...Int64.max)
        spans.insert(0...0)
        spans.insert(Int64.max...Int64.max)
        #expect(spans.spans == [0...Int64.max])
    }

    @Test("Any order of insertions gives the same as a set of numbers", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var random = SeededNumbers(seed)
        var spans = SpanSet()
        var numbers: Set<Int64> = []
        for _ in 0..<40 {
            let low = Int64.random(in: 0..<200, using: &random)
            let span = low...low + Int64.random(in: 0..<12, using: &random)
            spans.insert(span)
            numbers.formUnion(span)
            #expect(Set(spans.spans.flatMap { $0 }) == numbers)
            #expect(zip(spans.spans, spans.spans.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
            let start = Int64.random(in: 0..<220, using: &random)
            let range = start...start + Int64.random(in: 0..<30, using: &random)
            #expect(spans.lastHole(in: range) == range.last { !numbers.contains($0) })
            #expect(spans.firstHole(in: range) == range.first { !numbers.contains($0) })
        }
    }
}
