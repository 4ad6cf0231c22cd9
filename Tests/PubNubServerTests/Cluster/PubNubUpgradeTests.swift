import ClusterTestSupport
import Identifiers
import RedisTestSupport
import ServerCluster
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Nodes and leaders of two versions, one of which keeps all messages on every node", .serialized, .timeLimit(.minutes(1)))
struct PubNubUpgradeTests {
    /// What a node has of the development keyset.
    private func copy(_ node: PubNubNode) throws -> MessageStreams<PubNubElement> {
        try #require(node.streams.applications.first).withState { $0.streams }
    }

    @Test(
        "CB-58: A node that starts under a leader of the version before takes the messages of its state, and keeps all later ones"
    )
    func startingUnderFormer() async throws {
        try await withPubNubCluster(1) { cluster in
            let former = FormerLeaders(cluster.nodes[0].factory)
            try await cluster.cluster.lead(by: [.pubnub: former])
            await cluster.nodes[0].catchUp()
            let writer = try await cluster.nodes[0].connect()
            let start = try await writer.get("/v2/subscribe/demo/none/0?tt=0").cursor
            for number in 1...3 { try await writer.publish("\(number)", to: "a.b") }
            let late = try await PubNubNode("late", in: cluster.cluster)
            await cluster.cluster.join(late.bus)
            await late.catchUp()
            try await writer.publish("4", to: "other")
            await late.catchUp()
            #expect(try copy(late).keepsAll && !late.streams.leaderAnswersMissed)
            let reader = try await late.connect()
            for (channels, payloads) in [("a.b", ["1", "2", "3"]), ("a.*", ["1", "2", "3"]), ("other", ["4"])] {
                let reply = try await reader.get("/v2/subscribe/demo/\(channels)/0?tt=\(start)")
                #expect(reply.payloads == payloads && !reply.followsGap, "\(channels)")
            }
            #expect(former.refusedCount == 0)
            try await late.stop()
        }
    }

    @Test(
        "CB-58: When a leader of the version before follows, a node keeps all messages, and reports a gap for those it passed",
        .enabled(if: RedisProcess.isInstalled))
    func laterToFormer() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let (writer, node) = (try await cluster.nodes[0].connect(), cluster.nodes[1])
            let start = try await node.connect().get("/v2/subscribe/demo/none/0?tt=0").cursor
            let poll = try await node.hold("room")
            try await writer.publish("1", to: "other")
            await node.catchUp()
            #expect(try !copy(node).keepsAll)
            let former = FormerLeaders(cluster.nodes[0].factory)
            try await cluster.cluster.lead(by: [.pubnub: former])
            await node.catchUp()
            let second = try await writer.publish("2", to: "other")
            try await writer.publish("3", to: "other")
            await node.catchUp()
            #expect(try copy(node).keepsAll)
            let reader = try await node.connect()
            let late = try await reader.get("/v2/subscribe/demo/other/0?tt=\(second)")
            #expect(late.payloads == ["3"] && !late.followsGap)
            let early = try await reader.get("/v2/subscribe/demo/other/0?tt=\(start)")
            #expect(early.payloads == ["2", "3"] && early.followsGap)
            // The node has kept this channel all the time.
            try await writer.publish("4", to: "room")
            let reply = try await poll.reply()
            #expect(reply.payloads == ["4"] && !reply.followsGap)
            #expect(former.refusedCount == 0)
        }
    }

    @Test(
        "CB-58: A poll that waits for messages is told of a gap when the next leader is of the version before",
        .enabled(if: RedisProcess.isInstalled))
    func waitingForFormer() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let (writer, node) = (try await cluster.nodes[0].connect(), cluster.nodes[1])
            let start = try await node.connect().get("/v2/subscribe/demo/none/0?tt=0").cursor
            try await writer.publish("1", to: "room")
            await node.catchUp()
            await cluster.cluster.loseLeader()
            let poll = try await node.connect()
            try await poll.send("/v2/subscribe/demo/room/0?tt=\(start)")
            try await node.holds(1)
            try await cluster.cluster.lead(by: [.pubnub: FormerLeaders(node.factory)])
            await node.catchUp()
            let second = try await writer.publish("2", to: "room")
            let reply = try await poll.reply()
            #expect(reply.payloads == ["2"] && reply.followsGap && reply.cursor == second)
        }
    }

    @Test(
        "CB-58: When a leader announces that it answers requests, a node drops what nobody reads, and polls lose nothing",
        .enabled(if: RedisProcess.isInstalled))
    func formerToLater() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let (writer, node) = (try await cluster.nodes[0].connect(), cluster.nodes[1])
            try await cluster.cluster.lead(by: [.pubnub: FormerLeaders(cluster.nodes[0].factory)])
            for node in cluster.nodes { await node.catchUp() }
            let start = try await node.connect().get("/v2/subscribe/demo/none/0?tt=0").cursor
            let poll = try await node.hold("room")
            try await writer.publish("1", to: "other")
            await node.catchUp()
            #expect(try copy(node).keepsAll && copy(node).queueCount == 1)
            try await cluster.lead(cluster.nodes[0])
            await node.catchUp()
            #expect(try !copy(node).keepsAll && copy(node).queueCount == 0 && copy(node).keeps("room"))
            let reply = try await node.connect().get("/v2/subscribe/demo/other/0?tt=\(start)")
            #expect(reply.payloads == ["1"] && !reply.followsGap)
            try await writer.publish("2", to: "room")
            let held = try await poll.reply()
            #expect(held.payloads == ["2"] && !held.followsGap)
        }
    }

    @Test("CB-59: A node of the version before gets the messages of a state, and reports no gap")
    func formerNode() async throws {
        try await withPubNubCluster(1) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await writer.get("/v2/subscribe/demo/none/0?tt=0").cursor
            for number in 1...3 { try await writer.publish("\(number)", to: "room") }
            let former = FormerNode(cluster.cluster.bus("former"))
            await cluster.cluster.join(former.bus)
            await eventually { former.streams != nil }
            let streams = try #require(former.streams)
            let page = streams.read(after: try #require(UInt64(start)), StreamInterest(channels: ["room"]))
            #expect(page.deliveries.map(\.entry.message.payload) == [[49], [50], [51]] && !page.hasDropped)
            // The node of this version has none of them, because it has no poll for them.
            #expect(try copy(cluster.nodes[0]).queueCount == 0 && cluster.nodes[0].streams.leaderAnswersMissed)
        }
    }
}
