import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// Two nodes and four partitions, each with a leader of its own. Of the application 1001, whose home is partition 1, the channels `room`,
/// `e` and `i` are in partition 0, `h` in 1, `b` in 2, and `a` and `c` in 3.
@Suite("One application over several leaders (CR-80 to CR-85, CP-75 to CP-79)", .timeLimit(.minutes(1)))
struct PartitionedPusherTests {
    /// A channel in each partition.
    private static let channels = ["room", "h", "b", "a"]

    private func withPartitions(
        _ change: (inout Application) -> Void = { _ in }, _ body: (PusherTestCluster) async throws -> Void
    ) async throws {
        var application = quietApplication
        change(&application)
        let changed = application
        try await withPusherCluster(
            partitions: 4, { $0.applications = InMemoryApplicationRegistry([changed]) }, body)
    }

    @Test func `CR-80: events of one application reach subscribers on all nodes, in the order of each channel`() async throws {
        try await withPartitions { cluster in
            let clients = [try await cluster[0].connect(), try await cluster[1].connect()]
            for client in clients { for channel in Self.channels { try await client.subscribe(channel) } }
            for number in 0..<20 {
                let list = Self.channels.map { #""\#($0)""# }.joined(separator: ",")
                let body = #"{"name":"e","channels":[\#(list)],"data":"\#(number)"}"#
                #expect(try await cluster[number % 2].post("/apps/1001/events", body).status == 200)
            }
            let batch = Self.channels.flatMap { channel in
                (20..<22).map { #"{"name":"e","channel":"\#(channel)","data":"\#($0)"}"# }
            }
            let body = #"{"batch":[\#(batch.joined(separator: ","))]}"#
            #expect(try await cluster[0].post("/apps/1001/batch_events", body).status == 200)
            for client in clients {
                var found: [String: [String]] = [:]
                for _ in 0..<22 * Self.channels.count {
                    let event = try await client.expect("e")
                    found[event.channel ?? "", default: []].append(event.data ?? "")
                }
                for channel in Self.channels { #expect(found[channel] == (0..<22).map { "\($0)" }) }
                try await client.expectSilence()
            }
        }
    }

    @Test func `CP-78: lists, counts and members are those of all partitions`() async throws {
        try await withPartitions { cluster in
            let client = try await cluster[0].connect()
            for channel in Self.channels { try await client.subscribe(channel) }
            // Members of channels in the partitions 0, 1, 3 and 2.
            let presence = ["presence-0", "presence-1", "presence-3", "presence-9"]
            for channel in presence { try await client.subscribe(channel, user: "ann") }
            for node in cluster.nodes {
                let all = (Self.channels + presence).sorted().map { #""\#($0)":{}"# }.joined(separator: ",")
                #expect(try await node.get("/apps/1001/channels").body == #"{"channels":{\#(all)}}"#)
                let counted = try await node.get(
                    "/apps/1001/channels", query: [("filter_by_prefix", "presence-"), ("info", "user_count")])
                #expect(
                    counted.body == #"{"channels":{\#(presence.map { #""\#($0)":{"user_count":1}"# }.joined(separator: ","))}}"#)
                for channel in presence {
                    #expect(
                        try await node.get("/apps/1001/channels/\(channel)/users").body == #"{"users":[{"id":"ann"}]}"#)
                }
                for channel in Self.channels {
                    #expect(try await node.get("/apps/1001/channels/\(channel)").body == #"{"occupied":true}"#)
                }
                try await eventually { try await node.get("/apps/1001/connections").body == #"{"connections":1}"# }
            }
            await client.closeSocket()
            try await eventually { try await cluster[1].get("/apps/1001/channels").body == #"{"channels":{}}"# }
            #expect(cluster[0].service.channelCount == 0)
        }
    }

    @Test func `CR-80: users, their events and who watches them are at the home of the application`() async throws {
        try await withPartitions { cluster in
            let watcher = try await cluster[0].connect()
            try await watcher.signIn("ann", watching: ["bob"])
            let bob = try await cluster[1].connect()
            try await bob.signIn("bob")
            #expect(try await watcher.expect("pusher_internal:watchlist_events").data?.contains("online") == true)
            try await bob.subscribe("#server-to-user-bob")
            let body = ##"{"name":"e","channel":"#server-to-user-bob","data":"x"}"##
            // Only the home has a part in it.
            for partition in [0, 2, 3] { await cluster.clusters[partition].loseLeader() }
            #expect(try await cluster[0].post("/apps/1001/events", body).status == 200)
            #expect(try await bob.expect("e").data == "x")
            #expect(try await cluster[0].post("/apps/1001/users/bob/terminate_connections", "").status == 200)
            #expect(try await bob.expectFarewell() == 4009)
        }
    }

    @Test func `CR-54: a partition without a leader stops its own channels only, and goes on with them`() async throws {
        try await withPartitions { cluster in
            // Without a Redis the new leader knows what a node holds once that has announced itself; the first node does so first.
            let client = try await cluster[0].connect()
            for channel in Self.channels { try await client.subscribe(channel) }
            await cluster.clusters[3].loseLeader()
            for channel in ["room", "h", "b"] {
                let body = #"{"name":"e","channel":"\#(channel)","data":"1"}"#
                #expect(try await cluster[1].post("/apps/1001/events", body).status == 200)
                #expect(try await client.expect("e").channel == channel)
            }
            async let late = cluster[1].post("/apps/1001/events", #"{"name":"e","channels":["room","a"],"data":"2"}"#)
            #expect(try await client.expect("e").channel == "room")
            // The request is answered when the last of its partitions has kept it.
            try await cluster.lead(3)
            #expect(try await late.status == 200)
            #expect(try await client.expect("e").channel == "a")
            #expect(try await cluster[1].get("/apps/1001/channels/a").body == #"{"occupied":true}"#)
        }
    }

    @Test func `CR-85: a loss in one partition closes the connections that have something there, and no others`() async throws {
        try await withPartitions { cluster in
            let there = try await cluster[0].connect()
            try await there.subscribe("a")
            let elsewhere = try await cluster[0].connect()
            for channel in ["room", "h", "b"] { try await elsewhere.subscribe(channel) }
            let user = try await cluster[0].connect()
            try await user.signIn("ann")
            cluster[0].parts[3].interrupted()
            #expect(try await there.expectFarewell() == 4200)
            for client in [elsewhere, user] { try await client.expectSilence() }
            // Users belong to the home of the application.
            cluster[0].parts[1].interrupted()
            for client in [elsewhere, user] { #expect(try await client.expectFarewell() == 4200) }
        }
    }

    @Test func `CP-77: a limit of messages holds over all partitions`() async throws {
        try await withPusherCluster(
            partitions: 4,
            { configuration in
                var application = quietApplication
                application.limits.publishesPerSecond = 3
                configuration.applications = InMemoryApplicationRegistry([application])
                configuration.clock = ManualClock().withTimeOfDay
            }
        ) { cluster in
            var answers: [Int] = []
            for (number, channel) in (Self.channels + ["c"]).enumerated() {
                let body = #"{"name":"e","channel":"\#(channel)","data":"1"}"#
                answers.append(try await cluster[number % 2].post("/apps/1001/events", body).status)
            }
            #expect(answers == [200, 200, 200, 429, 429])
        }
    }

    @Test func `CP-79: a limit of channels holds over all partitions, as far as their leaders have told it`() async throws {
        try await withPartitions({ $0.limits.channels = 2 }) { cluster in
            let client = try await cluster[0].connect()
            for channel in ["room", "h"] { try await client.subscribe(channel) }
            let partitions = cluster.partitions
            await eventually { partitions[3].usedElsewhere(of: "1001") == ChannelUse(channels: 2, subscriptions: 2) }
            try await client.requestSubscription("a")
            #expect(try await client.expectError().code == 4100)
            try await client.send(#"{"event":"pusher:unsubscribe","data":{"channel":"h"}}"#)
            await eventually { partitions[3].usedElsewhere(of: "1001") == ChannelUse(channels: 1, subscriptions: 1) }
            try await client.subscribe("a")
        }
    }

    @Test func `CP-79: a leader's uses survive it, and the next one tells all of its own`() async throws {
        try await withPartitions { cluster in
            let client = try await cluster[0].connect()
            for channel in Self.channels { try await client.subscribe(channel) }
            let partitions = cluster.partitions
            let three = ChannelUse(channels: 3, subscriptions: 3)
            await eventually { partitions[0].usedElsewhere(of: "1001") == three }
            await cluster.clusters[3].loseLeader()
            #expect(partitions[0].usedElsewhere(of: "1001") == three)
            try await cluster.lead(3)
            try await client.subscribe("c")
            await eventually { partitions[0].usedElsewhere(of: "1001") == ChannelUse(channels: 4, subscriptions: 4) }
            await client.closeSocket()
            await eventually { partitions[0].usedElsewhere(of: "1001") == ChannelUse() }
        }
    }
}
