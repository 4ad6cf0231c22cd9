import ServerCluster
import ServerValues
import Testing

@Suite struct ClusterPartitionsTests {
    @Test(
        "CR-51: The partition of an application is the same in every version",
        arguments: [
            (ClusterServiceID.pusher, "1001", 2, 1), (.pusher, "1001", 3, 1), (.pusher, "1001", 16, 9), (.pubnub, "demo", 3, 0),
            (.pubnub, "demo", 16, 15), (.chat, "app-key", 8, 4), (.chat, "schlüssel", 16, 10), (.chat, "app-key", 1, 0),
        ])
    func vectors(_ service: ClusterServiceID, _ application: String, _ count: Int, _ expected: Int) throws {
        #expect(try #require(ClusterPartitions(count)).partition(of: application, in: service) == expected)
    }

    @Test(
        "CR-80: The partition of a channel is the same in every version",
        arguments: [
            ("1001", "room", 2, 0), ("1001", "room", 3, 0), ("1001", "room", 16, 4), ("1001", "presence-räume", 16, 14),
            ("1002", "room", 16, 7), ("1001", "private-a", 4, 1), ("1001", "private-a", 1, 0),
        ])
    func channelVectors(_ application: String, _ channel: String, _ count: Int, _ expected: Int) throws {
        let partitions = try #require(ClusterPartitions(count))
        #expect(partitions.partition(of: channel, in: application, of: .pusher) == expected)
    }

    @Test("CR-80: The channels of one application are spread over all partitions about evenly")
    func channelSpread() throws {
        let partitions = try #require(ClusterPartitions(16))
        let counts = (0..<1_600).reduce(into: [Int: Int]()) {
            $0[partitions.partition(of: "room-\($1)", in: "1001", of: .pusher), default: 0] += 1
        }
        #expect(counts.count == 16 && counts.values.allSatisfy { (50...150).contains($0) })
    }

    @Test("CR-50: There are 1 to 16 partitions")
    func counts() {
        #expect(ClusterPartitions(0) == nil && ClusterPartitions(17) == nil && ClusterPartitions(16)?.all == 0..<16)
    }

    @Test("CC-42: No two partitions have an id in common, also not a partition of one number and one of another number")
    func ids() throws {
        for count in 2...ClusterPartitions.limit {
            let partitions = try #require(ClusterPartitions(count))
            for number in partitions.all {
                let partition = try #require(ClusterPartition(number, among: partitions))
                #expect(partition.ids == TimetokenShare(number, of: ClusterPartitions.limit))
            }
        }
    }

    @Test("CR-51: Many applications are spread over all partitions about evenly")
    func spread() throws {
        let partitions = try #require(ClusterPartitions(16))
        let counts = (0..<1_600).reduce(into: [Int: Int]()) {
            $0[partitions.partition(of: "\($1)", in: .pusher), default: 0] += 1
        }
        #expect(counts.count == 16 && counts.values.allSatisfy { (50...150).contains($0) })
    }
}
