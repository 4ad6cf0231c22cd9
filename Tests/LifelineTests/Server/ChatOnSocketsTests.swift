import Lifeline
import LifelineServer
import Testing

/// The neutral API over chat against a real server on real sockets.
@Suite("The neutral API over chat on sockets", .timeLimit(.minutes(1)))
struct ChatOnSocketsTests {
    @Test("Connect, subscribe, publish, receive, see who is there, read history, disconnect")
    func wholeLife() async throws {
        try await withServer { host, server in
            let ann = try await client(host, server, "ann", presence: true)
            let ben = try await client(host, server, "ben", presence: true)
            try await ann.connect()
            try await ben.connect()
            let direct = try await ann.channel("direct:ben").subscribe()
            let room = try await ann.channel("room").subscribe()
            let changes = try room.presence.changes
            let other = try await ben.channel("open:room").subscribe()
            #expect(await first(of: changes) { $0.member.id == "ben" }?.action == .join)

            guard case .accepted(let id?) = try await ben.channel("direct:ann").publish(["content": "hi"]) else {
                Issue.record("not accepted")
                return
            }
            let message = try #require(await first(of: direct.messages) { _ in true })
            #expect(message.id == id)
            #expect(message.event == Message.defaultEvent)
            #expect(message.user == "ben")
            #expect(try message.decode([String: String].self) == ["content": "hi"])

            for number in 1...3 { #expect(try await other.publish(["n": number], event: "my:type").isAccepted) }
            var numbers: [Int] = []
            for await message in room.messages.prefix(3) { numbers.append(try message.decode([String: Int].self)["n"] ?? 0) }
            #expect(numbers == [1, 2, 3])
            #expect(try await room.history(last: 2).map(\.text) == [#"{"n":2}"#, #"{"n":3}"#])
            #expect(try await direct.history(last: 5).map(\.id) == [id])
            #expect(try await ann.channel("room").members().map(\.id).sorted() == ["ann", "ben"])
            await ann.disconnect()
            #expect(ann.status.phase == .disconnected)
        }
    }

    @Test("A restart of the server's sessions loses nothing and is no gap")
    func restart() async throws {
        try await withServer { host, server in
            let ann = try await client(host, server, "ann")
            let ben = try await client(host, server, "ben")
            try await ann.connect()
            let direct = try await ann.channel("direct:ben").subscribe()
            let deliveries = direct.deliveries
            try await ben.connect()
            #expect(try await ben.channel("direct:ann").publish(["n": 1]).isAccepted)
            server.disconnectChat()
            // Goes out on whichever connection there is, once.
            #expect(try await ben.channel("direct:ann").publish(["n": 2]).isAccepted)
            var told: [String] = []
            for await delivery in deliveries.prefix(2) {
                if case .message(let message) = delivery { told.append(message.text) } else { told.append("other") }
            }
            #expect(told == [#"{"n":1}"#, #"{"n":2}"#])
        }
    }

    @Test("A second device of the class ends the first one's connection for good")
    func kicked() async throws {
        try await withServer { host, server in
            let one = try await client(host, server, "ann")
            try await one.connect()
            let statuses = one.statuses
            let two = try await client(host, server, "ann")
            try await two.connect()
            for await status in statuses where status.phase == .failed {
                #expect(status.category == .kicked)
                #expect(status.cause?.code == 31_010)
                break
            }
            #expect(two.status.phase == .connected)
        }
    }

    @Test("A token that is not valid fails with the service's number; a group wants its members")
    func refusals() async throws {
        try await withServer { host, server in
            let nobody = LifelineClient(
                .nexconn(appKey: "app-key", host: host, access: .token("nonsense")))
            let error = await #expect(throws: LifelineError.self) { try await nobody.connect() }
            #expect(error?.code == .init(.credentialsRejected))
            #expect(error?.number == 31_004)

            let ann = try await client(host, server, "ann")
            try await ann.connect()
            let refused = await #expect(throws: LifelineError.self) { try await ann.channel("group:g").subscribe() }
            #expect(refused?.number == 25_410)
        }
    }

    private func client(
        _ host: ServiceHost, _ server: LifelineServer, _ user: String, presence: Bool = false
    ) async throws -> LifelineClient {
        let token = try await server.issueChatToken(user: user)
        return LifelineClient(.nexconn(appKey: "app-key", host: host, access: .token(token), presence: presence))
    }

    private func first<S: AsyncSequence>(
        of sequence: S, where test: (S.Element) -> Bool
    ) async -> S.Element? where S.Failure == Never {
        for await element in sequence where test(element) { return element }
        return nil
    }

    private func withServer(_ body: (ServiceHost, LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(200)))
        do {
            try await body(ServiceHost("127.0.0.1", port: server.port, tls: false), server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
