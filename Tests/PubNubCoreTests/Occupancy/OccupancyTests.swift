import Identifiers
import PubNubServer
import Testing

/// A book with its events and a clock.
struct OccupancyScript {
    var book: OccupancyState
    var second = 0
    private(set) var all: [OccupancyEvent] = []

    init(_ settings: OccupancySettings = OccupancySettings()) {
        book = OccupancyState(settings: settings)
    }

    var time: OccupancyTime { OccupancyTime(instant: .seconds(Int64(second)), unixSeconds: 1_000_000 + second) }

    /// What has come since the last call, in short.
    mutating func news() -> [String] {
        defer { all = [] }
        return all.map(\.short)
    }

    mutating func touch(
        _ user: Identifier, _ channel: Identifier = "c", via connection: Identifier = "", for seconds: Int? = nil,
        state: String? = nil
    ) {
        book.touch(
            channel, by: OccupancyUser(id: user, connection: connection), timeout: seconds, state: state.map { Array($0.utf8) },
            at: time, into: &all)
    }

    mutating func leave(_ user: Identifier, _ channel: Identifier = "c", via connection: Identifier = "") {
        book.leave(channel, by: OccupancyUser(id: user, connection: connection), at: time, into: &all)
    }

    mutating func setState(_ state: String, _ user: Identifier, _ channel: Identifier = "c") {
        book.setState(Array(state.utf8), of: user, on: channel, at: time, into: &all)
    }

    mutating func pass(to second: Int) {
        self.second = second
        book.sweep(at: time, into: &all)
    }
}

extension OccupancyEvent {
    /// As in `+ann 1`, `-ann 0`, `?ann 0` for a timeout, `=ann {} 1` for a state, `#3 +[bob]` for an interval.
    var short: String {
        let state = state.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        switch action {
        case .join: return "+\(user ?? "")\(state) \(occupancy)"
        case .leave: return "-\(user ?? "") \(occupancy)"
        case .timeout: return "?\(user ?? "") \(occupancy)"
        case .stateChange: return "=\(user ?? "")\(state) \(occupancy)"
        case .interval:
            let lists = [("+", joined), ("-", left), ("?", timedOut)].filter { !$0.1.isEmpty }
            return
                (["#\(occupancy)"] + lists.map { "\($0)[\($1.texts.joined(separator: ","))]" }
                + (needsRefresh ? ["refresh"] : []))
                .joined(separator: " ")
        }
    }
}

@Suite("Presence of users (HB-32 to HB-34, HB-38)")
struct OccupancyTests {
    @Test("A user joins with the first subscribe or heartbeat, stays with every further one, and leaves")
    func joining() {
        var script = OccupancyScript()
        script.touch("ann")
        script.touch("bob")
        script.touch("ann")
        script.leave("ann")
        script.leave("ann")
        script.leave("nobody", "elsewhere")
        #expect(script.news() == ["+ann 1", "+bob 2", "-ann 1"])
        #expect(script.book.hereNow("c").occupants.map(\.user) == ["bob"])
    }

