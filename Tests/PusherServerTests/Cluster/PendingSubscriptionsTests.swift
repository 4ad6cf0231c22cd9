import NIOCore
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite("Subscriptions that wait for the leader, as a value (CP-21, CP-26 to CP-28)")
struct PendingSubscriptionsTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func subscription(_ connection: UInt64, _ channel: String) -> ChannelSubscription {
        let id = ChannelID(application: quietApplication.id, name: channel)
        return ChannelSubscription(
            channel: id, traits: ChannelTraits(of: id), application: quietApplication,
            subscriber: ChannelSubscriber(
                socketID: SocketID(high: 0, low: connection), eventLoopID: 1, place: .elsewhere { _ in }))
    }

    private func add(
        _ connection: UInt64, _ channel: String, to pending: inout PendingSubscriptions, at now: NIODeadline = start
    ) -> Bool {
        pending.add(subscription(connection, channel), at: now) { _ in }
    }

    private func names(_ batch: [PendingSubscriptions.Entry]) -> [String] { batch.map(\.subscription.channel.name) }

    @Test("Channels of one connection travel together, and connections take turns (CP-26)")
    func turns() {
        var pending = PendingSubscriptions(.init(window: 100, batch: 3))
        for number in 0..<4 { #expect(add(1, "a\(number)", to: &pending)) }
        #expect(add(2, "b", to: &pending))
        #expect(names(pending.next()) == ["a0", "a1", "a2"])
        #expect(names(pending.next()) == ["b"])
        #expect(names(pending.next()) == ["a3"])
        #expect(pending.next().isEmpty && pending.underway == 5)
    }

    @Test("What can have a long answer travels alone (CP-26)")
    func alone() {
        var pending = PendingSubscriptions()
        for name in ["a", "cache-b", "c", "presence-d", "e", "f"] { #expect(add(1, name, to: &pending)) }
        var batches: [[String]] = []
        while case let batch = pending.next(), !batch.isEmpty { batches.append(names(batch)) }
        #expect(batches == [["a"], ["cache-b"], ["c"], ["presence-d"], ["e", "f"]])
    }

    @Test("The window bounds what is on its way (CP-27)")
    func window() {
        var pending = PendingSubscriptions(.init(window: 4, batch: 2))
        for number in 0..<10 { #expect(add(1, "a\(number)", to: &pending)) }
        #expect(pending.next().count == 2 && pending.next().count == 2)
        #expect(pending.next().isEmpty)
        for _ in 0..<3 { pending.answered(at: Self.start) }
        #expect(names(pending.next()) == ["a4", "a5"])
    }

    @Test("What is given up before it was sent is never sent (CP-27)")
    func givenUp() {
        var pending = PendingSubscriptions(.init(window: 1, batch: 1))
        for number in 0..<1_000 { #expect(add(1, "a\(number)", to: &pending)) }
        #expect(add(2, "b", to: &pending))
        #expect(names(pending.next()) == ["a0"])
        for number in 0..<1_000 {
            let key = PendingSubscriptions.Key(
                socketID: SocketID(high: 0, low: 1), channel: subscription(1, "a\(number)").channel)
            #expect(pending.giveUp(key) != nil)
        }
        #expect(pending.count == 1 && pending.underway == 1)
        #expect(pending.next().isEmpty)
        pending.answered(at: Self.start)
        #expect(names(pending.next()) == ["b"])
    }

    @Test("Too many are refused, and from a number on connections should wait (CP-28)")
    func bounds() {
        var pending = PendingSubscriptions(.init(comfortable: 2, most: 3))
        #expect(add(1, "a", to: &pending) && !pending.isFull(beside: 0) && pending.isFull(beside: 1))
        #expect(add(1, "b", to: &pending) && pending.isFull(beside: 0))
        #expect(add(2, "c", to: &pending))
        #expect(!add(3, "d", to: &pending))
    }

    @Test("Time is counted from the leader's last answer (CP-21)")
    func patience() {
        var pending = PendingSubscriptions(.init(window: 1, batch: 1))
        #expect(add(1, "a", to: &pending) && add(1, "b", to: &pending))
        #expect(pending.deadline(after: .seconds(30)) == Self.start + .seconds(30))
        #expect(names(pending.next()) == ["a"])
        let answered = Self.start + .seconds(20)
        pending.answered(at: answered)
        let key = PendingSubscriptions.Key(socketID: SocketID(high: 0, low: 1), channel: subscription(1, "a").channel)
        #expect(pending.take(key, number: 1) != nil)
        #expect(pending.overdue(at: answered + .seconds(29), after: .seconds(30)).isEmpty)
        #expect(names(pending.overdue(at: answered + .seconds(30), after: .seconds(30))) == ["b"])
        #expect(pending.deadline(after: .seconds(30)) == nil)
    }

    @Test("Connections that come and go without a leader leave nothing behind (CP-27)")
    func churn() {
        var pending = PendingSubscriptions(.init(window: 1, batch: 1))
        #expect(add(0, "stays", to: &pending) && names(pending.next()) == ["stays"])
        for connection in 1...100 as ClosedRange<UInt64> {
            for number in 0..<10 { #expect(add(connection, "a\(number)", to: &pending)) }
            for number in 0..<10 {
                let key = PendingSubscriptions.Key(
                    socketID: SocketID(high: 0, low: connection), channel: subscription(connection, "a\(number)").channel)
                #expect(pending.giveUp(key) != nil)
            }
        }
        #expect(pending.count == 1 && pending.remembered < 300)
    }
}
