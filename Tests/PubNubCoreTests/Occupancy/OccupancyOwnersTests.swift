import Identifiers
import Testing

@testable import PubNubServer

@Suite("One owner has a quarter of an application's presence (HB-70)")
struct OccupancyOwnersTests {
    private let time = OccupancyTime(instant: .seconds(0), unixSeconds: 0)

    private func user(_ id: Identifier, _ connection: Identifier = "", by owner: Identifier?) -> OccupancyUser {
        var user = OccupancyUser(id: id, connection: connection)
        user.owner = owner
        return user
    }

    // Proof of HB-61, HB-70, HB-62.
    @Test("Stays, their bytes and states of absent users count for their owner, until they end")
    func shares() {
        var book = OccupancyState(
            limits: OccupancyLimits(stays: 8, bytes: 40_000, stateBytes: 5000, absentStates: 8, absentBytes: 100_000))
        var events: [OccupancyEvent] = []
        let state = [UInt8](repeating: 0x20, count: 4000)
        #expect(book.touch("a", by: user("u1", by: "x"), at: time, into: &events) == nil)
        #expect(book.touch("a", by: user("u2", by: "x"), at: time, into: &events) == nil)
        #expect(book.touch("a", by: user("u3", by: "x"), at: time, into: &events) == .full)
        #expect(book.touch("a", by: user("u3", by: "y"), at: time, into: &events) == nil)
        #expect(book.touch("a", by: user("u4", by: nil), at: time, into: &events) == nil)
        // Who is there stays, whoever comes for it.
        #expect(book.touch("a", by: user("u1", by: "y"), at: time, into: &events) == nil)
        #expect(book.touch("a", by: user("u1", by: "x"), state: state, at: time, into: &events) == nil)
        #expect(book.touch("a", by: user("u2", by: "x"), state: state, at: time, into: &events) == nil)
        let longer = [UInt8](repeating: 0x20, count: 4700)
        #expect(book.setState(longer, of: user("u2", by: "x"), on: "a", at: time, into: &events) == .full)
        #expect(book.setState(longer, of: user("u3", by: "x"), on: "a", at: time, into: &events) == nil, "The stay is y's.")
        #expect(book.owners["x"]?.stays == 2 && book.owners["y"]?.stays == 1)
        for number in 0..<2 {
            let absent = user(Identifier("v\(number)"), by: "x")
            #expect(book.setState(state, of: absent, on: "a", at: time, into: &events) == nil)
            #expect(book.setState(state, of: absent, on: "a", at: time, into: &events) == nil)
        }
        #expect(book.setState(state, of: user("v2", by: "x"), on: "a", at: time, into: &events) == .full)
        #expect(book.setState(state, of: user("v2", by: "y"), on: "a", at: time, into: &events) == nil)
        // What somebody else replaces is somebody else's.
        #expect(book.setState(state, of: user("v1", by: nil), on: "a", at: time, into: &events) == nil)
        #expect(book.setState(state, of: user("v3", by: "x"), on: "a", at: time, into: &events) == nil)
        let late = OccupancyTime(instant: .seconds(100_000), unixSeconds: 100_000)
        #expect(!book.sweep(at: late, into: &events))
        #expect(book.owners.isEmpty && book.stayCount == 0 && book.bytes == 0)
    }

    @Test("Whatever comes and goes, owners have what their stays and states are, and nothing at the end")
    func balance() {
        var random = SystemRandomNumberGenerator()
        var book = OccupancyState(limits: OccupancyLimits(stays: 40, bytes: 60_000, stateBytes: 500, absentStates: 12))
        var events: [OccupancyEvent] = []
        var second = 0
        for _ in 0..<3000 {
            second += Int.random(in: 0...3, using: &random)
            let now = OccupancyTime(instant: .seconds(Int64(second)), unixSeconds: second)
            let owner: Identifier? = [nil, "x", "y"].randomElement(using: &random) ?? nil
            let subject = user(
                Identifier("u\(Int.random(in: 0..<30, using: &random))"), Identifier("c\(Int.random(in: 0..<3, using: &random))"),
                by: owner)
            let state = [UInt8](repeating: 0x20, count: Int.random(in: 1...500, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: _ = book.touch("a", by: subject, timeout: 20, state: Bool.random() ? state : nil, at: now, into: &events)
            case 2: book.leave("a", by: subject, at: now, into: &events)
            case 3: _ = book.setState(state, of: subject, on: "a", at: now, into: &events)
            default: _ = book.sweep(at: now, into: &events)
            }
            #expect(book.owners.values.reduce(0) { $0 + $1.stays } <= book.stayCount)
            #expect(book.owners.values.reduce(0) { $0 + $1.bytes } <= book.bytes)
        }
        _ = book.sweep(at: OccupancyTime(instant: .seconds(1_000_000), unixSeconds: 1_000_000), into: &events)
        #expect(book.owners.isEmpty && book.bytes == 0)
    }
}
