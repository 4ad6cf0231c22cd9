import ServerStorage
import Testing

@Suite("Spans of history (HB-40)")
struct HistorySpanTests {
    @Test(
        "The start is excluded and the end included, in either direction",
        arguments: [
            (nil, nil, false, 0...UInt64(Int64.max)), (nil, nil, true, 0...UInt64(Int64.max)),
            (50, nil, false, 0...49), (nil, 50, false, 50...UInt64(Int64.max)),
            (50, nil, true, 51...UInt64(Int64.max)), (nil, 50, true, 0...50),
            (50, 20, false, 20...49), (20, 50, false, 21...50), (20, 50, true, 21...50), (50, 20, true, 20...49),
            (19, 20, true, 20...20),
        ] as [(UInt64?, UInt64?, Bool, ClosedRange<UInt64>)])
    func bounds(start: UInt64?, end: UInt64?, isOldestFirst: Bool, expected: ClosedRange<UInt64>) throws {
        let span = try #require(HistorySpan(start: start, end: end, isOldestFirst: isOldestFirst))
        #expect(span.lowest...span.highest == expected)
    }

    @Test("Nothing lies before 0, after the end of numbers, or in a span of one point that is excluded")
    func empty() {
        #expect(HistorySpan(start: 0, end: nil, isOldestFirst: false) == nil)
        #expect(HistorySpan(start: .max, end: nil, isOldestFirst: true) == nil)
        #expect(HistorySpan(start: 5, end: 5, isOldestFirst: true) == nil)
        #expect(HistorySpan(start: 5, end: 5, isOldestFirst: false) == nil)
        #expect(HistorySpan(start: nil, end: .max, isOldestFirst: true) != nil)
    }
}
