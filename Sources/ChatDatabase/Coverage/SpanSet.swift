/// Ranges of a channel's history in which no message is missing: closed ranges of positions, disjoint and in order.
struct SpanSet: Hashable {
    private(set) var spans: [ClosedRange<Int64>] = []

    init() {}

    init(_ spans: some Sequence<ClosedRange<Int64>>) {
        for span in spans { insert(span) }
    }

    /// Adds a range, and merges it with the ranges that it touches.
    mutating func insert(_ span: ClosedRange<Int64>) {
        var low = span.lowerBound
        var high = span.upperBound
        // Two ranges touch if they overlap, or if no position is between them.
        let first = spans.firstIndex { $0.upperBound >= low || $0.upperBound + 1 == low } ?? spans.count
        var end = first
        while end < spans.count, spans[end].lowerBound <= high || spans[end].lowerBound - 1 == high {
            low = min(low, spans[end].lowerBound)
            high = max(high, spans[end].upperBound)
            end += 1
        }
        spans.replaceSubrange(first..<end, with: [low...high])
    }

    func span(with position: Int64) -> ClosedRange<Int64>? {
        spans.first { $0.contains(position) }
    }

    /// The highest position of `range` that lies in none of the spans, where a message may be missing; nil if the spans cover the whole
    /// range.
    func lastHole(in range: ClosedRange<Int64>) -> Int64? {
        guard let span = span(with: range.upperBound) else { return range.upperBound }
        // The spans do not touch each other, so no span contains the position directly before another span.
        return span.lowerBound <= range.lowerBound ? nil : span.lowerBound - 1
    }

    /// The lowest position of `range` that lies in none of the spans, where a message may be missing; nil if the spans cover the whole
    /// range.
    func firstHole(in range: ClosedRange<Int64>) -> Int64? {
        guard let span = span(with: range.lowerBound) else { return range.lowerBound }
        return span.upperBound >= range.upperBound ? nil : span.upperBound + 1
    }
}
