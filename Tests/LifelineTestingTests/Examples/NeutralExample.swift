import Lifeline
import LifelineTesting
import Testing

/// Shows the latest price, and whether it can be trusted.
actor PriceBoard {
    private(set) var price: Int?
    private(set) var isStale = false

    func follow(_ room: Room) async {
        for await delivery in room.deliveries {
            switch delivery {
            case .message(let message): (price, isStale) = (try? message.decode(Int.self), false)
            case .gap: isStale = true
            case .failed: continue
            }
        }
    }
}

@Test func `a price is stale after an outage until the next one comes`() async throws {
    let service = TestService()
    let client = LifelineClient(service.pusher())
    try await client.connect()
    let room = try await client.channel("prices").subscribe()
    let board = PriceBoard()
    Task { await board.follow(room) }
    // From here on every step waits for what the loop of the board does.
    try await service.until { service.waitingLoopCount == 1 }

    try await service.deliver(3, on: "prices")
    #expect(await board.price == 3)

    try await service.drop(.reset)
    #expect(client.status.phase == .waiting)
    try await service.advance(by: .seconds(30))
    #expect(client.status.phase == .connected)
    #expect(await board.isStale)

    try await service.deliver(4, on: "prices")
    #expect(await board.price == 4)
    #expect(await !board.isStale)
}
