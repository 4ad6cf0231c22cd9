import ServerValues
import Testing

@Suite("Sets of partitions")
struct PartitionSetTests {
    private func set(_ numbers: Int...) -> PartitionSet {
        numbers.reduce(into: PartitionSet()) { $0.insert($1) }
    }

    @Test("Partitions come and go in order of their numbers; others than 0 to 63 are ignored")
    func members() {
        var partitions = set(63, 0, 7, 7, 64, -1)
        #expect(Array(partitions) == [0, 7, 63])
        #expect(partitions.contains(63) && !partitions.contains(1) && !partitions.contains(64) && !partitions.contains(-1))
        partitions.remove(7)
        partitions.remove(64)
        #expect(Array(partitions) == [0, 63] && !partitions.isEmpty)
    }

    @Test("Sets are put together and compared")
    func unions() {
        var partitions = set(1)
        partitions.formUnion(set(2, 63))
        #expect(partitions == set(1, 2, 63))
        #expect(partitions.isDisjoint(with: set(0, 3)) && !partitions.isDisjoint(with: set(63)))
        #expect(set().isDisjoint(with: partitions) && set().isDisjoint(with: set()))
    }
}
