import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import Testing

/// The methods with which services read, over a store in memory and over one that answers in a wrong form.
@Suite struct ClusterReaderTests {
    private struct Reader: ClusterReader {
        let answer: @Sendable (StoreRead) -> StoreAnswer

        func key(_ name: String) -> StoreKey { StoreKey(name) }
        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer { answer(question) }
    }

    private func reader(_ writes: [StoreWrite]) -> Reader {
        var collections = MemoryCollections()
        for write in writes { collections.perform(write) }
        let kept = collections
        return Reader { kept.answer($0) }
    }

    private func bytes(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    @Test func `CR-70: values and maps are read as they were written`() async throws {
        let reader = reader([
            .set("value", 7), .setIfAbsent("value", "other"), .put("map", [StoreField("b", "2"), StoreField("a", "1")]),
            .putIfAbsent("map", StoreField("a", "0")), .put("map", "c", value: "3"), .removeFields("map", ["c"]),
        ])
        #expect(try await reader.text(of: "value") == "7")
        #expect(try await reader.length(of: "value") == 1)
        #expect(try await reader.values(of: ["value", "none"]) == [bytes("7"), nil])
        #expect(try await reader.field("a", of: "map") == bytes("1"))
        #expect(try await reader.fields(["c", "b"], of: "map") == [nil, bytes("2")])
        #expect(try await reader.has("a", in: "map"))
        #expect(try await !reader.has("c", in: "map"))
        #expect(try await reader.fieldNames(of: "map") == [bytes("a"), bytes("b")])
        #expect(try await reader.allFields(of: "map").map(\.value) == [bytes("1"), bytes("2")])
    }

    @Test func `CR-70: a large map is read in pages, and each of its fields comes`() async throws {
        let fields = (0..<2_500).map { StoreField(.integer(Int64($0)), .integer(Int64($0 * 2))) }
        let reader = reader([.put("map", fields)])
        var found: [ByteBuffer: ByteBuffer] = [:]
        try await reader.entries(of: "map", page: 100) { found[$0] = $1 }
        #expect(found.count == 2_500 && found[bytes("77")] == bytes("154"))
    }

    @Test func `CR-70: a field that stays comes while others of its map are removed between pages`() async throws {
        let collections = NIOLockedValueBox(MemoryCollections())
        collections.withLockedValue { $0.perform(.put("map", (0..<300).map { StoreField(.text("\($0)"), "") })) }
        let reader = Reader { question in collections.withLockedValue { $0.answer(question) } }
        var (cursor, found): (String?, Set<String>) = (nil, [])
        repeat {
            let (fields, next) = try await reader.fields(of: "map", after: cursor, count: 50)
            found.formUnion(fields.map { String(buffer: $0.name) })
            let removed = fields.filter { $0.name != bytes("0") }
            collections.withLockedValue { $0.perform(.removeFields("map", removed.map { .bytes($0.name) })) }
            cursor = next
        } while cursor != nil
        #expect(found.count == 300)
    }

    @Test func `CR-70: sets and sorted sets are read as they were written`() async throws {
        let reader = reader([
            .add("set", ["b", "a"]), .removeMembers("set", ["b"]), .rank("ranking", "late", score: 30),
            .rank("ranking", "early", score: 10), .rank("ranking", "middle", score: 20), .rank("ranking", "gone", score: 5),
            .removeRankedUpTo("ranking", score: 5), .rank("ranking", "struck", score: 25), .removeRanked("ranking", ["struck"]),
        ])
        #expect(try await reader.members(of: "set") == [bytes("a")])
        #expect(try await reader.has(member: "a", in: "set"))
        #expect(try await !reader.has(member: "b", in: "set"))
        #expect(try await reader.ranked(in: "ranking", limit: 9) == ["early", "middle", "late"].map(bytes))
        #expect(try await reader.ranked(in: "ranking", from: 20, to: 29, limit: 9) == [bytes("middle")])
        #expect(try await reader.ranked(in: "ranking", skipping: 1, limit: 1) == [bytes("middle")])
    }

    @Test func `CR-70: streams are read in both directions, and their live entries are counted`() async throws {
        let reader = reader(
            (1...9).map {
                .append("stream", number: $0, [StoreField("m", .integer(Int64($0))), StoreField("e", .text("\($0)0"))], nil)
            } + [.removeEntries("stream", [4]), .trim("stream", before: 3, isExact: true)])
        #expect(try await reader.entries(of: "stream", limit: 2).map(\.number) == [3, 5])
        #expect(try await reader.entries(of: "stream", to: 7, isOldestFirst: false, limit: 2).map(\.number) == [7, 6])
        #expect(try await reader.entries(of: "stream", from: 9, limit: 1).first?.fields.first?.value == bytes("9"))
        #expect(try await reader.entryNumbers(of: "stream", from: 5, to: 8, limit: 9) == [5, 6, 7, 8])
        let live = try await reader.liveEntries(of: "stream", after: 4, at: "70", limit: 4)
        #expect(live == LiveEntries(all: 4, live: 1, last: 8))
        #expect(try await reader.entryCounts(of: ["stream", "none"]) == [6, 0])
    }

    @Test func `CR-70: a store that has nothing gives empty answers, and an answer of another form is an error`() async throws {
        let empty = Reader { _ in .nothing }
        #expect(try await empty.value(of: "k") == nil)
        #expect(try await empty.values(of: ["k", "l"]) == [nil, nil])
        #expect(try await empty.entries(of: "k", limit: 1).isEmpty)
        #expect(try await empty.entryCounts(of: ["k", "l"]) == [0, 0])
        #expect(try await empty.allFields(of: "k").isEmpty)
        #expect(try await empty.length(of: "k") == 0)
        let wrong = Reader { question in if case .liveEntries = question { .number(1) } else { .count(LiveEntries()) } }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.value(of: "k") }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.length(of: "k") }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.members(of: "k") }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.entries(of: "k", limit: 1) }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.allFields(of: "k") }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.entryCounts(of: ["k"]) }
        await #expect(throws: StoreFailure.unexpected) { try await wrong.liveEntries(of: "k", after: 0, at: "", limit: 1) }
        let short = Reader { _ in .list([nil]) }
        await #expect(throws: StoreFailure.unexpected) { try await short.values(of: ["k", "l"]) }
    }
}
