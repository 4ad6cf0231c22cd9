import Identifiers
import PubNubServer
import Testing

@Suite("Presence lives on in another process")
struct OccupancyRecordsTests {
    @Test("What comes, goes and changes is said once, and a heartbeat changes nothing")
    func changes() {
        var script = OccupancyScript()
        script.touch("ann")
        #expect(script.book.takeChanges().isEmpty)
        script.book.recordChanges()
        script.touch("ann")
        #expect(script.book.takeChanges().isEmpty)
        script.touch("bob", via: "i", for: 60)
        script.setState("{}", "bob")
        let record = OccupancyRecord(
            channel: "c", user: "bob", order: 2, state: Array("{}".utf8), connections: [.init(id: "i", timeout: 60)])
        #expect(script.book.takeChanges() == [.present(record)])
        script.touch("bob", via: "j", for: 70)
        guard case .present(let second)? = script.book.takeChanges().first else {
            Issue.record("The new connection was not said.")
            return
        }
        #expect(second.connections == [.init(id: "i", timeout: 60), .init(id: "j", timeout: 70)])
        script.leave("ann")
        #expect(script.book.takeChanges() == [.absent(user: "ann", channel: "c")])
    }

    @Test("Who was there is there in the same order, silently, and times out from the restart on")
    func restoring() {
        let records = (1...3).map { number in
            OccupancyRecord(
                channel: "c", user: Identifier("u\(number)"), order: UInt64(10 - number), state: nil,
                connections: [.init(id: "i", timeout: 20 * number)])
        }
        var script = OccupancyScript()
        script.book.restore(records, at: script.time)
        #expect(script.book.hereNow("c").occupants.map(\.user) == ["u3", "u2", "u1"])
        #expect(script.book.whereNow("u1") == ["c"] && script.book.stayCount == 3)
        script.touch("u4", via: "i", for: 100)
        #expect(script.book.hereNow("c").occupants.last?.user == "u4")
        script.leave("u3", via: "i")
        script.pass(to: 45)
        #expect(script.news() == ["+u4 4", "-u3 3", "?u1 2", "?u2 1"])
    }

    @Test("CB-33: Above the announce maximum readers are asked to refresh")
    func intervals() {
        let records = ["a", "b"].map {
            OccupancyRecord(channel: "c", user: $0, order: 1, state: nil, connections: [.init(id: "", timeout: 60)])
        }
        var script = OccupancyScript(OccupancySettings(announceMaximum: 1))
        script.book.restore(records, at: script.time)
        var events: [OccupancyEvent] = []
        script.second = 10
        script.book.sweep(at: script.time, into: &events)
        #expect(events.map(\.action) == [.interval] && events.first?.needsRefresh == true && events.first?.occupancy == 2)
        // The next event has the changes since the first one, and asks for nothing.
        script.touch("c")
        script.pass(to: 20)
        #expect(script.news() == ["#3 +[c]"])
    }

    @Test func `CB-33: up to the announce maximum, and where events name no users, no reader is asked to refresh`() {
        let records = ["a", "b"].map {
            OccupancyRecord(channel: "c", user: $0, order: 1, state: nil, connections: [.init(id: "", timeout: 60)])
        }
        var small = OccupancyScript(OccupancySettings(announceMaximum: 2))
        small.book.restore(records, at: small.time)
        small.pass(to: 10)
        #expect(small.news() == [])
        small.touch("d")
        small.pass(to: 20)
        #expect(small.news() == ["#3 +[d]"])
        var nameless = OccupancyScript(OccupancySettings(announceMaximum: 1, sendsDeltas: false))
        nameless.book.restore(records, at: nameless.time)
        nameless.pass(to: 10)
        #expect(nameless.news() == ["#2"])
    }

    @Test("CB-33: A state that was set for a user who is not there is no record, and is forgotten in another process")
    func absentStates() {
        var script = OccupancyScript()
        script.book.recordChanges()
        script.setState(#"{"mood":1}"#, "ann")
        #expect(script.book.state(of: "ann", on: "c") != nil)
        #expect(script.book.takeChanges().isEmpty)
        var other = OccupancyScript()
        other.book.restore([], at: other.time)
        other.touch("ann")
        #expect(other.book.state(of: "ann", on: "c") == nil)
    }
}
