import Identifiers
import ServerValues
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Which forms of deleted files are refused (FI-25)")
struct DeletedFilesTests {
    private func time(_ seconds: Int, unix: Int? = nil) -> OccupancyTime {
        OccupancyTime(instant: MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000), unixSeconds: unix ?? 1000 + seconds)
    }

    @Test("A deleted file is remembered until its form has ended by both clocks")
    func memory() {
        var deleted = DeletedFiles(since: time(0))
        #expect(deleted.refuse("a", issued: 1100, at: time(100)) == false)
        #expect(deleted.insert("a", at: time(100)).isEmpty)
        #expect(deleted.refuse("a", issued: 1100, at: time(100)) && !deleted.refuse("b", issued: 1100, at: time(100)))
        #expect(deleted.refuse("a", issued: 1100, at: time(160)) == true)
        #expect(deleted.refuse("a", issued: 1100, at: time(200, unix: 1150)) == true, "The clock was set back.")
        #expect(deleted.sweep(limit: 10, at: time(200, unix: 1150)).isEmpty && deleted.count == 1)
        #expect(!deleted.refuse("a", issued: 1100, at: time(201)))
        #expect(deleted.sweep(limit: 10, at: time(201)) == ["a"] && deleted.count == 0)
    }

    @Test("Forms of before the start are refused for as long as they could be valid, even if the clock is set back")
    func start() {
        let deleted = DeletedFiles(since: time(0))
        #expect(deleted.refuse("a", issued: 999, at: time(60)) && !deleted.refuse("a", issued: 1000, at: time(0)))
        #expect(deleted.refuse("a", issued: 500, at: time(61, unix: 500)) == false)
    }

    @Test("Beyond the limit the oldest is forgotten, and forms of before its deletion or the same second are refused (FI-25)")
    func limit() {
        var deleted = DeletedFiles(since: time(0), maximum: 2)
        #expect(deleted.insert("a", at: time(100)).isEmpty && deleted.insert("b", at: time(110)).isEmpty)
        #expect(deleted.insert("c", at: time(120)) == ["a"])
        #expect(deleted.count == 2)
        #expect(deleted.refuse("a", issued: 1100, at: time(121)) && deleted.refuse("x", issued: 1100, at: time(121)))
        #expect(deleted.refuse("x", issued: 1101, at: time(121)) == false)
    }

    @Test("Restored deletions refuse their own forms only, and are remembered for the time of a form from the start (FI-25)")
    func restored() throws {
        let kept = DeletedFiles.Deletion(id: "a", time: time(100))
        #expect(StoredFile(kept.record) == nil)
        let deletion = try #require(DeletedFiles.Deletion(kept.record, restoredAt: time(105).instant))
        var deleted = DeletedFiles(since: nil, restoring: [deletion])
        #expect(deleted.refuse("a", issued: 1099, at: time(106)) && !deleted.refuse("b", issued: 1099, at: time(106)))
        #expect(deleted.sweep(limit: 10, at: time(165)).isEmpty)
        #expect(deleted.sweep(limit: 10, at: time(166)) == ["a"])
        // The clock may have been set to any time, and the store may have anything.
        for unix in [Int.min, -1, 0, Int.max] {
            let odd = DeletedFiles.Deletion(id: "o", time: time(0, unix: unix))
            var deleted = DeletedFiles(since: nil, restoring: [odd], maximum: 1)
            _ = deleted.refuse("o", issued: 0, at: time(100))
            _ = (deleted.insert("p", at: time(100)), deleted.sweep(limit: 1, at: time(200)))
            #expect(deleted.count <= 1)
        }
    }

    @Test("Where as many deletions are restored as are remembered, forms of before the oldest are refused (FI-25)")
    func restoredFull() {
        let restored = [100, 110].map { DeletedFiles.Deletion(id: Identifier("\($0)"), time: time($0)) }
        let full = DeletedFiles(since: nil, restoring: restored.reversed(), maximum: 2)
        #expect(full.refuse("x", issued: 1100, at: time(111)) && !full.refuse("x", issued: 1101, at: time(111)))
        #expect(!DeletedFiles(since: nil, restoring: restored, maximum: 3).refuse("x", issued: 1100, at: time(111)))
    }
}
