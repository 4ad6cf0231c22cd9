import NIOCore
import PusherProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Long lists of channels (SR-69)", .timeLimit(.minutes(1)))
struct ChannelListQueryTests {
    /// Subscribes one connection to channels named `prefix-0`, `prefix-1` and so on.
    private func subscribe(_ client: TestClient, _ prefix: String, _ count: Int) async throws {
        for number in 0..<count { try await client.send(PusherClientFrames.subscribe(channel: "\(prefix)-\(number)")) }
        for _ in 0..<count { try await client.expect(PusherEventName.subscriptionSucceeded) }
    }

    // Proof of SR-69.
    @Test("A list of many channels is complete and in order, and answers stay in the order of their requests")
    func long() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            let count = ChannelListQuery.few + 200
            try await subscribe(client, "room", count)
            let names = (0..<count).map { "room-\($0)" }.sorted()
            let expected = #"{"channels":{\#(names.map { "\"\($0)\":{}" }.joined(separator: ","))}}"#
            let asker = try await PollClient.connect(server)
            for target in [server.signedTarget("GET", "/apps/1001/channels"), "/health", "/apps/1001/channels"] {
                try await asker.send(target)
            }
            #expect(try await asker.reply().body == expected)
            #expect(try await asker.reply().body.contains("ok"))
            #expect(try await asker.reply().status == 401)
            let part = try await server.get("/apps/1001/channels", query: [("filter_by_prefix", "room-11")])
            #expect(part.body.split(separator: ":{}").count == names.count { $0.hasPrefix("room-11") } + 1)
            await client.closeSocket()
        }
    }

    // Proof of SR-69.
    @Test("A list that is too long is refused with advice, and its parts are not")
    func bounded() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await subscribe(client, "room", 100)
            let application = quietApplication
            func list(_ query: String, limit: Int) throws -> HTTPAnswer {
                let request = RESTRequest(
                    method: "GET", target: try RequestTarget(parsing: "/apps/1001/channels" + query), body: [])
                return try ChannelListQuery(request, of: application).answer(from: server.services.pusher, limit: limit)
            }
            #expect(throws: HTTPProblem.self) { try list("", limit: 500) }
            #expect(try list("", limit: 10_000).status == 200)
            #expect(try list("?filter_by_prefix=room-1", limit: 500).status == 200)
            do {
                _ = try list("", limit: 500)
            } catch let problem as HTTPProblem {
                #expect(problem.status == 400 && problem.message.contains("filter_by_prefix"))
            }
            await client.closeSocket()
        }
    }
}
