import LifelineServer
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("Long lists of members (SP-67)", .timeLimit(.minutes(1)))
struct PresenceBoundTests {
    // Proof of SP-67.
    @Test("A user whose list of members would be too long is refused and changes nothing; nobody is cut for being sent the list")
    func listBytes() async throws {
        var application = quietApplication
        application.limits.presenceMembers = 10_000
        try await withServer(application, { $0.maximumPendingBytes = 65_536 }) { server in
            let info = String(repeating: "i", count: 900)
            func member(_ number: Int) -> String { #"{"user_id":"u\#(number)","user_info":"\#(info)"}"# }
            let last = try await TestClient.connect(server)
            var clients: [TestClient] = []
            // Each member takes a little more than its information in a list of 32 KiB.
            while clients.count < 40 {
                let client = try await TestClient.connect(server)
                try await client.requestSubscription("presence-x", channelData: member(clients.count))
                guard case .message(let answer) = try await client.next(), answer.event == PusherEventName.subscriptionSucceeded
                else {
                    await client.closeSocket()
                    break
                }
                clients.append(client)
            }
            let count = clients.count
            #expect((30...36).contains(count))
            for number in [count, count + 1] {
                try await last.requestSubscription("presence-x", channelData: member(number))
                #expect(try await last.expectError().message.contains("32768 bytes"))
            }
            // A user who is there already makes the list no longer.
            try await last.subscribe("presence-x", channelData: member(0))
            let users = try await server.get("/apps/1001/channels/presence-x", query: [("info", "user_count")])
            #expect(users.body == #"{"occupied":true,"user_count":\#(count)}"#)
            #expect(server.statistics.slowSubscribersCut == 0)
            // The first member has heard of those who came, and of nobody else.
            for _ in 1..<count { try await clients[0].expect(PusherEventName.memberAdded) }
            try await clients[0].expectSilence()
            for client in clients + [last] { await client.closeSocket() }
            // The question came over HTTP, whose connection may stay.
            #expect(try await server.leftoversInTheEnd(sockets: false) == Leftovers())
        }
    }
}
