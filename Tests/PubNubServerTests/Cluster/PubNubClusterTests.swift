import NIOCore
import PubNubProtocol
import RedisTestSupport
import Testing
import WireCoding

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Nodes of a cluster are one PubNub service", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterTests {
    @Test("A message reaches the polls of all nodes, by channel, pattern and group, with one timetoken (CB-20)")
    func publish() async throws {
        try await withPubNubCluster(3) { cluster in
            let (here, there, third) = (cluster.nodes[0], cluster.nodes[1], cluster.nodes[2])
            let writer = try await third.connect()
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=a.b").status == 200)
            var polls: [PollClient] = []
            for (index, target) in [("a.b", ""), ("a.*", ""), (",", "&channel-group=g")].enumerated() {
                polls.append(try await there.hold(target.0, target.1, held: index + 1))
            }
            polls.append(try await here.hold("a.b"))
            let token = try await writer.publish("1", to: "a.b")
            for poll in polls {
                let reply = try await poll.reply()
                #expect(reply.payloads == ["1"] && reply.cursor == token && reply.region == 1)
            }
            #expect(third.service.published == 1 && here.service.published == 0)
        }
    }

    @Test("CR-72: A node without the leader's state serves no polls, which makes it unready, until it has the state again")
    func readiness() async throws {
        try await withPubNubCluster { cluster in
            let node = cluster.nodes[1]
            #expect(node.streams.servesPolls)
            node.streams.interrupted()
            #expect(!node.streams.servesPolls)
            #expect(try await node.connect().get("/v2/subscribe/demo/room/0?tt=0").status == 503)
            // The next leader finds that the node has no state, and has it request one.
            try await cluster.lead(cluster.nodes[0])
            await node.catchUp()
            #expect(node.streams.servesPolls)
        }
    }

    @Test("Messages of all nodes have one order, and a cursor that moves between nodes loses and doubles nothing (CB-20, CB-21)")
    func order() async throws {
        try await withPubNubCluster(3) { cluster in
            let clients = try await cluster.nodes.asyncMap { try await $0.connect() }
            let start = try await clients[1].handshake("room")
            var tokens: [String] = []
            for number in 0..<30 { tokens.append(try await clients[number % 3].publish("\(number)", to: "room")) }
            #expect(tokens == tokens.sorted() && Set(tokens).count == 30)
            for client in clients {
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(start)&uuid=u")
                #expect(reply.payloads == (0..<30).map { "\($0)" } && !reply.followsGap)
            }
            // From the middle on, each on another node than the last.
            var (cursor, seen): (String, [String]) = (tokens[9], [])
            for number in 30..<36 {
                try await clients[0].publish("\(number)", to: "room")
                let reply = try await clients[number % 3].get("/v2/subscribe/demo/room/0?tt=\(cursor)")
                seen += reply.payloads
                cursor = reply.cursor
            }
            #expect(seen == (10..<36).map { "\($0)" })
        }
    }

    @Test("A filter sees the messages of another node, and fires and signals are those of all nodes")
    func filters() async throws {
        try await withPubNubCluster { cluster in
            let filtered = try await cluster.nodes[1].hold("room", "&filter-expr=a%3D%3D1")
            let writer = try await cluster.nodes[0].connect()
            try await writer.publish("1", to: "room", "&meta=%7B%22a%22%3A2%7D")
            try await writer.publish("2", to: "room", "&meta=%7B%22a%22%3A1%7D")
            #expect(try await filtered.reply().payloads == ["2"])
            let plain = try await cluster.nodes[1].hold("room")
            try await writer.publish("3", to: "room", "&store=0&norep=true")
            #expect(try await writer.get("/signal/demo/demo/0/room/0/4?uuid=p").status == 200)
            let reply = try await plain.reply()
            #expect(reply.payloads == ["4"] && reply.messages.first?["e"]?.text == "1")
        }
    }

    @Test("A group that changes through one node ends the polls of the others, which then read what it has (CB-22)")
    func groups() async throws {
        try await withPubNubCluster { cluster in
            let poll = try await cluster.nodes[1].hold(",", "&channel-group=g")
            let writer = try await cluster.nodes[0].connect()
            let group = "/v1/channel-registration/sub-key/demo/channel-group/g"
            #expect(try await writer.get(group + "?add=room").status == 200)
            let cursor = try await poll.reply().cursor
            try await poll.send("/v2/subscribe/demo/,/0?tt=\(cursor)&channel-group=g")
            try await cluster.nodes[1].holds(1)
            let token = try await writer.publish("1", to: "room")
            #expect(try await poll.reply().payloads == ["1"])
            #expect(try await poll.get(group).packed.contains(#""channels":["room"]"#))
            #expect(try await poll.get(group + "/remove").status == 200)
            #expect(try await writer.get(group).packed.contains(#""channels":[]"#))
            try await writer.publish("2", to: "room")
            try await writer.send("/v2/subscribe/demo/,/0?tt=\(token)&channel-group=g")
            try await cluster.nodes[0].holds(1)
        }
    }

    @Test("Actions of one node are told and listed by the other", .enabled(if: RedisProcess.isInstalled))
    func actions() async throws {
        // An action needs a message of the history (rule PV-75), which is in Redis.
        try await withPubNubCluster(keeps: true) { cluster in
            let writer = try await cluster.nodes[1].connect()
            let token = try await writer.publish("1", to: "room")
            let poll = try await cluster.nodes[0].hold("room")
            let body = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
            let path = "/v1/message-actions/demo/channel/room"
            let json = "Content-Type: application/json\r\n"
            #expect(try await writer.post("\(path)/message/\(token)?uuid=ann", body, json).status == 200)
            #expect(try await writer.post("\(path)/message/\(token)?uuid=ann", body, json).status == 409)
            let event = try await poll.reply()
            #expect(event.messages.first?["d"]?["data"]?["value"]?.string == "smile")
            #expect(try await poll.get(path).packed.contains(#""value":"smile""#))
            let removed = try await poll.delete("\(path)/message/\(token)/action/\(event.cursor)?uuid=ann")
            #expect(removed.status == 200)
            #expect(!(try await writer.get(path).packed.contains("smile")))
        }
    }

    @Test("History, counts and deleting are the same through every node (CB-3)", .enabled(if: RedisProcess.isInstalled))
    func history() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let (writer, reader) = (try await cluster.nodes[0].connect(), try await cluster.nodes[1].connect())
            for number in 1...3 { try await writer.publish("\(number)", to: "room") }
            let path = "/v2/history/sub-key/demo/channel/room?count=2"
            #expect(try await reader.get(path).packed.hasPrefix("[[2,3],"))
            let counts = "/v3/history/sub-key/demo/message-counts/room?timetoken=1"
            #expect(try await reader.get(counts).packed.contains(#""channels":{"room":3}"#))
            #expect(try await reader.delete("/v3/history/sub-key/demo/channel/room").status == 200)
            #expect(try await writer.get(counts).packed.contains(#""channels":{"room":0}"#))
            #expect(try await writer.get(path).packed.hasPrefix("[[],"))
        }
    }
}
