import ServerStorage

/// Divides a read of a partitioned table into time spans (rule PG-33). A typical page has the newest or the oldest messages. A read in
/// spans can stop when the page is full, so it reads few partitions instead of the beginning of every partition.
struct PartitionWindows: Hashable, Sendable {
    /// The beginning of the oldest day that has a partition, and the end of the newest one. Rows outside of this range are in few
    /// partitions.
    var oldest: Int64
    var newest: Int64

    /// Divides the range from `lowest` to `highest` into spans, in the order of reading. Each span except the last is twice as long as the
    /// one before.
    func spans(_ lowest: Int64, _ highest: Int64, isOldestFirst: Bool) -> [ClosedRange<Int64>] {
        guard lowest <= highest else { return [] }
        var spans: [ClosedRange<Int64>] = []
        var (lowest, highest) = (lowest, highest)
        // The first span is longer than a day, because the newest partitions are made ahead and have no messages yet.
        var length = (PostgresPartitions.daysAhead + 2) * HistoryTrimmer.day
        var edge = isOldestFirst ? oldest : newest
        while true {
            let (next, isOverflow) =
                isOldestFirst ? edge.addingReportingOverflow(length) : edge.subtractingReportingOverflow(length)
            guard !isOverflow, oldest < next, next < newest else { break }
            edge = next
            length = length.multipliedReportingOverflow(by: 2).partialValue
            if isOldestFirst {
                guard lowest < edge else { continue }
                guard edge <= highest else { break }
                spans.append(lowest...(edge - 1))
                lowest = edge
            } else {
                guard edge <= highest else { continue }
                guard lowest < edge else { break }
                spans.append(edge...highest)
                highest = edge - 1
            }
        }
        return spans + [lowest...highest]
    }
}
