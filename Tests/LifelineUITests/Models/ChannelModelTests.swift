import Lifeline
import LifelineTesting
import LifelineUI
import Testing

private struct Price: Codable, Hashable, Sendable {
    var company: String
    var cents: Int
}

@MainActor
@Suite(.timeLimit(.minutes(5))) struct ChannelModelTests {
    private let service = TestService()

    /// A model whose channel is subscribed, and the task that keeps it so.
    private func running(
        _ client: LifelineClient, event: String? = nil, history: Int = 0, limit: Int = 100
    ) async throws -> (ChannelModel<Price>, Task<Void, Never>) {
        let model = ChannelModel(client.channel("prices"), of: Price.self, event: event, history: history, limit: limit)
        #expect(model.phase == .idle)
        let task = Task { await model.run() }
        try await service.until { model.phase == .live }
        try await service.until { service.waitingLoopCount == 2 }
        return (model, task)
    }

    private func connected() async throws -> LifelineClient {
        let client = LifelineClient(service.pubnub(user: "me"))
        try await client.connect()
        return client
    }

    private func text(_ model: ChannelModel<Price>) -> [String] {
        model.rows.map { row in
            switch row.content {
            case .value(let price, _): "\(price.company) \(price.cents)"
            case .undecodable: "undecodable"
            case .unreadable: "unreadable"
            case .gap(nil): "away"
            case .gap: "gap"
            }
        }
    }

    @Test func `UI-2: messages become rows, and what is no such value is a row, too`() async throws {
        let (model, task) = try await running(connected())
        try await service.deliver(Price(company: "A", cents: 1), on: "prices")
        try await service.deliver("nonsense", on: "prices")
        #expect(text(model) == ["A 1", "undecodable"])
        #expect(model.values == [Price(company: "A", cents: 1)])
        #expect(Set(model.rows.map(\.id)).count == 2)
        task.cancel()
    }

    @Test func `UI-2: of an event that is asked for others are left out`() async throws {
        let (model, task) = try await running(connected(), event: "price")
        try await service.deliver(Price(company: "A", cents: 1), event: "price", on: "prices")
        try await service.deliver(Price(company: "B", cents: 1), event: "other", on: "prices")
        #expect(text(model) == ["A 1"])
        task.cancel()
    }

    @Test func `UI-3: an outage leaves a gap in its place`() async throws {
        let (model, task) = try await running(connected())
        try await service.deliver(Price(company: "A", cents: 1), on: "prices")
        service.loseMessages()
        try await service.drop(.reset)
        try await service.advance(by: .seconds(30))
        try await service.deliver(Price(company: "A", cents: 2), on: "prices")
        #expect(text(model) == ["A 1", "gap", "A 2"] && model.phase == .live)
        task.cancel()
    }

    @Test func `UI-4: the list begins with the history, each message once`() async throws {
        let client = try await connected()
        for cents in 1...3 { _ = try await client.channel("prices").publish(Price(company: "A", cents: cents)) }
        let (model, task) = try await running(client, history: 2)
        #expect(text(model) == ["A 2", "A 3"] && model.hasOlder)
        try await service.deliver(Price(company: "A", cents: 4), on: "prices")
        #expect(text(model) == ["A 2", "A 3", "A 4"])
        await model.loadOlder()
        #expect(text(model) == ["A 1", "A 2", "A 3", "A 4"] && !model.hasOlder)
        await model.loadOlder()
        #expect(model.rows.count == 4 && model.historyProblem == nil)
        task.cancel()
    }

    @Test func `UI-8: older pages with other events only are passed over`() async throws {
        let client = try await connected()
        let channel = client.channel("prices")
        _ = try await channel.publish(Price(company: "A", cents: 1), event: "price")
        for cents in 2...4 { _ = try await channel.publish(Price(company: "B", cents: cents), event: "other") }
        for cents in 5...6 { _ = try await channel.publish(Price(company: "A", cents: cents), event: "price") }
        let (model, task) = try await running(client, event: "price", history: 2)
        #expect(text(model) == ["A 5", "A 6"] && model.hasOlder)
        await model.loadOlder(2)
        #expect(text(model) == ["A 5", "A 6"] && model.hasOlder)
        await model.loadOlder(3)
        #expect(text(model) == ["A 1", "A 5", "A 6"] && !model.hasOlder)
        task.cancel()
    }

    @Test func `UI-8: a list whose history has other events only begins before them`() async throws {
        let client = try await connected()
        let channel = client.channel("prices")
        _ = try await channel.publish(Price(company: "A", cents: 1), event: "price")
        for cents in 2...3 { _ = try await channel.publish(Price(company: "B", cents: cents), event: "other") }
        let (model, task) = try await running(client, event: "price", history: 2)
        #expect(model.rows.isEmpty && model.hasOlder)
        await model.loadOlder()
        #expect(text(model) == ["A 1"] && !model.hasOlder)
        task.cancel()
    }

    @Test func `UI-5: rows are bounded, and the oldest ones go`() async throws {
        let (model, task) = try await running(connected(), limit: 3)
        for cents in 1...5 { try await service.deliver(Price(company: "A", cents: cents), on: "prices") }
        #expect(text(model) == ["A 3", "A 4", "A 5"] && !model.hasOlder)
        task.cancel()
    }

    @Test func `UI-6: who is there`() async throws {
        let client = try await connected()
        try await service.join("ben", to: "prices")
        let (model, task) = try await running(client)
        try await service.join("ann", to: "prices")
        #expect(Set(model.members.map(\.id)) == ["ben", "me", "ann"])
        try await service.leave("ben", from: "prices")
        #expect(Set(model.members.map(\.id)) == ["me", "ann"])
        task.cancel()
    }

    @Test func `UI-2: the end of the task ends the subscription, and a later one says what it has not seen`() async throws {
        let client = try await connected()
        let (model, task) = try await running(client)
        try await service.deliver(Price(company: "A", cents: 1), on: "prices")
        task.cancel()
        await task.value
        #expect(model.phase == .idle && model.members.isEmpty && service.waitingLoopCount == 0)
        let again = Task { await model.run() }
        try await service.until { model.phase == .live && service.waitingLoopCount == 2 }
        // While it runs, another call does nothing.
        await model.run()
        try await service.deliver(Price(company: "A", cents: 2), on: "prices")
        #expect(text(model) == ["A 1", "away", "A 2"])
        again.cancel()
    }

    @Test func `UI-2: a channel that is refused is said so, and may be tried again`() async throws {
        let client = try await connected()
        let model = ChannelModel(client.channel("a*b"), of: Price.self)
        await model.run()
        guard case .failed(let error) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(error.code == .badRequest)
        await model.run()
        #expect(model.phase == .failed(error))
    }
}
