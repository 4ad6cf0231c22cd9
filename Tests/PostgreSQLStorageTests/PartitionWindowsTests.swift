import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite struct PartitionWindowsTests {
    private static let day = HistoryTrimmer.day

    @Test(arguments: [(0 as Int64, 0 as Int64), (100, 101), (100, 103), (100, 110), (100, 500), (0, 20_000)])
    func `PG-33: the spans of a read are the given span in the order of reading, whatever partitions there are`(
        oldest: Int64, newest: Int64
    ) {
        let windows = PartitionWindows(oldest: oldest * Self.day, newest: newest * Self.day)
        for (lowest, highest) in [
            (0, .max), (.min, .max), (5, 5), (100 * Self.day, 101 * Self.day), (99 * Self.day - 1, 480 * Self.day),
            (300 * Self.day, .max), (0, 120 * Self.day + 7), (499 * Self.day, 500 * Self.day), (7, 6),
        ] as [(Int64, Int64)] {
            let upwards = windows.spans(lowest, highest, isOldestFirst: true)
            let downwards = windows.spans(lowest, highest, isOldestFirst: false)
            for spans in [upwards, downwards.reversed()] {
                guard lowest <= highest else {
                    #expect(spans.isEmpty)
                    continue
                }
                #expect(spans.first?.lowerBound == lowest && spans.last?.upperBound == highest)
                for (one, next) in zip(spans, spans.dropFirst()) { #expect(one.upperBound + 1 == next.lowerBound) }
                #expect(spans.count <= 15)
            }
        }
    }

    @Test func `PG-33: the newest page of a year reads the partitions of four days, and the oldest page of as many`() {
        let windows = PartitionWindows(oldest: 1000 * Self.day, newest: 1365 * Self.day)
        #expect(windows.spans(0, .max, isOldestFirst: false).first == 1361 * Self.day ... .max)
        #expect(windows.spans(0, .max, isOldestFirst: true).first == 0...(1004 * Self.day - 1))
        #expect(windows.spans(0, .max, isOldestFirst: false).count == 7)
        #expect(windows.spans(1200 * Self.day, 1201 * Self.day, isOldestFirst: true).count <= 2)
    }
}