    @Test("Events carry channel, user and the time of day")
    func fields() throws {
        var script = OccupancyScript()
        script.second = 7
        script.touch("ann", "room", state: "{}")
        let event = try #require(script.all.first)
        #expect(
            event
                == OccupancyEvent(
                    channel: "room", action: .join, occupancy: 1, timestamp: 1_000_007, user: "ann", state: Array("{}".utf8)))
    }

    @Test("Silence ends a stay after the time that the user named, 300 s unless it did, 3 s at least (HB-32)")
    func timeouts() {
        var script = OccupancyScript()
        script.touch("default")
        script.touch("short", for: 30)
        script.touch("shorter", for: 1)
        script.touch("eight", for: 8)
        script.pass(to: 2)
        #expect(script.news() == ["+default 1", "+short 2", "+shorter 3", "+eight 4"])
        script.pass(to: 3)
        #expect(script.news() == ["?shorter 3"])
        script.pass(to: 7)
        #expect(script.news() == [])
        script.pass(to: 8)
        #expect(script.news() == ["?eight 2"])
        script.pass(to: 20)
        script.touch("short", for: 30)
        script.pass(to: 49)
        #expect(script.news() == [])
        script.pass(to: 50)
        #expect(script.news() == ["?short 1"])
        script.pass(to: 299)
        #expect(script.news() == [])
        script.pass(to: 300)
        #expect(script.news() == ["?default 0"])
        #expect(script.book.occupiedChannels.isEmpty)
    }

    @Test("A shorter time than before counts from then on")
    func shortened() {
        var script = OccupancyScript()
        script.touch("ann", for: 300)
        script.touch("ann", for: 20)
        script.pass(to: 20)
        #expect(script.news() == ["+ann 1", "?ann 0"])
        script.pass(to: 1000)
        #expect(script.news() == [])
    }

    @Test("Coming back starts a stay that earlier deadlines do not end")
    func rejoining() {
        var script = OccupancyScript()
        script.touch("ann", for: 20)
        script.leave("ann")
        script.second = 10
        script.touch("ann", for: 20)
        script.pass(to: 29)
        #expect(script.news() == ["+ann 1", "-ann 0", "+ann 1"])
        script.pass(to: 30)
        #expect(script.news() == ["?ann 0"])
    }

    // Proof of HB-33.
    @Test("A user with several connections counts once, and leaves with the last")
    func connections() {
        var script = OccupancyScript()
        script.touch("ann", via: "phone", for: 20)
        script.touch("ann", via: "desk", for: 60)
        script.leave("ann", via: "tablet")
        script.pass(to: 21)
        #expect(script.news() == ["+ann 1"])
        script.touch("ann", via: "phone")
        script.leave("ann", via: "phone")
        #expect(script.news() == [])
        script.leave("ann", via: "desk")
        #expect(script.news() == ["-ann 0"])
        script.touch("ann", via: "phone")
        script.touch("ann", via: "desk")
        script.leave("ann")
        #expect(script.news() == ["+ann 1", "-ann 0"])
    }

    @Test("A leave may name a connection that joined without a name; the other connections stay (HB-33)")
    func leaveOfTheNameless() {
        var script = OccupancyScript()
        script.touch("ann")
        script.leave("ann", via: "worker")
        #expect(script.news() == ["+ann 1", "-ann 0"])
        script.touch("ann")
        script.touch("ann", via: "desk")
        script.leave("ann", via: "worker")
        script.leave("ann", via: "worker")
        #expect(script.news() == ["+ann 1"])
        script.leave("ann", via: "desk")
        #expect(script.news() == ["-ann 0"])
    }

    @Test("State comes with the join, is told when it changes, and goes with the user")
    func state() {
        var script = OccupancyScript()
        script.touch("ann", state: "{\"a\":1}")
        script.touch("ann", state: "{\"a\":1}")
        script.touch("ann")
        #expect(script.news() == ["+ann {\"a\":1} 1"])
        script.setState("{\"a\":2}", "ann")
        script.setState("{\"a\":2}", "ann")
        script.touch("ann", state: "{\"a\":3}")
        #expect(script.news() == ["=ann {\"a\":2} 1", "=ann {\"a\":3} 1"])
        #expect(script.book.state(of: "ann", on: "c") == Array("{\"a\":3}".utf8))
        script.leave("ann")
        #expect(script.book.state(of: "ann", on: "c") == nil)
        script.touch("ann")
        #expect(script.news() == ["-ann 0", "+ann 1"])
    }

    @Test("State of a user who is not there waits, silently and not for ever")
    func absentState() {
        var script = OccupancyScript()
        script.setState("1", "ann")
        script.setState("2", "bob")
        #expect(script.news() == [] && script.book.hereNow("c").occupancy == 0)
        #expect(script.book.state(of: "ann", on: "c") == [UInt8(ascii: "1")])
        script.touch("ann")
        #expect(script.news() == ["+ann 1 1"])
        script.pass(to: 299)
        #expect(script.book.state(of: "bob", on: "c") != nil)
        script.pass(to: 300)
        #expect(script.book.state(of: "bob", on: "c") == nil)
    }

    @Test("Questions: who is here, where is a user, which channels are occupied")
    func queries() {
        var script = OccupancyScript()
        for number in 0..<50 { script.touch(Identifier("user \(number)"), "many") }
        for number in stride(from: 0, to: 50, by: 2) { script.leave(Identifier("user \(number)"), "many") }
        script.touch("user 1", "b")
        script.touch("user 1", "a", state: "7")
        let page = script.book.hereNow("many", offset: 2, limit: 3)
        #expect(page.occupancy == 25)
        #expect(page.occupants.map(\.user) == ["user 5", "user 7", "user 9"])
        #expect(script.book.hereNow("many", limit: 0) == OccupancyPage(occupancy: 25, occupants: []))
        #expect(script.book.hereNow("many", offset: 100).occupants.isEmpty)
        #expect(script.book.hereNow("a").occupants == [Occupant(user: "user 1", state: [UInt8(ascii: "7")])])
        #expect(script.book.hereNow("none").occupancy == 0)
        #expect(script.book.whereNow("user 1") == ["a", "b", "many"])
        #expect(script.book.whereNow("user 0").isEmpty)
        #expect(script.book.occupiedChannels == ["a", "b", "many"])
    }
}
