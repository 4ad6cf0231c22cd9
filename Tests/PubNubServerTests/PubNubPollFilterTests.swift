import Identifiers
import NIOCore
import PubNubProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The work of filters on a server (rules PV-130 and PV-131)", .timeLimit(.minutes(1)))
struct PubNubPollFilterTests {
    /// A server with one event loop, so that all polls share it.
    private func withOneLoop(_ body: (LifelineServer) async throws -> Void) async throws {
        try await withServer(quietApplication, { $0.threads = 1 }, body)
    }

    /// What the only loop has done for filters.
    private func figures(_ server: LifelineServer) async throws -> (evaluations: Int, turns: Int, waiting: Int) {
        let loop = try #require(server.context.loops.first)
        return try await loop.eventLoop.submit {
            let queue = server.services.pubnub.mailboxes[loop.number].part.polls[0]?.filtering ?? FilterQueue()
            return (queue.evaluations, queue.turns, queue.waiting.count)
        }.get()
    }

    private func target(_ cursor: String, _ filter: String, _ channel: String = "room") -> String {
        "/v2/subscribe/demo/\(channel)/0?tt=\(cursor)&filter-expr=\(PercentEncoding.encode(filter))"
    }

    private func post(_ client: PollClient, _ payload: String) async throws {
        let reply = try await client.post("/publish/demo/demo/0/room/0", ByteBuffer(string: payload))
        try #require(reply.status == 200, "\(reply.body)")
    }

    @Test("Polls with the same filter have each message judged once")
    func shared() async throws {
        try await withOneLoop { server in
            let writer = try await PollClient.connect(server)
            let cursor = try await writer.handshake("room")
            var readers: [PollClient] = []
            for _ in 0..<20 {
                let reader = try await PollClient.connect(server)
                try await reader.send(target(cursor, "data.n > 3"))
                readers.append(reader)
            }
            try await server.holds(20)
            for number in 1...4 { try await writer.publish(#"{"n":\#(number)}"#, to: "room") }
            var cursors: Set<Identifier> = []
            for reader in readers {
                let reply = try await reader.reply()
                #expect(reply.payloads == [#"{"n":4}"#])
                cursors.insert(Identifier(reply.cursor))
            }
            #expect(cursors.count == 1)
            let figures = try await figures(server)
            #expect(figures.evaluations == 4 && figures.waiting == 0)
        }
    }

    @Test("Filters that are much work take turns with other requests, and every poll gets its message")
    func turns() async throws {
        try await withOneLoop { server in
            let writer = try await PollClient.connect(server)
            let cursor = try await writer.handshake("room")
            // About 600,000 units of work each, of the 1,048,576 of a turn.
            let readers = [0, 1, 2, 3, 4, 5]
            var clients: [PollClient] = []
            for number in readers {
                let filter = (0..<18).map { "data.text contains 'b\(number)\($0)'" }.joined(separator: " || ") + " || data.n > 0"
                let reader = try await PollClient.connect(server)
                try await reader.send(target(cursor, filter))
                clients.append(reader)
            }
            let plain = try await PollClient.connect(server)
            try await plain.send("/v2/subscribe/demo/room/0?tt=\(cursor)")
            try await server.holds(readers.count + 1)
            try await post(writer, #"{"n":1,"text":"\#(String(repeating: "a", count: 32_000))"}"#)
            #expect(try await writer.get("/health").status == 200)
            #expect(try await plain.reply().messages.count == 1)
            for client in clients { #expect(try await client.reply().messages.count == 1) }
            let figures = try await figures(server)
            #expect(figures.evaluations == readers.count && figures.waiting == 0)
            // Two of them are more than a turn has, so there were three turns at least, with requests in between.
            #expect(figures.turns >= readers.count / 2)
        }
    }

    @Test("What passes comes in order and without loss, over several answers")
    func paging() async throws {
        try await withOneLoop { server in
            let client = try await PollClient.connect(server)
            var cursor = try await client.handshake("a,b,c,d")
            for number in 0..<320 { try await client.publish("\(number)", to: ["a", "b", "c", "d"][number % 4]) }
            var received: [String] = []
            for _ in 0..<3 where received.count < 160 {
                let reply = try await client.get(target(cursor, "data % 2 == 1", "a,b,c,d"))
                #expect(reply.messages.count <= 100)
                received += reply.payloads
                cursor = reply.cursor
            }
            #expect(received == stride(from: 1, to: 320, by: 2).map { "\($0)" })
        }
    }

    @Test("A poll with a filter is answered with nothing when a group changes, and when the server ends")
    func emptyAnswers() async throws {
        try await withOneLoop { server in
            let client = try await PollClient.connect(server)
            try await server.changeGroup("g", adding: ["x"])
            let cursor = try await client.get("/v2/subscribe/demo/,/0?tt=0&channel-group=g").cursor
            try await client.send(target(cursor, "n == 1", ",") + "&channel-group=g")
            try await server.holds(1)
            try await server.changeGroup("g", adding: ["y"])
            let reply = try await client.reply()
            #expect(reply.status == 200 && reply.messages.isEmpty)
            try await client.send(target(reply.cursor, "n == 1", ",") + "&channel-group=g")
            try await server.holds(1)
            async let stop: Void = server.stop()
            let last = try await client.reply()
            #expect(last.status == 200 && last.messages.isEmpty && last.head.contains("connection: close"))
            try await stop
        }
    }

    @Test("A client that goes while its filter works leaves nothing behind")
    func leaving() async throws {
        try await withOneLoop { server in
            let writer = try await PollClient.connect(server)
            let cursor = try await writer.handshake("room")
            let filter = (0..<20).map { "data.text contains 'b\($0)'" }.joined(separator: " || ")
            for number in 0..<4 {
                let reader = try await PollClient.connect(server)
                try await reader.send(target(cursor, filter + " || data.n == \(number)"))
                try await server.holds(1)
                try await post(writer, #"{"n":-1,"text":"\#(String(repeating: "a", count: 32_000))"}"#)
                await reader.socket.close()
                try await server.holds(0)
            }
            #expect(try await writer.get("/health").status == 200)
            while try await figures(server).waiting > 0 { await Task.yield() }
        }
    }

    @Test("A filter with too many operators gets 481 with the place")
    func tooManyOperators() async throws {
        try await withOneLoop { server in
            let client = try await PollClient.connect(server)
            let filter = (0..<630).map { _ in "data.text contains 'b'" }.joined(separator: " || ")
            let reply = try await client.get(target("1", filter))
            #expect(reply.status == 481)
            let message = try JSONText(reply.body)["message"]?.string
            #expect(message == "The filter has more than 128 operators at byte 1674")
            #expect(try await client.get("/time/0").status == 200)
        }
    }

    @Test("Compiled filters are bounded in number and in bytes")
    func table() throws {
        let filter = PollFilter(try PubNubFilter("a == 1"))
        var table = FilterTable()
        for number in 0..<FilterTable.maximumCount { table.insert(filter, for: Array("\(number)".utf8)) }
        #expect(table.count == FilterTable.maximumCount && table.find(Array("7".utf8)) != nil)
        table.insert(filter, for: Array("more".utf8))
        #expect(table.count == 1 && table.find(Array("7".utf8)) == nil)
        let long = [UInt8](repeating: 0x61, count: 30_000)
        for number in 0..<100 as Range<UInt8> {
            table.insert(filter, for: long + [number])
            #expect(table.count * 30_000 <= FilterTable.maximumBytes + 30_000)
        }
    }
}
