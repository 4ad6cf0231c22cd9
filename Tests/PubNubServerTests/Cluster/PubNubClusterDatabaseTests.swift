import ClusterTestSupport
import NIOCore
import RedisClient
import RedisTestSupport
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("What lasts is in a database beside Redis", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterDatabaseTests {
    private static let json = "Content-Type: application/json\r\n"

    @Test(.enabled(if: RedisProcess.isInstalled))
    func `CR-60: a new leader has from the database what lasts, and Redis has recent messages only`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(3, keeps: true, database: database) { cluster in
            let writer = try await cluster.nodes[1].connect()
            let start = try await writer.handshake("room")
            let first = try await writer.publish("1", to: "room")
            let actions = "/v1/message-actions/demo/channel/room"
            let smile = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
            #expect(try await writer.post("\(actions)/message/\(first)?uuid=ann", smile, Self.json).status == 200)
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=room").status == 200)
            let name = ByteBuffer(string: #"{"name":"Room"}"#)
            #expect(try await writer.patch("/v2/objects/demo/channels/room", name).status == 200)

            try await cluster.lead(cluster.nodes[2])
            let link = try startedLink(#require(cluster.redis))
            defer { link.close() }
            for kind in ["h", "actions", "groups", "records", "expiring"] {
                let found = try await link.send(RedisCommand("KEYS", .text("*pubnub:\(kind):*")), within: .seconds(30))
                #expect(found.elements?.isEmpty ?? true, "\(kind)")
            }
            let second = try await writer.publish("2", to: "room")
            #expect(try #require(UInt64(second)) > #require(UInt64(first)))
            for node in cluster.nodes {
                let reader = try await node.connect()
                #expect(try await reader.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[1,2],"))
                #expect(try await reader.get(actions).packed.contains("smile"))
                #expect(try await reader.get("/v2/objects/demo/channels/room").packed.contains("Room"))
                let groups = try await reader.get("/v1/channel-registration/sub-key/demo/channel-group/g")
                #expect(groups.packed.contains(#""channels":["room"]"#))
                // Subscribers go on at their cursors.
                let reply = try await reader.get("/v2/subscribe/demo/room/0?tt=\(start)&uuid=u")
                #expect(reply.payloads.first == "1" && reply.payloads.last == "2" && !reply.followsGap)
            }
        }
    }

    @Test func `CR-61: what the database does not take is refused and told to nobody, and the rest goes on`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(database: database) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let poll = try await cluster.nodes[1].hold("room")
            database.set(isAway: true)
            let refused = try await writer.get("/publish/demo/demo/0/room/0/1")
            #expect(refused.status == 503)
            let page = try await writer.get("/v2/history/sub-key/demo/channel/room")
            #expect(page.status == 500)
            // Nothing of these lasts.
            #expect(try await writer.get("/publish/demo/demo/0/room/0/2?store=0").status == 200)
            #expect(try await poll.reply().payloads == ["2"])
            let next = try await cluster.nodes[1].hold("room")
            #expect(try await writer.get("/signal/demo/demo/0/room/0/3").status == 200)
            #expect(try await next.reply().payloads == ["3"])
            database.set(isAway: false)
            try await writer.publish("4", to: "room")
            #expect(database.payloads("room") == ["4"])
            #expect(try await writer.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[4],"))
        }
    }

    @Test func `CR-61: a message that is not stored is acknowledged behind those before it`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(database: database) { cluster in
            let (first, second) = (try await cluster.nodes[0].connect(), try await cluster.nodes[0].connect())
            let start = try await first.handshake("room")
            database.hold(true)
            try await first.send("/publish/demo/demo/0/room/0/1")
            while database.heldCount == 0 { await Task.yield() }
            try await second.send("/publish/demo/demo/0/room/0/2?store=0")
            #expect(await second.isSilent())
            database.hold(false)
            #expect(try await first.reply().status == 200)
            #expect(try await second.reply().status == 200)
            #expect(try await first.get("/v2/subscribe/demo/room/0?tt=\(start)").payloads == ["1", "2"])
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled))
    func `CR-62: a message that a leader stored before it ended is told by the next one, once, and stored once`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(keeps: true, database: database) { cluster in
            let writer = try await cluster.nodes[0].connect()
            try await writer.publish("0", to: "room")
            await cluster.nodes[1].catchUp()
            let poll = try await cluster.nodes[1].hold("room")
            database.hold(true)
            try await writer.send("/publish/demo/demo/0/room/0/1?uuid=p")
            while database.heldCount == 0 { await Task.yield() }
            await cluster.cluster.loseLeader()
            try await cluster.lead(cluster.nodes[1])
            // The node asks the new leader again, which answers with what the former one has stored.
            let token = try await writer.reply().token
            let reply = try await poll.reply()
            #expect(reply.payloads == ["1"] && reply.cursor == token && !reply.followsGap)
            // What the former leader hears now has no effect.
            database.hold(false)
            let second = try await writer.publish("1", to: "room")
            #expect(second != token)
            #expect(database.payloads("room") == ["0", "1", "1"])
            #expect(try await writer.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[0,1,1],"))
        }
    }

    @Test(.enabled(if: RedisProcess.isInstalled))
    func `CR-62: a deleted message does not come back with the next leader`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(keeps: true, database: database) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await writer.handshake("room")
            for number in 1...3 { try await writer.publish("\(number)", to: "room") }
            #expect(try await writer.delete("/v3/history/sub-key/demo/channel/room").status == 200)
            try await writer.publish("4", to: "room")
            try await cluster.lead(cluster.nodes[1])
            let late = try await PubNubNode("late", in: cluster.cluster, database: database)
            await cluster.cluster.join(late.bus)
            await late.catchUp()
            let reader = try await late.connect()
            #expect(try await reader.get("/v2/subscribe/demo/room/0?tt=\(start)").payloads == ["4"])
            #expect(try await reader.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[4],"))
            try await late.stop()
        }
    }

    @Test func `CR-63: the node that is asked reads pages and counts itself, and judges the request`() async throws {
        let database = ModelDatabase()
        try await withPubNubCluster(database: database) { cluster in
            let writer = try await cluster.nodes[0].connect()
            for number in 1...3 { try await writer.publish("\(number)", to: "room") }
            await cluster.cluster.loseLeader()
            let reader = try await cluster.nodes[1].connect()
            #expect(try await reader.get("/v2/history/sub-key/demo/channel/room?count=2").packed.hasPrefix("[[2,3],"))
            #expect(try await reader.get("/v3/history/sub-key/demo/channel/room").packed.contains(#""message":1"#))
            let counts = try await reader.get("/v3/history/sub-key/demo/message-counts/room?timetoken=1")
            #expect(counts.packed.contains(#""room":3"#))
        }
        try await withPubNubCluster(database: ModelDatabase(), { $0.keysets = [PubNubAccessTests.guarded] }) { cluster in
            for node in cluster.nodes {
                let reader = try await node.connect()
                #expect(try await reader.get("/v2/history/sub-key/demo/channel/room").status == 403)
            }
        }
    }

    @Test func `CR-62: requests are compared by all that a publisher sends, and each message is taken once`() {
        func message(_ timetoken: UInt64, _ payload: String, by user: String = "ann") -> StoredMessage {
            StoredMessage(
                timetoken: timetoken, channel: "room", publisher: user, payload: Array(payload.utf8), expires: timetoken + 1)
        }
        var messages = UnansweredMessages([message(1, "a"), message(2, "a"), message(3, "b")])
        #expect(messages.take(message(0, "a", by: "bob")) == nil)
        #expect(
            messages.take(message(0, "a")) == 1 && messages.take(message(9, "a")) == 2 && messages.take(message(0, "a")) == nil)
        #expect(!messages.isEmpty && messages.take(message(0, "b")) == 3 && messages.isEmpty)
    }
}
