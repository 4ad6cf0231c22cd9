import ServerConsole
import ServerValues
import Testing

@Suite("Sessions of the console (CO-14, CO-15)")
struct ConsoleSessionsTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test("A session has a random id and a token of its own, and ends when it is ended")
    func life() throws {
        var sessions = ConsoleSessions()
        let (one, other) = (sessions.begin(.admin, at: at(0)), sessions.begin(.reader, at: at(0)))
        #expect(one != other && one.utf8.count == 64 && other.utf8.count == 64)
        let used = sessions.use(one, at: at(1))
        let session = try #require(used)
        #expect(session.role == .admin && session.token.utf8.count == 64 && session.token != one)
        #expect(sessions.use(other, at: at(1))?.role == .reader && sessions.use(other, at: at(1))?.token != session.token)
        for wrong in ["", String(one.dropLast()), one.uppercased() + "0", String(repeating: "0", count: 64)] {
            #expect(sessions.use(wrong, at: at(1)) == nil)
        }
        sessions.end(one)
        #expect(sessions.use(one, at: at(1)) == nil && sessions.isOpen(other, at: at(1)))
    }

    @Test("Unused for half an hour it ends, and after twelve hours however much it is used")
    func time() {
        var sessions = ConsoleSessions()
        let idle = sessions.begin(.admin, at: at(0))
        #expect(sessions.use(idle, at: at(1_799)) != nil && sessions.use(idle, at: at(1_799 + 1_799)) != nil)
        #expect(sessions.isOpen(idle, at: at(1_799 + 1_799 + 1_799)))
        #expect(!sessions.isOpen(idle, at: at(1_799 + 1_799 + 1_800)) && sessions.use(idle, at: at(10_000)) == nil)
        let busy = sessions.begin(.admin, at: at(0))
        for second in stride(from: Int64(0), to: 43_200, by: 600) { #expect(sessions.use(busy, at: at(second)) != nil) }
        #expect(sessions.use(busy, at: at(43_200)) == nil)
        // Looking does not use it.
        let watched = sessions.begin(.admin, at: at(0))
        for second in stride(from: Int64(0), to: 1_800, by: 60) { #expect(sessions.isOpen(watched, at: at(second))) }
        #expect(!sessions.isOpen(watched, at: at(1_800)))
        sessions.sweep(at: at(100_000))
        #expect(sessions.count == 0)
    }

    @Test("There are at most 64; one more ends the one that was not used for the longest time")
    func bound() {
        var sessions = ConsoleSessions()
        let ids = (0..<64).map { sessions.begin(.admin, at: at(Int64($0))) }
        _ = sessions.use(ids[0], at: at(100))
        _ = sessions.begin(.admin, at: at(101))
        #expect(sessions.count == ConsoleSessions.capacity)
        #expect(
            sessions.isOpen(ids[0], at: at(101)) && !sessions.isOpen(ids[1], at: at(101)) && sessions.isOpen(ids[2], at: at(101)))
    }
}
