/// A range of a channel's messages, made from the `start` and `end` of a history request (rule HB-40).
///
/// The range excludes `start` and includes `end`, even if `start` is the later one.
public struct HistorySpan: Hashable, Sendable {
    /// The lowest timetoken of the span, included.
    public let lowest: UInt64
    /// The highest timetoken of the span, included.
    public let highest: UInt64

    /// Makes a range. If only `start` is given, the range begins at `start` and contains everything that follows in the direction of
    /// reading. If only `end` is given, the range contains everything that comes before `end` in the direction of reading.
    ///
    /// - Returns: nil when the range cannot contain a message.
    public init?(start: UInt64?, end: UInt64?, isOldestFirst: Bool) {
        let isUpwards = if let start, let end { start < end } else { isOldestFirst }
        let bottom: UInt64 = 0
        let top = UInt64(Int64.max)
        if isUpwards {
            guard start.map({ $0 < top }) ?? true else { return nil }
            lowest = start.map { $0 + 1 } ?? bottom
            highest = min(end ?? top, top)
        } else {
            guard start.map({ $0 > 0 }) ?? true else { return nil }
            lowest = end ?? bottom
            highest = min(start.map { $0 - 1 } ?? top, top)
        }
        guard lowest <= highest else { return nil }
    }
}

extension HistoryQuery {
    /// The range of messages that the query selects; nil when the range cannot contain a message.
    public var span: HistorySpan? { HistorySpan(start: start, end: end, isOldestFirst: isOldestFirst) }
}
