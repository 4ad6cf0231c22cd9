import ClusterTestSupport
import NIOCore
import RedisTestSupport
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Leaders, nodes and logs of a cluster come and go", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterLeaderTests {
    @Test(
        "Under a new leader timetokens go on, and nothing is lost, doubled or told again (CB-5, CB-14, CB-15)",
        .enabled(if: RedisProcess.isInstalled))
    func leaderChange() async throws {
        let clock = ManualClock()
        try await withPubNubCluster(3, keeps: true, { $0.clock = clock.clock }) { cluster in
            let (here, there) = (cluster.nodes[0], cluster.nodes[1])
            let writer = try await there.connect()
            let start = try await writer.handshake("room")
            let watched = try await writer.get("/v2/subscribe/demo/a-pnpres/0?tt=0").cursor
            let heartbeat = "/v2/presence/sub-key/demo/channel/a/heartbeat?heartbeat=60&uuid="
            for user in ["ann", "bob"] { #expect(try await writer.get(heartbeat + user).status == 200) }
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=room").status == 200)
            let first = try await writer.publish("1", to: "room")
            let action = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
            let json = "Content-Type: application/json\r\n"
            let actions = "/v1/message-actions/demo/channel/room"
            #expect(try await writer.post("\(actions)/message/\(first)?uuid=ann", action, json).status == 200)
            let (plain, group) = (try await here.hold("room"), try await there.hold(",", "&channel-group=g"))

            try await cluster.lead(there)
            let second = try await writer.publish("2", to: "room")
            #expect(try #require(UInt64(second)) > #require(UInt64(first)))
            for poll in [plain, group] {
                let reply = try await poll.reply()
                #expect(reply.payloads == ["2"] && reply.region == 1 && reply.cursor == second && !reply.followsGap)
            }
            for node in cluster.nodes {
                let reply = try await node.connect().get("/v2/subscribe/demo/room/0?tt=\(start)&uuid=u")
                // The event of the action came between the messages.
                #expect(reply.messages.map { $0["e"]?.text ?? "" } == ["", "3", ""])
                #expect(reply.payloads.first == "1" && reply.payloads.last == "2" && !reply.followsGap)
            }
            #expect(try await writer.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[1,2],"))
            #expect(try await writer.get(actions).packed.contains("smile"))
            let now = try await writer.get("/v2/presence/sub-key/demo/channel/a")
            #expect(now.packed.contains(#""uuids":["ann","bob"]"#))

            // Users who are silent under the new leader are gone, once, and those who are not stay.
            clock.advance(by: 50)
            #expect(try await writer.get(heartbeat + "ann").status == 200)
            let silent = try await here.hold("a-pnpres")
            clock.advance(by: 30)
            let reply = try await silent.reply()
            #expect(reply.messages.compactMap { $0["d"]?["action"]?.string } == ["timeout"])
            let all = try await writer.get("/v2/subscribe/demo/a-pnpres/0?tt=\(watched)")
            #expect(all.messages.compactMap { $0["d"]?["action"]?.string } == ["join", "join", "timeout"])
        }
    }

    @Test(
        "Requests wait for a leader, and a message that waited is published once (CB-12)", .enabled(if: RedisProcess.isInstalled))
    func noLeader() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let poll = try await cluster.nodes[1].hold("room")
            let writer = try await cluster.nodes[0].connect()
            await cluster.cluster.loseLeader()
            try await writer.send("/publish/demo/demo/0/room/0/1?uuid=p")
            await cluster.cluster.settle()
            try await cluster.lead(cluster.nodes[1])
            let token = try await writer.reply().token
            let reply = try await poll.reply()
            #expect(reply.payloads == ["1"] && reply.cursor == token)
            #expect(try await writer.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[1],"))
        }
    }

    @Test("A node that comes late serves no polls before it has what the others have, and then all of it (CB-24)")
    func lateNode() async throws {
        try await withPubNubCluster(1) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await writer.handshake("room")
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=a.b").status == 200)
            for number in 1...3 { try await writer.publish("\(number)", to: "a.b") }
            let late = try await PubNubNode("late", in: cluster.cluster)
            let reader = try await late.connect()
            #expect(try await reader.get("/v2/subscribe/demo/room/0?tt=0&uuid=u").status == 503)
            await cluster.cluster.join(late.bus)
            await late.catchUp()
            for target in ["a.b/0?", "a.*/0?", ",/0?channel-group=g&"] {
                // Without a user, whose joining would be a message of the pattern.
                let reply = try await reader.get("/v2/subscribe/demo/\(target)tt=\(start)")
                #expect(reply.payloads == ["1", "2", "3"] && !reply.followsGap, "\(target)")
            }
            let poll = try await late.hold("room")
            try await writer.publish("4", to: "room")
            #expect(try await poll.reply().payloads == ["4"])
            try await late.stop()
        }
    }

    @Test("A node that lost facts reads what the leader still has, and tells of a gap where that is not all (CB-25)")
    func lostLog() async throws {
        try await withPubNubCluster { cluster in
            let node = cluster.nodes[1]
            let (few, many) = (try await node.hold("few"), try await node.hold("many", held: 2))
            let writer = try await cluster.nodes[0].connect()
            await cluster.cluster.kill(node.bus)
            try await writer.publish("1", to: "few")
            for number in 0..<150 { try await writer.publish("\(number)", to: "many") }
            node.streams.interrupted()
            let reader = try await node.connect()
            #expect(try await reader.get("/v2/subscribe/demo/few/0?tt=0&uuid=u").status == 503)
            try await node.holds(2)
            await cluster.cluster.join(node.bus)
            let (all, rest) = (try await few.reply(), try await many.reply())
            #expect(all.payloads == ["1"] && !all.followsGap)
            #expect(rest.followsGap && rest.payloads == (50..<150).map { "\($0)" })
        }
    }

    @Test("When everything is lost, readers are told of a gap, and new messages have higher timetokens (CB-15, CB-25)")
    func lostStore() async throws {
        try await withPubNubCluster { cluster in
            let writer = try await cluster.nodes[0].connect()
            let first = try await writer.publish("1", to: "room")
            // Without Redis the next leader knows nothing.
            try await cluster.lead(cluster.nodes[1])
            let second = try await writer.publish("2", to: "room")
            #expect(try #require(UInt64(second)) > #require(UInt64(first)))
            for node in cluster.nodes {
                let reply = try await node.connect().get("/v2/subscribe/demo/room/0?tt=\(first)&uuid=u")
                #expect(reply.payloads == ["2"] && reply.followsGap)
            }
        }
    }

    @Test(
        "After a loss held polls are told of a gap, also when a message comes before their node has announced itself (CB-6)",
        .enabled(if: RedisProcess.isInstalled))
    func lateAnnouncement() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let (writer, poll) = (try await cluster.nodes[0].connect(), try await cluster.nodes[1].hold("room"))
            let factory = cluster.nodes[0].factory
            try await cluster.cluster.lead(by: [.pubnub: factory], hasLost: true, isAnnounced: false)
            let token = try await writer.publish("1", to: "room")
            let reply = try await poll.reply()
            #expect(reply.payloads == ["1"] && reply.cursor == token && reply.followsGap)
            await cluster.cluster.announce()
            let next = try await cluster.nodes[1].hold("room")
            try await writer.publish("2", to: "room")
            let other = try await next.reply()
            #expect(other.payloads == ["2"] && !other.followsGap)
        }
    }

    @Test("Keysets that one node adds are served once the leader knows them (CB-13)")
    func reload() async throws {
        try await withPubNubCluster { cluster in
            var other = Keyset.development
            (other.subscribeKey, other.publishKey) = ("other", "other")
            let keysets = [Keyset.development, other]
            let reader = try await cluster.nodes[1].connect()
            func replace(_ node: PubNubNode) async throws {
                node.streams.take(try await node.streams.prepare(keysets))
            }
            try await replace(cluster.nodes[1])
            let early = try await reader.get("/publish/other/other/0/room/0/1?uuid=p")
            #expect(early.status == 503 && early.head.lowercased().contains("retry-after: 1"))
            #expect(try await reader.get("/v2/subscribe/other/room/0?tt=0&uuid=u").status == 503)
            try await replace(cluster.nodes[0])
            // The leader takes the keyset over in its own time.
            var reply = try await reader.get("/v2/subscribe/other/room/0?tt=0&uuid=u")
            while reply.status == 503 { reply = try await reader.get("/v2/subscribe/other/room/0?tt=0&uuid=u") }
            #expect(reply.status == 200)
            #expect(try await reader.get("/publish/other/other/0/room/0/1?uuid=p").status == 200)
        }
    }
}
