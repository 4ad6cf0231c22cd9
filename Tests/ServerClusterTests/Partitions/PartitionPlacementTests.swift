import ServerCluster
import Testing

@Suite struct PartitionPlacementTests {
    @Test(
        "CR-53, CR-55: Where partitions lie is the same in every version",
        arguments: [
            (4, ["redis://10.0.0.1:6379/0", "redis://10.0.0.2:6379/0"], [0, 1, 0, 1]),
            (4, ["a/1", "b/2"], [0, 0, 1, 1]), (4, ["a/1", "b/2", "c/3"], [2, 2, 0, 1]),
            (16, ["a/1", "b/2", "c/3"], [2, 2, 0, 1, 1, 0, 0, 2, 2, 2, 0, 1, 2, 1, 0, 1]), (4, ["a/1"], [0, 0, 0, 0]),
        ])
    func vectors(_ count: Int, _ names: [String], _ expected: [Int]) throws {
        #expect(PartitionPlacement.places(of: try #require(ClusterPartitions(count)), over: names) == expected)
    }

    @Test("CR-55: No place has more than one partition more than another one, in any order of names", arguments: 1...20)
    func balance(_ count: Int) throws {
        let names = (0..<count).map { "node\($0)/\($0 * 7_919)" }
        for number in [2, 3, 4, 8, 16] {
            let partitions = try #require(ClusterPartitions(number))
            let places = PartitionPlacement.places(of: partitions, over: names)
            let loads = names.indices.map { place in places.count { $0 == place } }
            let (least, most) = (try #require(loads.min()), try #require(loads.max()))
            #expect(places.count == number && most - least <= 1)
            let reversed = Array(names.reversed())
            let others = PartitionPlacement.places(of: partitions, over: reversed)
            #expect(places.map { names[$0] } == others.map { reversed[$0] })
        }
    }

    @Test("CR-55: A partition has a preferred node only where there are several partitions, and somebody to lead them")
    func preference() throws {
        let four = try #require(ClusterPartitions(4))
        #expect(ClusterPartition(0, among: .one) == nil && ClusterPartition(4, among: four) == nil)
        let partition = try #require(ClusterPartition(2, among: four))
        let nodes = [ClusterNode(name: "a", incarnation: 1), ClusterNode(name: "b", incarnation: 2)]
        #expect(partition.preferred(among: []) == nil && partition.preferred(among: nodes) == nodes[1])
    }
}
