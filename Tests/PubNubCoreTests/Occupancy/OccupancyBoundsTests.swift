import Identifiers
import Testing

@testable import PubNubServer

@Suite("Bounds of presence (HB-61 to HB-64)")
struct OccupancyBoundsTests {
    private let time = OccupancyTime(instant: .seconds(0), unixSeconds: 0)

    @Test("Users of a channel, channels of a user and stays of an application are bounded; who is there stays (HB-61)")
    func stays() {
        var book = OccupancyState(limits: OccupancyLimits(usersPerChannel: 2, channelsPerUser: 2, stays: 4))
        var events: [OccupancyEvent] = []
        func touch(_ user: Identifier, _ channel: Identifier) -> OccupancyRefusal? {
            book.touch(channel, by: OccupancyUser(id: user), at: time, into: &events)
        }
        #expect(touch("ann", "a") == nil && touch("bob", "a") == nil)
        #expect(touch("cat", "a") == .full)
        #expect(touch("ann", "b") == nil)
        #expect(touch("ann", "c") == .tooManyChannels(limit: 2))
        #expect(touch("cat", "b") == nil)
        #expect(touch("dan", "d") == .full)
        #expect(touch("ann", "a") == nil)
        #expect(events.count == 4 && book.stayCount == 4)
        book.leave("a", by: OccupancyUser(id: "ann"), at: time, into: &events)
        #expect(touch("dan", "d") == nil)
    }

    @Test("Names, connections and states of stays are counted in bytes, and given back (HB-61)")
    func bytes() {
        var book = OccupancyState(limits: OccupancyLimits(bytes: 10_000, stateBytes: 4000))
        var events: [OccupancyEvent] = []
        let state = [UInt8](repeating: 0x20, count: 4000)
        #expect(book.touch("a", by: OccupancyUser(id: "ann"), state: state, at: time, into: &events) == nil)
        #expect(book.touch("b", by: OccupancyUser(id: "ann"), state: state, at: time, into: &events) == nil)
        #expect(book.touch("c", by: OccupancyUser(id: "ann"), at: time, into: &events) == nil)
        #expect(book.setState(state, of: "ann", on: "c", at: time, into: &events) == .full)
        for number in 0..<100 {
            let user = OccupancyUser(id: "ann", connection: Identifier("connection \(number)"))
            _ = book.touch("c", by: user, at: time, into: &events)
        }
        #expect(book.bytes < 12_000)
        #expect(book.touch("d", by: OccupancyUser(id: "bob"), at: time, into: &events) == .full)
        for channel in ["a", "b", "c"] as [Identifier] {
            book.leave(channel, by: OccupancyUser(id: "ann"), at: time, into: &events)
        }
        #expect(book.bytes == 0 && book.stayCount == 0)
        #expect(book.touch("d", by: OccupancyUser(id: "bob"), at: time, into: &events) == nil)
    }

    @Test("States are bounded in length, and those of absent users in number and bytes (HB-62)")
    func states() {
        var book = OccupancyState(limits: OccupancyLimits(stateBytes: 100, absentStates: 2, absentBytes: 700))
        var events: [OccupancyEvent] = []
        let long = [UInt8](repeating: 0x20, count: 101)
        #expect(book.touch("a", by: OccupancyUser(id: "ann"), state: long, at: time, into: &events) == .stateTooLong(limit: 100))
        #expect(book.setState(long, of: "ann", on: "a", at: time, into: &events) == .stateTooLong(limit: 100))
        #expect(events.isEmpty && book.stayCount == 0)
        func wait(_ user: Identifier, _ count: Int) -> OccupancyRefusal? {
            book.setState([UInt8](repeating: 0x20, count: count), of: user, on: "a", at: time, into: &events)
        }
        #expect(wait("ann", 10) == nil && wait("bob", 10) == nil && wait("cat", 10) == .full)
        #expect(wait("ann", 100) == nil && wait("bob", 100) == .full)
        let later = OccupancyTime(instant: .seconds(300), unixSeconds: 300)
        book.sweep(at: later, into: &events)
        #expect(book.state(of: "ann", on: "a") == nil && wait("cat", 100) == nil)
    }

    @Test(
        "A change costs the same few steps, however many users there are and however often they come and go (HB-64)",
        arguments: [100, 20_000])
    func work(users: Int) {
        var book = OccupancyState()
        var events: [OccupancyEvent] = []
        for number in 0..<users {
            book.touch("all", by: OccupancyUser(id: Identifier("u\(number)")), timeout: 86_400, at: time, into: &events)
        }
        var most = 0
        let before = book.steps
        let changes = 2000
        for number in 0..<changes {
            let start = book.steps
            let user = OccupancyUser(id: Identifier("flapping \(number % 7)"))
            book.touch("other", by: user, timeout: 86_400, at: time, into: &events)
            book.touch("other", by: user, timeout: 20, at: time, into: &events)
            book.leave("other", by: user, at: time, into: &events)
            most = max(most, book.steps - start)
        }
        #expect(book.steps - before <= 8 * changes)
        #expect(most <= 64)
        // Nothing of all this is left to be looked at: only the interval event of the other channel.
        let swept = book.steps
        book.sweep(at: OccupancyTime(instant: .seconds(100), unixSeconds: 100), into: &events)
        #expect(book.steps - swept <= 8)
    }

    @Test("A sweep looks at as many as it is told, and the rest follows (HB-64)")
    func slices() {
        var book = OccupancyState()
        var events: [OccupancyEvent] = []
        for number in 0..<1000 {
            book.touch(
                Identifier("c\(number)"), by: OccupancyUser(id: Identifier("u\(number)")), timeout: 20, at: time, into: &events)
        }
        events = []
        let later = OccupancyTime(instant: .seconds(20), unixSeconds: 20)
        let isUnfinished = book.sweep(at: later, limit: 300, into: &events)
        #expect(isUnfinished && events.count == 300)
        // Who comes back between two slices has not been away.
        book.touch("c999", by: OccupancyUser(id: "u999"), timeout: 20, at: later, into: &events)
        while book.sweep(at: later, limit: 300, into: &events) {}
        #expect(events.filter { $0.action == .timeout }.count == 999)
        #expect(book.occupiedChannels == ["c999"])
    }
}
