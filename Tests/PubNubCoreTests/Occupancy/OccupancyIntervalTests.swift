import Identifiers
import PubNubServer
import Testing

@Suite("Interval events (HB-35 to HB-37)")
struct OccupancyIntervalTests {
    private func script(_ maximum: Int = 2, deltas: Bool = true, bytes: Int = 30_000) -> OccupancyScript {
        OccupancyScript(
            OccupancySettings(announceMaximum: maximum, interval: .seconds(10), sendsDeltas: deltas, deltaBytes: bytes))
    }

    @Test("Above the maximum one event in each interval says how many there are and who came and went")
    func intervals() {
        var script = script()
        for user in ["a", "b", "c", "d"] as [Identifier] { script.touch(user) }
        #expect(script.news() == ["+a 1", "+b 2"])
        script.pass(to: 9)
        #expect(script.news() == [])
        script.pass(to: 10)
        #expect(script.news() == ["#4 +[c,d]"])
        script.leave("a")
        script.touch("e", for: 20)
        script.pass(to: 20)
        #expect(script.news() == ["#4 +[e] -[a]"])
        script.pass(to: 30)
        #expect(script.news() == ["#3 ?[e]"])
        script.pass(to: 40)
        #expect(script.news() == ["#3"])
    }

    @Test("Who came and went within an interval is not worth mentioning")
    func net() {
        var script = script()
        for user in ["a", "b", "c", "d", "e"] as [Identifier] { script.touch(user) }
        script.leave("d")
        script.leave("a")
        script.touch("a")
        _ = script.news()
        script.pass(to: 10)
        #expect(script.news() == ["#4 +[c,e]"])
    }

    @Test("Back at the maximum, what was held back is told before the change that led there")
    func back() {
        var script = script()
        for user in ["a", "b", "c", "d"] as [Identifier] { script.touch(user) }
        script.leave("a")
        _ = script.news()
        script.leave("b")
        #expect(script.news() == ["#3 +[c,d] -[a]", "-b 2"])
        script.pass(to: 30)
        #expect(script.news() == [])
        script.leave("c")
        script.touch("x")
        script.touch("y")
        script.pass(to: 39)
        #expect(script.news() == ["-c 1", "+x 2"])
        script.pass(to: 40)
        #expect(script.news() == ["#3 +[y]"])
    }

    @Test("With a maximum of none everything waits, except for the last leave")
    func none() {
        var script = script(0)
        script.touch("a")
        script.leave("a")
        #expect(script.news() == ["#1 +[a]", "-a 0"])
        script.pass(to: 50)
        #expect(script.news() == [])
    }

    @Test("Without deltas an interval event is the occupancy alone")
    func withoutDeltas() {
        var script = script(deltas: false)
        for user in ["a", "b", "c", "d"] as [Identifier] { script.touch(user) }
        script.pass(to: 10)
        #expect(script.news() == ["+a 1", "+b 2", "#4"])
    }

    @Test("More than 30 KB of users is a hint to ask, for that interval only")
    func tooMuch() {
        var script = script(bytes: 100)
        for number in 10..<40 { script.touch(Identifier("u\(number)")) }
        _ = script.news()
        script.pass(to: 10)
        #expect(script.news() == ["#30 refresh"])
        script.touch("late")
        script.pass(to: 20)
        #expect(script.news() == ["#31 +[late]"])
    }

    @Test("Changes of state are told one by one above the maximum too")
    func state() {
        var script = script()
        for user in ["a", "b", "c"] as [Identifier] { script.touch(user) }
        _ = script.news()
        script.setState("{}", "c")
        #expect(script.news() == ["=c {} 3"])
    }
}
