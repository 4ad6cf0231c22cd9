import ConnectionEngine
import Testing

@testable import LifelineCommand

@Suite("The sums of the demonstration")
struct DemoJournalTests {
    private let route = DemoJournal.Route(channel: "room", from: "ben", to: "ann")
    private var journal = DemoJournal(subject: "ann", channels: ["room", "other"], detection: .seconds(3))

    @Test("CL-10: what arrives once adds up")
    mutating func clean() {
        for second in 1...3 { journal.receive(route, journal.send(route, at: at(Double(second)))) }
        #expect(journal.total == DemoJournal.Count(sent: 3, received: 3))
        #expect(journal.isDrained)
        #expect(journal.addsUp)
    }

    @Test("CL-10: a loss counts as declared only by what the client itself said, channel by channel")
    mutating func declared() {
        journal.breakLine("cut", at: at(9))
        journal.noticed(at: at(10))
        // 3 s before the notice, in the outage, at its end; too early, after the channel was confirmed.
        for second in [7, 12, 14] as [Double] { _ = journal.send(route, at: at(second)) }
        #expect(journal.confirmed("room", at: at(14)) == false)
        journal.repairLine(at: at(13))
        #expect(journal.confirmed("other", at: at(15)) == true)
        #expect(journal.total == DemoJournal.Count(sent: 3, lost: 3, declared: 3))
        #expect(journal.addsUp)
        #expect(journal.outages[0].noticing == .seconds(1))
        #expect(journal.outages[0].recovering == .seconds(2))

        for second in [6.9, 14.1] { _ = journal.send(route, at: at(second)) }
        #expect(journal.total == DemoJournal.Count(sent: 5, lost: 5, declared: 3))
        #expect(!journal.addsUp)
    }

    @Test("CL-10: an event that comes twice, or that nobody has sent, does not add up")
    mutating func twice() {
        let number = journal.send(route, at: at(1))
        journal.receive(route, number)
        journal.receive(route, number)
        #expect(journal.total.duplicated == 1)
        #expect(!journal.addsUp)
        var other = DemoJournal(subject: "ann", channels: [], detection: .seconds(3))
        other.receive(route, 7)
        #expect(other.phantoms == 1)
        #expect(!other.addsUp)
    }

    @Test("CL-10: an outage that nobody noticed, or noticed late, or that does not end, does not add up")
    mutating func outages() {
        journal.breakLine("cut", at: at(1))
        #expect(!journal.addsUp)
        journal.noticed(at: at(5))
        _ = journal.confirmed("room", at: at(6))
        #expect(!journal.addsUp)
        _ = journal.confirmed("other", at: at(6))
        // Noticed after 4 s, and 3 are allowed.
        #expect(!journal.addsUp)
        #expect(DemoSummary(journal: journal, colours: .off).lines.last?.contains("noticed too late") == true)
    }

    @Test("CL-14: where gaps declare losses, a gap covers what is missing before the next event, and nothing else")
    func gaps() {
        var journal = DemoJournal(subject: "ann", channels: ["room"], detection: .seconds(3), judgesByGaps: true)
        journal.breakLine("refused", at: at(0))
        for second in 1...6 { _ = journal.send(route, at: at(Double(second))) }
        journal.receive(route, 1)
        journal.declareGap(on: "other", to: "ann")
        journal.receive(route, 3)
        #expect(journal.count(route) == .init(sent: 6, received: 2, lost: 4) && !journal.addsUp)
        journal.declareGap(on: "room", to: "ann")
        #expect(journal.count(route).declared == 0)
        journal.receive(route, 5)
        #expect(journal.count(route) == .init(sent: 6, received: 3, lost: 3, declared: 2) && !journal.addsUp)
        journal.receive(route, 6)
        #expect(journal.addsUp && journal.outages.isEmpty && journal.received(route) == [1, 3, 5, 6])
        #expect(DemoSummary(journal: journal, colours: .off).lines.last?.contains("that the client ann has reported") == true)
    }

    @Test("CL-30: events out of order, and what had to happen and did not, do not add up")
    func orderAndChecks() {
        var journal = DemoJournal(subject: "ann", channels: [], detection: .zero, judgesByGaps: true)
        let direct = DemoJournal.Route(channel: "direct:ann", from: "ben", to: "ann")
        #expect(direct == .init(channel: "direct:ben", from: "ben", to: "ann"))
        for number in 1...2 { _ = journal.send(direct, at: at(Double(number))) }
        journal.check("ann is connected", true)
        var other = journal
        for number in [1, 2] { journal.receive(direct, number) }
        #expect(journal.addsUp)
        for number in [2, 1] { other.receive(direct, number) }
        #expect(!other.addsUp && other.misordered == 1)
        #expect(DemoSummary(journal: other, colours: .off).lines.last?.contains("out of order") == true)
        journal.check("ann is kicked", false)
        let summary = DemoSummary(journal: journal, colours: .off)
        #expect(!journal.addsUp && summary.result.problems == ["ann is kicked"])
        #expect(summary.lines.contains { $0.hasPrefix("ann is kicked ") && $0.hasSuffix(" no") })
    }

    @Test("Events that were sent last are waited for")
    mutating func drained() {
        let first = journal.send(route, at: at(1))
        journal.receive(route, first)
        let second = journal.send(route, at: at(2))
        #expect(!journal.isDrained)
        journal.receive(route, second)
        #expect(journal.isDrained)
    }

    private func at(_ seconds: Double) -> Moment { Moment(nanoseconds: Int64(seconds * 1e9)) }
}
