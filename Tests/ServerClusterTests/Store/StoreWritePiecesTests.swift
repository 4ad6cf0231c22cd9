import NIOCore
import Testing

@testable import ServerCluster

@Suite struct StoreWritePiecesTests {
    private static func words(_ count: Int) -> [StoreWord] { (0..<count).map { .integer(Int64($0)) } }
    private static func fields(_ count: Int) -> [StoreField] { (0..<count).map { StoreField(.integer(Int64($0)), "v") } }

    /// The writes that can be divided, by their number of elements, and how many elements a piece has at most.
    static let divisible: [(name: String, largest: Int, make: @Sendable (Int) -> StoreWrite)] = [
        ("put", 3_499, { .put("key", fields($0)) }), ("remove fields", 6_998, { .removeFields("key", words($0)) }),
        ("add", 6_998, { .add("key", words($0)) }), ("remove members", 6_998, { .removeMembers("key", words($0)) }),
        ("remove ranked", 6_998, { .removeRanked("key", words($0)) }),
        ("remove entries", 6_998, { .removeEntries("key", (0..<$0).map { UInt64($0) }) }),
        ("remove", 6_999, { .remove((0..<$0).map { StoreKey("\($0)") }) }),
    ]

    private static func count(_ write: StoreWrite) -> Int {
        switch write {
        case .put(_, let fields): fields.count
        case .removeFields(_, let words), .add(_, let words), .removeMembers(_, let words), .removeRanked(_, let words):
            words.count
        case .removeEntries(_, let numbers): numbers.count
        case .remove(let keys): keys.count
        default: 0
        }
    }

    @Test(
        "CR-25 A write that a script can run as one command stays as it is, and a longer one becomes several with the same effect",
        arguments: divisible.indices)
    func pieces(index: Int) {
        let (name, largest, make) = Self.divisible[index]
        #expect(!make(largest).isLong && make(largest).pieces == [make(largest)], "\(name)")
        for count in [largest + 1, 2 * largest, 20_001] {
            let write = make(count)
            let pieces = write.pieces
            #expect(write.isLong && pieces.allSatisfy { !$0.isLong }, "\(name)")
            #expect(pieces.map { Self.count($0) }.reduce(0, +) == count && pieces.count > 1, "\(name)")
            var words: [StoreWord] = []
            for piece in pieces { piece.forEachWord { words.append($0) } }
            var all: [StoreWord] = []
            write.forEachWord { all.append($0) }
            #expect(words == all, "\(name)")
            #expect(pieces.flatMap(\.keys) == (name == "remove" ? write.keys : pieces.map { _ in "key" }), "\(name)")
        }
    }

    @Test func `CR-25: a write of one element or of the number of its kind cannot be long`() {
        for write: StoreWrite in [.set("key", "v"), .append("key", number: 1, Self.fields(3), nil), .persist("key")] {
            #expect(!write.isLong && write.pieces == [write])
        }
    }
}
