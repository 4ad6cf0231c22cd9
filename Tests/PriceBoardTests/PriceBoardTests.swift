import Lifeline
import LifelineTesting
import PriceBoard
import Testing

/// The tests that the author of the example app would write.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct PriceBoardTests {
    private let service = TestService()

    /// A board that is connected, with its loops at work: statuses, prices, people, proposals.
    private func running() async throws -> (PriceBoard, Task<Void, any Error>) {
        let board = PriceBoard(service.pubnub(user: "me"))
        let task = Task { try await board.run() }
        try await service.until { service.waitingLoopCount == 4 }
        return (board, task)
    }

    @Test func `UI-4: the board opens with what was there, and goes on`() async throws {
        let feed = LifelineClient(service.pubnub(user: "feed"))
        for cents in [1, 2] {
            _ = try await feed.channel("prices").publish(Price(company: "ACME", cents: cents), event: "price")
        }
        let (board, task) = try await running()
        #expect(board.latest == ["ACME": 2] && board.prices.rows.count == 2)
        try await service.deliver(Price(company: "Umbrella", cents: 7), event: "price", on: "prices")
        #expect(board.latest == ["ACME": 2, "Umbrella": 7])
        task.cancel()
    }

    @Test func `UI-3: after an outage the board is stale until the next price`() async throws {
        let (board, task) = try await running()
        try await service.deliver(Price(company: "ACME", cents: 1), event: "price", on: "prices")
        service.loseMessages()
        try await service.drop(.reset)
        #expect(board.banner.isVisible)
        try await service.advance(by: .seconds(30))
        #expect(!board.banner.isVisible && board.isStale)
        try await service.deliver(Price(company: "ACME", cents: 2), event: "price", on: "prices")
        #expect(!board.isStale && board.latest == ["ACME": 2])
        task.cancel()
    }

    @Test func `LL-93: a proposal waits for the connection, and one that is refused can be tried again`() async throws {
        let (board, task) = try await running()
        service.refuse(.unreachable)
        try await service.drop(.reset)
        try board.propose(Price(company: "ACME", cents: 3))
        try await service.until { board.proposals.map(\.state) == [.waiting] }
        service.answerPublishing(.refused(reason: "Not today."))
        try await service.accept()
        try await service.advance(by: .seconds(120))
        try await service.until { board.proposals.map(\.state.isFailed) == [true] }
        service.answerPublishing(.accepted)
        try board.retry(#require(board.proposals.first))
        try await service.until { board.proposals.isEmpty && board.latest == ["ACME": 3] }
        task.cancel()
    }

    @Test func `UI-6: who is looking`() async throws {
        let (board, task) = try await running()
        try await service.join("ann", to: "prices")
        #expect(Set(board.people) == ["me", "ann"])
        task.cancel()
    }
}
