import NIOConcurrencyHelpers
import ServerValues
import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("The connections of a node, and the places that a leader gives (CP-30 to CP-32, CP-61, CP-63)")
struct NodeConnectionsTests {
    /// What connections that wait were told, by their names.
    private final class Told: Sendable {
        private let answers = NIOLockedValueBox<[String: ConnectionPlace]>([:])

        subscript(name: String) -> ConnectionPlace? { answers.withLockedValue { $0[name] } }

        func note(_ name: String) -> @Sendable (ConnectionPlace) -> Void {
            { [answers] answer in answers.withLockedValue { $0[name] = answer } }
        }
    }

    /// A reference, since an expectation cannot change a value.
    private final class Node {
        private var value = NodeConnections()

        func open(limit: Int?) -> ConnectionPlace { value.open("1001", limit: limit) }
        func close() { value.close("1001") }
        func ask() -> Int? { value.ask(for: "1001") }
        func wait(_ deadline: MonotonicInstant, _ completion: @escaping NodeConnections.Completion) -> UInt64 {
            value.wait(for: "1001", until: deadline, completion)
        }
        func giveUp(_ ticket: UInt64) { value.giveUp(ticket, of: "1001") }
        func answered(_ places: Int?) -> [(NodeConnections.Completion, ConnectionPlace)] { value.answered(places, for: "1001") }
        func expire(at nanoseconds: Int64) -> [NodeConnections.Completion] {
            value.expire(at: MonotonicInstant(nanoseconds: nanoseconds))
        }
        /// The change in a report; nil when there is none.
        func report() -> Int? { value.report().flatMap { $0.count == 1 ? $0.first?.count : 0 } }
        func reported(_ change: Int) { value.reported([ApplicationCount(application: "1001", count: change)]) }
        func failed(_ change: Int) { value.failed([ApplicationCount(application: "1001", count: change)]) }
        func announce() -> [Int] { value.announce().map(\.count) }
        func learn(_ total: Int) { value.learn([ApplicationCount(application: "1001", count: total)]) }
        var known: Int { value.known("1001") }
    }

    private let told = Told()
    private let node = Node()

    @discardableResult
    private func wait(_ name: String, until deadline: Int64 = 10) -> UInt64 {
        #expect(node.open(limit: 9) == .asked)
        return node.wait(MonotonicInstant(nanoseconds: deadline), told.note(name))
    }

    private func answer(_ places: Int?) {
        for (completion, answer) in node.answered(places) { completion(answer) }
    }

    @Test("CP-31: So many of those who wait are admitted as the leader has given places, in their order; the others are refused")
    func order() {
        wait("a")
        #expect(node.ask() == 1)
        wait("b")
        wait("c")
        // One request is under way at a time.
        #expect(node.ask() == nil)
        answer(1)
        #expect(told["a"] == .given && told["b"] == nil)
        #expect(node.ask() == 2)
        answer(1)
        #expect(told["b"] == .given && told["c"] == .full)
        #expect(node.known == 2)
        #expect(node.ask() == nil)
    }

    @Test("CP-61: A place whose connection has gone is the next one's, or is given back")
    func spare() {
        let ticket = wait("a")
        #expect(node.ask() == 1)
        node.giveUp(ticket)
        wait("b")
        answer(1)
        #expect(told["a"] == nil && told["b"] == .given)
        node.close()
        #expect(node.open(limit: 9) == .given)
        node.close()
        let report = node.report()
        #expect(report == -1)
        // It is on its way back.
        #expect(node.open(limit: 9) == .asked)
        #expect(node.report() == nil)
        node.reported(report ?? 0)
        #expect(node.open(limit: 9) == .asked)
    }

    @Test("CP-61: A place that is given when nobody waits any more is given back")
    func late() {
        wait("a")
        #expect(node.ask() == 1)
        for completion in node.expire(at: 10) { completion(.unavailable) }
        #expect(told["a"] == .unavailable)
        answer(1)
        #expect(node.report() == -1)
    }

    @Test("CP-32: Without an answer of the leader nobody is admitted")
    func failure() {
        wait("a")
        #expect(node.ask() == 1)
        answer(nil)
        #expect(told["a"] == .unavailable && node.known == 0)
        wait("b", until: 20)
        #expect(node.expire(at: 19).isEmpty)
        #expect(node.expire(at: 20).count == 1)
    }

    @Test("CP-30: A new leader is told what is counted without what is under way, which is sent again behind it")
    func announcing() {
        for _ in 0..<3 { #expect(node.open(limit: nil) == .given) }
        let report = node.report()
        #expect(report == 3)
        _ = node.open(limit: nil)
        #expect(node.announce() == [1])
        node.reported(report ?? 0)
        #expect(node.report() == nil)
        #expect(node.announce() == [4])
        node.close()
        let next = node.report()
        node.failed(next ?? 0)
        #expect(node.report() == next)
    }

    @Test("CP-30: The connections of all nodes are the last total with what has changed here since")
    func totals() {
        _ = node.open(limit: nil)
        node.reported(node.report() ?? 0)
        node.learn(7)
        _ = node.open(limit: nil)
        #expect(node.known == 8)
        node.close()
        node.close()
        #expect(node.known == 6)
    }

    @Test("CP-63: Connections that came before there was a limit are counted, and stay")
    func limitLater() {
        for _ in 0..<2 { _ = node.open(limit: nil) }
        wait("a")
        #expect(node.ask() == 1)
        answer(1)
        #expect(told["a"] == .given)
        let report = node.report()
        #expect(report == 2)
        node.reported(report ?? 0)
        #expect(node.report() == nil && node.known == 3)
    }
}
