import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Presence of a cluster is one", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterPresenceTests {
    @Test("A user who polls two nodes joins once, leaves once, and is there again with the next poll (CB-30, CB-31)")
    func polls() async throws {
        try await withPubNubCluster { cluster in
            let (here, there) = (cluster.nodes[0], cluster.nodes[1])
            let watcher = try await here.connect()
            var cursor = try await watcher.get("/v2/subscribe/demo/room-pnpres/0?tt=0").cursor
            func events(_ count: Int) async throws -> [String] {
                var found: [String] = []
                while found.count < count {
                    let reply = try await watcher.get("/v2/subscribe/demo/room-pnpres/0?tt=\(cursor)")
                    cursor = reply.cursor
                    found += reply.messages.compactMap { $0["d"]?["action"]?.string }
                }
                return found
            }
            let ann = "/v2/subscribe/demo/room/0?tt=0&uuid=ann&heartbeat=60"
            let (first, second) = (try await there.connect(), try await here.connect())
            for client in [first, second, first, second] { #expect(try await client.get(ann).status == 200) }
            #expect(try await events(1) == ["join"])
            for client in [first, second] {
                let now = try await client.get("/v2/presence/sub-key/demo/channel/room")
                #expect(now.packed.contains(#""uuids":["ann"]"#) && now.packed.contains(#""occupancy":1"#))
            }
            #expect(try await second.get("/v2/presence/sub-key/demo/channel/room/leave?uuid=ann").status == 200)
            #expect(try await events(1) == ["leave"])
            // The other node has heard of it before, so that the next poll counts although the last one was just now.
            await there.catchUp()
            let state = PercentEncoding.encode(#"{"room":{"x":1}}"#)
            #expect(try await first.get(ann + "&state=\(state)").status == 200)
            #expect(try await events(1) == ["join"])
            #expect(try await second.get("/v2/presence/sub-key/demo/channel/room/uuid/ann").packed.contains(#"{"x":1}"#))
            #expect(try await first.get("/v2/presence/sub-key/demo/uuid/ann").packed.contains(#""channels":["room"]"#))
        }
    }

    @Test("A member of a group that gets a channel just after the member's poll is present there with the next poll (CB-31)")
    func groups() async throws {
        try await withPubNubCluster { cluster in
            let there = cluster.nodes[1]
            let (writer, client) = (try await cluster.nodes[0].connect(), try await there.connect())
            let group = "/v1/channel-registration/sub-key/demo/channel-group/g"
            let poll = "/v2/subscribe/demo/,/0?tt=0&uuid=ann&heartbeat=60&channel-group=g"
            func present() async throws -> [String] {
                let body = try await client.get("/v2/presence/sub-key/demo/uuid/ann").body
                return try JSONText(body)["payload"]?["channels"]?.elements?.compactMap(\.string).sorted() ?? []
            }
            for (change, expected) in [("add=a", ["a"]), ("add=b", ["a", "b"]), ("remove=a&add=c", ["a", "b", "c"])] {
                #expect(try await writer.get("\(group)?\(change)").status == 200)
                // The node has the group as it is now; no second passes in which it would forget the poll before.
                await there.catchUp()
                #expect(try await client.get(poll).status == 200)
                // Who was on a channel that left the group is there until it falls silent, as on one server.
                #expect(try await present() == expected)
            }
        }
    }

    @Test("A user who falls silent is a timeout for the polls of all nodes, once (CB-32)")
    func timeout() async throws {
        let clock = ManualClock()
        try await withPubNubCluster(2, { $0.clock = clock.clock }) { cluster in
            let client = try await cluster.nodes[1].connect()
            let start = try await client.get("/v2/subscribe/demo/room-pnpres/0?tt=0").cursor
            let path = "/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=ann&heartbeat=20"
            #expect(try await client.get(path).status == 200)
            let watchers = try await cluster.nodes.asyncMap { try await $0.hold("room-pnpres") }
            clock.advance(by: 40)
            for watcher in watchers {
                #expect(try await watcher.reply().messages.compactMap { $0["d"]?["action"]?.string } == ["timeout"])
            }
            let all = try await client.get("/v2/subscribe/demo/room-pnpres/0?tt=\(start)")
            #expect(all.messages.compactMap { $0["d"]?["action"]?.string } == ["join", "timeout"])
        }
    }

    @Test("An interval of presence is told once, to the polls of all nodes")
    func interval() async throws {
        let clock = ManualClock()
        var keyset = Keyset.development
        keyset.announceMaximum = 1
        let keysets = [keyset]
        try await withPubNubCluster(
            2,
            {
                $0.clock = clock.clock
                $0.keysets = keysets
            }
        ) { cluster in
            for (node, user) in [(0, "ann"), (1, "bob"), (0, "cid")] {
                let client = try await cluster.nodes[node].connect()
                let path = "/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=\(user)&heartbeat=300"
                #expect(try await client.get(path).status == 200)
            }
            let watchers = try await cluster.nodes.asyncMap { try await $0.hold("room-pnpres") }
            clock.advance(by: 11)
            for watcher in watchers {
                let events = try await watcher.reply().messages.compactMap { $0["d"] }
                #expect(events.compactMap { $0["action"]?.string } == ["interval"])
                #expect(events.first?["occupancy"]?.integer == 3)
            }
        }
    }
}
