import Identifiers
import NIOCore
import RedisTestSupport
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("A node keeps what its polls subscribe to, and gets the rest from the leader", .serialized, .timeLimit(.minutes(1)))
struct PubNubCatchUpTests {
    /// What a node has of the development keyset.
    private func copy(_ node: PubNubNode) throws -> MessageStreams<PubNubElement> {
        try #require(node.streams.applications.first).withState { $0.streams }
    }

    @Test("CB-50, CB-57: Messages without a subscriber on a node take no memory there")
    func memory() async throws {
        try await withPubNubCluster { cluster in
            let (writer, node) = (try await cluster.nodes[0].connect(), cluster.nodes[1])
            let poll = try await node.hold("room")
            for number in 0..<200 { try await writer.publish("\(number)", to: "other-\(number)") }
            let token = try await writer.publish("1", to: "room")
            #expect(try await poll.reply().cursor == token)
            let copy = try copy(node)
            #expect(copy.queueCount == 1 && copy.coveredCount == 1 && copy.bytes < 2000)
            #expect(copy.visible == UInt64(token))
        }
    }

    @Test("CB-52: A poll from before gets the messages of channel, presence channel, pattern and group, by filter too")
    func sources() async throws {
        try await withPubNubCluster { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await cluster.nodes[0].connect().get("/v2/subscribe/demo/none/0?tt=0").cursor
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=a.c").status == 200)
            for number in 1...3 { try await writer.publish("\(number)", to: "a.c", "&meta=%7B%22n%22%3A\(number)%7D") }
            let heartbeat = "/v2/presence/sub-key/demo/channel/a.c/heartbeat?heartbeat=60&uuid=ann"
            #expect(try await writer.get(heartbeat).status == 200)
            let last = try await writer.publish("4", to: "b")
            await cluster.nodes[1].catchUp()
            let reader = try await cluster.nodes[1].connect()
            for target in ["a.c/0?", ",/0?channel-group=g&"] {
                let reply = try await reader.get("/v2/subscribe/demo/\(target)tt=\(start)")
                #expect(reply.payloads == ["1", "2", "3"] && !reply.followsGap, "\(target)")
            }
            let present = try await reader.get("/v2/subscribe/demo/a.c-pnpres/0?tt=\(start)")
            #expect(present.messages.compactMap { $0["d"]?["action"]?.string } == ["join"])
            let pattern = try await reader.get("/v2/subscribe/demo/a.*/0?tt=\(start)")
            #expect(pattern.messages.count == 4 && pattern.payloads.prefix(3) == ["1", "2", "3"])
            let filtered = try await reader.get("/v2/subscribe/demo/a.c,b/0?tt=\(start)&filter-expr=n%3D%3D2")
            #expect(filtered.payloads == ["2"] && !filtered.followsGap)
            // What is kept now needs no leader.
            await cluster.cluster.loseLeader()
            let again = try await reader.get("/v2/subscribe/demo/a.c,b/0?tt=\(start)")
            #expect(again.payloads == ["1", "2", "3", "4"] && again.cursor == last)
        }
    }

