import Identifiers
import RealtimeHub
import Testing

@testable import PubNubServer

@Suite("Which forms of deleted files are refused (FI-25)")
struct DeletedFilesTests {
    private func time(_ seconds: Int, unix: Int? = nil) -> OccupancyTime {
        OccupancyTime(instant: MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000), unixSeconds: unix ?? 1000 + seconds)
    }

    @Test("A deleted file is remembered until its form has ended by both clocks")
    func memory() {
        var deleted = DeletedFiles(since: time(0))
        #expect(deleted.refuse("a", issued: 1100, at: time(100)) == false)
        deleted.insert("a", at: time(100))
        #expect(deleted.refuse("a", issued: 1100, at: time(100)) && !deleted.refuse("b", issued: 1100, at: time(100)))
        #expect(deleted.refuse("a", issued: 1100, at: time(160)) == true)
        #expect(deleted.refuse("a", issued: 1100, at: time(200, unix: 1150)) == true, "The clock was set back.")
        #expect(!deleted.refuse("a", issued: 1100, at: time(201)) && deleted.count == 0)
    }

    @Test("Forms of before the start are refused for as long as they could be valid, even if the clock is set back")
    func start() {
        var deleted = DeletedFiles(since: time(0))
        #expect(deleted.refuse("a", issued: 999, at: time(60)) && !deleted.refuse("a", issued: 1000, at: time(0)))
        #expect(deleted.refuse("a", issued: 500, at: time(61, unix: 500)) == false)
    }

    @Test("Beyond the limit the oldest is forgotten, and forms of before its deletion are refused (FI-25)")
    func limit() {
        var deleted = DeletedFiles(since: time(0), maximum: 2)
        for (second, id) in [(100, "a"), (110, "b"), (120, "c")] as [(Int, Identifier)] { deleted.insert(id, at: time(second)) }
        #expect(deleted.count == 2)
        #expect(deleted.refuse("a", issued: 1099, at: time(121)) && deleted.refuse("x", issued: 1099, at: time(121)))
        #expect(deleted.refuse("x", issued: 1101, at: time(121)) == false)
    }
}
