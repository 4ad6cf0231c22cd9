import LifelineServer
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("One order for all, over several event loops (SV-2)", .timeLimit(.minutes(1)))
struct OrderTests {
    @Test("All subscribers see the messages of several publishers in the same order")
    func sameOrder() async throws {
        try await withServer(quietApplication, { $0.threads = 4 }) { server in
            var clients: [TestClient] = []
            for _ in 0..<8 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("room")
                clients.append(client)
            }
            let publishers = 6
            let each = 100
            try await withThrowingTaskGroup(of: Void.self) { group in
                for publisher in 0..<publishers {
                    group.addTask {
                        for number in 0..<each {
                            try server.publish(channel: "room", event: "e", data: "\(publisher * each + number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
            var orders: Set<[String]> = []
            for client in clients {
                var order: [String] = []
                for _ in 0..<(publishers * each) { order.append(try await client.expect("e").data ?? "") }
                orders.insert(order)
                try await client.expectSilence()
            }
            #expect(orders.count == 1)
            let order = orders.first?.compactMap { Int($0) } ?? []
            for publisher in 0..<publishers {
                let own = order.filter { $0 / each == publisher }
                #expect(own == own.sorted() && own.count == each)
            }
        }
    }

    @Test("Whoever joins in the middle sees the cached event first and each later event once")
    func cacheThenLive() async throws {
        try await withServer(quietApplication, { $0.threads = 4 }) { server in
            let publishing = Task {
                var number = 0
                while !Task.isCancelled {
                    try server.publish(channel: "cache-count", event: "e", data: "\(number)")
                    number += 1
                    // As fast as the loops are, or readers on a loaded machine would be cut as slow.
                    if number.isMultiple(of: 20) { _ = try await server.mostPendingBytes() }
                }
            }
            for _ in 0..<10 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("cache-count")
                var numbers: [Int] = []
                while numbers.count < 40 {
                    let next = try await client.next()
                    try #require(next != .end)
                    // Before anything has been published there is nothing in the cache, which is told, too.
                    guard case .message(let message) = next, message.event == "e" else { continue }
                    numbers.append(try #require(message.data.flatMap { Int($0) }))
                }
                #expect(numbers == Array(numbers[0]..<numbers[0] + 40))
                await client.closeSocket()
            }
            publishing.cancel()
            _ = await publishing.result
        }
    }

    @Test("Members added and removed always fit the list that a subscriber started with")
    func presence() async throws {
        try await withServer(quietApplication, { $0.threads = 4 }) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 0..<6 {
                    for _ in 0..<2 { group.addTask { try await churn(server, user: "u\(user)", rounds: 25) } }
                }
                for number in 0..<4 {
                    group.addTask { try await observe(server, user: "observer\(number)", changes: 60) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Joins and leaves again and again, on one connection, and reads what comes meanwhile.
    private func churn(_ server: LifelineServer, user: String, rounds: Int) async throws {
        let client = try await TestClient.connect(server)
        for _ in 0..<rounds {
            try await client.requestSubscription("presence-x", user: user)
            try await client.skip(to: PusherEventName.subscriptionSucceeded)
            try await client.send(PusherClientFrames.unsubscribe(channel: "presence-x"))
        }
        await client.closeSocket()
    }

    /// Follows the changes: nobody is added twice, and nobody removed who was not there.
    private func observe(_ server: LifelineServer, user: String, changes: Int) async throws {
        let client = try await TestClient.connect(server)
        try await client.requestSubscription("presence-x", user: user)
        let start = try await client.expect(PusherEventName.subscriptionSucceeded)
        var present = Set(PusherMember.list(parsing: start.data ?? "")?.map(\.userID) ?? [])
        #expect(present.contains(user))
        var seen = 0
        while seen < changes {
            // The churning may have ended before: then a pong comes when nothing else does.
            try await client.send(#"{"event":"pusher:ping","data":{}}"#)
            guard case .message(let message) = try await client.next() else { continue }
            seen += 1
            guard let member = PusherMember(parsing: message.data ?? "")?.userID else { continue }
            switch message.event {
            case PusherEventName.memberAdded: #expect(present.insert(member).inserted)
            case PusherEventName.memberRemoved: #expect(present.remove(member) != nil)
            default: continue
            }
        }
        await client.closeSocket()
    }
}
