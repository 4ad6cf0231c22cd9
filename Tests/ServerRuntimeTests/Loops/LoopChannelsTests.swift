import Testing

@testable import ServerRuntime

@Suite("Lists of the connections of an event loop (SV-2)", .timeLimit(.minutes(1)))
struct LoopChannelsTests {
    private final class Connection: ListedConnection, SeatedConnection {
        typealias ChannelID = String

        var place = -1
        var seats: ShortList<LoopSeat<Connection>> = []
    }

    private let slot = MetricSlot(index: 0)

    @Test("A connection leaves the list of connections by its place, once")
    func list() {
        let connections = (0..<4).map { _ in Connection() }
        var list = ConnectionList<Connection>()
        for connection in connections { list.add(connection) }
        for (index, left) in [(1, 3), (1, 3), (3, 2), (0, 1), (2, 0)] {
            list.remove(connections[index])
            #expect(list.all.count == left)
            #expect(connections[index].place == -1)
            #expect(list.all.enumerated().allSatisfy { $1.place == $0 })
        }
    }

    @Test("Subscribers are those who were attached and not detached, in whatever order")
    func channels() {
        var random = SystemRandomNumberGenerator()
        let connections = (0..<20).map { _ in Connection() }
        var channels = LoopChannels<Connection>()
        var expected: [String: Set<Int>] = [:]
        for _ in 0..<5_000 {
            let (index, id) = (Int.random(in: 0..<20, using: &random), "channel \(Int.random(in: 0..<8, using: &random))")
            let connection = connections[index]
            #expect(channels.contains(connection, in: id) == (expected[id]?.contains(index) ?? false))
            switch Int.random(in: 0..<16, using: &random) {
            case 0:
                channels.detachAll(connection)
                for id in expected.keys { expected[id]?.remove(index) }
                #expect(connection.seats.isEmpty)
            case 1..<8:
                channels.detach(connection, from: id)
                expected[id]?.remove(index)
            default:
                guard !channels.contains(connection, in: id) else { continue }
                channels.attach(connection, to: id, countedAt: slot)
                expected[id, default: []].insert(index)
            }
            for (id, indices) in expected {
                let subscribers = channels[id]?.connections ?? []
                #expect(subscribers.count == indices.count)
                #expect(indices.allSatisfy { index in subscribers.contains { $0 === connections[index] } })
                #expect((channels[id] == nil) == indices.isEmpty)
            }
        }
    }
}