    @Test("CB-52: A channel that is added to a subscription is read from the same cursor, and a client may move to another node")
    func moving() async throws {
        try await withPubNubCluster(3) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let poll = try await cluster.nodes[1].hold("a")
            let first = try await writer.publish("1", to: "a")
            #expect(try await poll.reply().cursor == first)
            try await writer.publish("2", to: "b")
            try await writer.publish("3", to: "a")
            let last = try await writer.publish("4", to: "b")
            for node in cluster.nodes { await node.catchUp() }
            for client in [poll, try await cluster.nodes[2].connect(), try await cluster.nodes[0].connect()] {
                let reply = try await client.get("/v2/subscribe/demo/a,b/0?tt=\(first)")
                #expect(reply.payloads == ["2", "3", "4"] && reply.cursor == last && !reply.followsGap)
            }
        }
    }

    @Test(
        "CB-56: A poll waits for a leader without a gap, and is answered by the next one",
        .enabled(if: RedisProcess.isInstalled))
    func noLeader() async throws {
        try await withPubNubCluster(keeps: true) { cluster in
            let node = cluster.nodes[1]
            let writer = try await cluster.nodes[0].connect()
            let start = try await node.connect().get("/v2/subscribe/demo/other/0?tt=0").cursor
            try await writer.publish("1", to: "room")
            await node.catchUp()
            await cluster.cluster.loseLeader()
            let poll = try await node.connect()
            try await poll.send("/v2/subscribe/demo/room/0?tt=\(start)")
            try await node.holds(1)
            try await cluster.lead(node)
            let reply = try await poll.reply()
            #expect(reply.payloads == ["1"] && !reply.followsGap)
            let next = try await node.connect()
            try await next.send("/v2/subscribe/demo/room/0?tt=\(reply.cursor)")
            try await node.holds(1)
            try await writer.publish("2", to: "room")
            #expect(try await next.reply().payloads == ["2"])
        }
    }

    @Test("CB-56: Without a leader a poll ends with its own cursor, so that nothing is lost")
    func expiring() async throws {
        try await withPubNubCluster(2, { $0.pollHold = .milliseconds(100) }) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await cluster.nodes[1].connect().get("/v2/subscribe/demo/other/0?tt=0").cursor
            try await writer.publish("1", to: "room")
            await cluster.nodes[1].catchUp()
            await cluster.cluster.loseLeader()
            for filter in ["", "&filter-expr=a%3D%3D1"] {
                let reply = try await cluster.nodes[1].connect().get("/v2/subscribe/demo/room/0?tt=\(start)\(filter)")
                #expect(reply.status == 200 && reply.cursor == start && reply.messages.isEmpty && !reply.followsGap)
            }
            let handshake = try await cluster.nodes[1].connect().get("/v2/subscribe/demo/room/0?tt=0&lifeline-after=\(start)")
            #expect(!handshake.body.contains(#""d""#) && handshake.messages.isEmpty)
        }
    }

    @Test("CB-54: A handshake is told whether anything is missing after its position when the leader has said so")
    func handshakes() async throws {
        let clock = ManualClock()
        try await withPubNubCluster(2, { $0.clock = clock.clock }) { cluster in
            let writer = try await cluster.nodes[0].connect()
            let start = try await cluster.nodes[0].connect().get("/v2/subscribe/demo/other/0?tt=0").cursor
            for number in 0..<100 { try await writer.publish("\(number)", to: "room") }
            await cluster.nodes[1].catchUp()
            let reader = try await cluster.nodes[1].connect()
            let target = "/v2/subscribe/demo/room/0?tt=0&lifeline-after=\(start)"
            let complete = try await reader.get(target)
            #expect(complete.body.contains(#""d":false},"m":[]}"#))
            let last = try await writer.publish("100", to: "room")
            await cluster.nodes[1].catchUp()
            let late = try await reader.get(target)
            #expect(late.followsGap && late.messages.isEmpty && late.cursor == last)
        }
    }

    @Test("CB-51: What nobody polls for any more goes some minutes later, and is there again for who comes back")
    func leaving() async throws {
        let clock = ManualClock()
        try await withPubNubCluster(2, { $0.clock = clock.clock }) { cluster in
            let (writer, node) = (try await cluster.nodes[0].connect(), cluster.nodes[1])
            let visitor = try await node.connect()
            let start = try await visitor.get("/v2/subscribe/demo/room/0?tt=0").cursor
            let poll = try await node.hold("held")
            try await writer.publish("1", to: "room")
            try await writer.publish("2", to: "elsewhere")
            await node.catchUp()
            #expect(try copy(node).queueCount == 1 && copy(node).coveredCount == 2)
            let application = try #require(node.streams.applications.first)
            application.withState { $0.removeUnread(at: clock.clock.unixTicks()) }
            #expect(try copy(node).coveredCount == 2)
            // The connection goes on with another channel, and the event loop forgets its first subscription.
            #expect(try await visitor.get("/v2/subscribe/demo/held/0?tt=0").status == 200)
            for _ in 0..<2 {
                clock.advance(by: 11)
                for loop in node.context.loops {
                    try await loop.eventLoop.submit { node.service.mailboxes[loop.number].part.sweep(at: loop.now) }.get()
                }
            }
            application.withState { $0.removeUnread(at: clock.clock.unixTicks()) }
            #expect(try copy(node).keeps("room"))
            clock.advance(by: 181)
            application.withState { $0.removeUnread(at: clock.clock.unixTicks()) }
            #expect(try copy(node).queueCount == 0 && copy(node).coveredCount == 1)
            let reply = try await node.connect().get("/v2/subscribe/demo/room/0?tt=\(start)")
            #expect(reply.payloads == ["1"] && !reply.followsGap)
            try await cluster.nodes[0].connect().publish("3", to: "held")
            #expect(try await poll.reply().payloads == ["3"])
        }
    }
}
