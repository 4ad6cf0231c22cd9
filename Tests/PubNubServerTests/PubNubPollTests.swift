import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Polls of PubNub's API (PV-6 to PV-16)", .timeLimit(.minutes(1)))
struct PubNubPollTests {
    @Test("A handshake gets the current cursor at once, whether tt is 0 or missing")
    func handshake() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let first = try await client.get("/v2/subscribe/demo/room/0?tt=0&uuid=u")
            #expect(first.status == 200)
            #expect(first.head.contains("content-type: text/javascript; charset=\"UTF-8\""))
            #expect(first.head.contains("access-control-allow-origin: *"))
            #expect(first.body == #"{"t":{"t":"\#(first.cursor)","r":\#(first.region)},"m":[]}"#)
            #expect(first.cursor.count == 17)
            let second = try await client.get("/v2/subscribe/demo/room/0?uuid=u")
            #expect(second.cursor.count == 17)
            #expect(second.messages.isEmpty)
        }
    }

    @Test("A publish releases a held poll, and the next poll gets nothing again")
    func release() async throws {
        try await withServer { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&tr=1&uuid=u")
            try await server.holds(1)
            let token = try await writer.publish(#"{"text":"hey"}"#, to: "room", "&meta=%7B%22a%22%3A1%7D&seqn=7")
            let reply = try await reader.reply()
            #expect(
                reply.body
                    == #"{"t":{"t":"\#(reply.cursor)","r":\#(reply.region)},"m":[{"a":"1","f":0,"i":"p","s":7,"p":{"t":"\#(token)","#
                    + #""r":\#(reply.region)},"k":"demo","c":"room","u":{"a":1},"d":{"text":"hey"}}]}"#)
            #expect(reply.cursor == token)
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(reply.cursor)&uuid=u")
            try await server.holds(1)
            #expect(await reader.isSilent())
            #expect(server.statistics.messagesPolled == 1)
        }
    }

    // Proof of PV-10.
    @Test("The end of the hold answers with nothing and keeps the connection")
    func holdEnds() async throws {
        try await withServer(quietApplication, { $0.pollHold = .milliseconds(150) }) { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            for _ in 0..<2 {
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(reply.status == 200 && reply.messages.isEmpty)
                #expect(reply.cursor >= cursor)
                #expect(reply.head.contains("connection: keep-alive"))
            }
        }
    }

    @Test("A client that closes its connection releases its poll at once")
    func close() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            await client.socket.close()
            try await server.holds(0)
        }
    }

    @Test("A stop answers held polls and closes their connections")
    func drain() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            try await server.stop()
            let reply = try await client.reply()
            #expect(reply.status == 200 && reply.messages.isEmpty)
            #expect(reply.head.contains("connection: close"))
            #expect(try await client.socket.next() == nil)
        }
    }

    @Test("What was published meanwhile is caught up with, oldest first, 100 messages at most")
    func queue() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            for number in 0..<150 { try await client.publish("\(number)", to: "room") }
            let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(reply.payloads == (50..<150).map { "\($0)" })
        }
    }

    // Proof of PV-11, HB-27.
    @Test("More than 100 messages over several channels come in several answers, without loss or repetition")
    func cut() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            var cursor = try await client.handshake("a,b")
            for number in 0..<160 { try await client.publish("\(number)", to: number % 2 == 0 ? "a" : "b") }
            var received: [String] = []
            for _ in 0..<2 {
                let reply = try await client.get("/v2/subscribe/demo/a,b/0?tt=\(cursor)&uuid=u")
                received += reply.payloads
                cursor = reply.cursor
            }
            #expect(received == (0..<160).map { "\($0)" })
        }
    }

    @Test("A changed list neither loses nor repeats a message")
    func listChange() async throws {
        try await withServer { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            var cursor = try await reader.handshake("a")
            var received: [String] = []
            for number in 0..<40 {
                try await writer.publish("\(number)", to: "a")
                let list = ["a", "a,b", "b,a,c"][number % 3]
                let reply = try await reader.get("/v2/subscribe/demo/\(list)/0?tt=\(cursor)&uuid=u")
                received += reply.payloads
                cursor = reply.cursor
            }
            #expect(received == (0..<40).map { "\($0)" })
        }
    }

    @Test("Requests behind a held poll wait for its answer")
    func pipelining() async throws {
        try await withServer { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await reader.send("/time/0")
            try await reader.send("/health")
            try await server.holds(1)
            #expect(await reader.isSilent())
            try await writer.publish("1", to: "room")
            #expect(try await reader.reply().payloads == ["1"])
            #expect(try await reader.reply().body.hasPrefix("[1"))
            #expect(try await reader.reply().body == #"{"status":"ok"}"#)
        }
    }

    @Test("An answer's cursor is that of its last message, so that another channel can be read from there (PV-111)")
    func cursorOfLastMessage() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let start = try await client.handshake("a")
            let first = try await client.publish("1", to: "a", "&meta=%7B%22x%22%3A2%7D")
            try await client.publish("2", to: "b")
            try await client.publish("3", to: "a", "&meta=%7B%22x%22%3A1%7D")
            let filtered = try await client.get("/v2/subscribe/demo/a/0?tt=\(start)&uuid=u&filter-expr=x%21%3D1")
            #expect(filtered.payloads == ["1"] && filtered.cursor == first)
            let answer = try await client.get("/v2/subscribe/demo/a/0?tt=\(start)&uuid=u")
            #expect(answer.payloads == ["1", "3"])
            try await client.publish("4", to: "b")
            let other = try await client.get("/v2/subscribe/demo/b/0?tt=\(filtered.cursor)&uuid=u")
            #expect(other.payloads == ["2", "4"])
            #expect(try await client.get("/v2/subscribe/demo/b/0?tt=\(answer.cursor)&uuid=u").payloads == ["4"])
        }
    }

    @Test("Polls that share an answer get the cursor of its last message (PV-14, PV-111)")
    func cursorOfSharedAnswer() async throws {
        try await withServer { server in
            let writer = try await PollClient.connect(server)
            let start = try await writer.handshake("a")
            var readers: [PollClient] = []
            for number in 0..<4 {
                let reader = try await PollClient.connect(server)
                try await reader.send("/v2/subscribe/demo/a/0?tt=\(start)&uuid=u\(number)")
                readers.append(reader)
            }
            try await server.holds(4)
            let token = try await writer.publish("1", to: "a")
            try await writer.publish("2", to: "b")
            for reader in readers {
                let answer = try await reader.reply()
                #expect(answer.payloads == ["1"] && answer.cursor == token)
                #expect(try await reader.get("/v2/subscribe/demo/b/0?tt=\(answer.cursor)").payloads == ["2"])
            }
        }
    }
}
