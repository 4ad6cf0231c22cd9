import PusherServer
import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Nodes of a cluster are one Pusher service (CP-1 to CP-23)", .timeLimit(.minutes(1)))
struct PusherClusterTests {
    @Test("An event reaches the subscribers on all nodes once, and the excluded connection nowhere (CP-10, CP-11)")
    func publish() async throws {
        try await withPusherCluster { cluster in
            let clients = [try await cluster[0].connect(), try await cluster[1].connect()]
            let excluded = try await cluster[1].connect()
            for client in clients + [excluded] { try await client.subscribe("room") }
            let body = #"{"name":"e","channel":"room","data":"x","socket_id":"\#(await excluded.socketID)"}"#
            #expect(try await cluster[0].post("/apps/1001/events", body).status == 200)
            for client in clients {
                #expect(try await client.expect("e").data == "x")
                try await client.expectSilence()
            }
            try await excluded.expectSilence()
        }
    }

    @Test("All subscribers see what is published on all nodes in one order (CP-11)")
    func order() async throws {
        try await withPusherCluster(3) { cluster in
            var clients: [TestClient] = []
            for node in cluster.nodes + cluster.nodes {
                let client = try await node.connect()
                try await client.subscribe("room")
                clients.append(client)
            }
            let each = 100
            await withTaskGroup(of: Void.self) { group in
                for (place, node) in cluster.nodes.enumerated() {
                    group.addTask {
                        for number in 0..<each {
                            let body = #"{"name":"e","channel":"room","data":"\#(place * each + number)"}"#
                            _ = try? await node.post("/apps/1001/events", body)
                        }
                    }
                }
            }
            var orders: Set<[String]> = []
            for client in clients {
                var order: [String] = []
                for _ in 0..<3 * each { order.append(try await client.expect("e").data ?? "") }
                orders.insert(order)
            }
            #expect(orders.count == 1)
        }
    }

    @Test("Members of a presence channel are one list, and a user on two nodes is one member (CP-12)")
    func presence() async throws {
        try await withPusherCluster { cluster in
            let ann = try await cluster[0].connect()
            try await ann.subscribe("presence-x", user: "ann")
            let bob = try await cluster[1].connect()
            #expect(try await bob.subscribe("presence-x", user: "bob").data?.contains(#""count":2"#) == true)
            #expect(try await ann.expect("pusher_internal:member_added").data?.contains("bob") == true)
            let again = try await cluster[1].connect()
            try await again.subscribe("presence-x", user: "ann")
            try await bob.expectSilence()
            for node in cluster.nodes {
                let users = try await node.get("/apps/1001/channels/presence-x/users")
                #expect(users.body == #"{"users":[{"id":"ann"},{"id":"bob"}]}"#)
            }
            await ann.closeSocket()
            await eventually { cluster[0].channels.channelCount == 0 }
            try await bob.expectSilence()
            await again.closeSocket()
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
        }
    }

    @Test("Client events, cached events and counts are those of all nodes (CP-11, CP-13)")
    func channels() async throws {
        let counting = { (configuration: inout ServerConfiguration) in
            configuration.applications = InMemoryApplicationRegistry([.development])
        }
        try await withPusherCluster(2, counting) { cluster in
            let first = try await cluster[0].connect()
            try await first.subscribe("private-cache-x")
            try await first.expect("pusher:cache_miss")
            #expect(try await first.expect("pusher_internal:subscription_count").data == #"{"subscription_count":1}"#)
            _ = try await cluster[1].post("/apps/1001/events", #"{"name":"e","channel":"private-cache-x","data":"1"}"#)
            #expect(try await first.expect("e").data == "1")
            let second = try await cluster[1].connect()
            try await second.subscribe("private-cache-x")
            #expect(try await second.expect("e").data == "1")
            for client in [first, second] {
                let count = try await client.expect("pusher_internal:subscription_count")
                #expect(count.data == #"{"subscription_count":2}"#)
            }
            try await second.send(#"{"event":"client-e","channel":"private-cache-x","data":"2"}"#)
            #expect(try await first.expect("client-e").data == "2")
            try await second.expectSilence()
            for node in cluster.nodes {
                let asked = try await node.get("/apps/1001/channels", query: [("info", "subscription_count")])
                #expect(asked.body == #"{"channels":{"private-cache-x":{"subscription_count":2}}}"#)
                try await eventually { try await node.get("/apps/1001/connections").body == #"{"connections":2}"# }
            }
        }
    }

    @Test("Watchlists and the end of a user's connections reach all nodes (CP-14, CP-15)")
    func users() async throws {
        let clock = ManualClock()
        try await withPusherCluster(2, { $0.clock = clock.withTimeOfDay }) { cluster in
            let watcher = try await cluster[0].connect()
            try await watcher.signIn("ann", watching: ["bob"])
            let bob = try await cluster[1].connect()
            try await bob.signIn("bob")
            #expect(try await watcher.expect("pusher_internal:watchlist_events").data?.contains("online") == true)
            #expect(try await cluster[0].post("/apps/1001/users/bob/terminate_connections", "").status == 200)
            #expect(try await bob.expectFarewell() == 4009)
            await bob.closeSocket()
            await eventually { cluster[1].context.admission.withLockedValue(\.connections) == 0 }
            await cluster.cluster.settle()
            clock.advance(by: 60)
            #expect(try await watcher.expect("pusher_internal:watchlist_events").data?.contains("offline") == true)
        }
    }

    @Test("Limits are those of all nodes together (CP-16, CP-30)")
    func limits() async throws {
        let limited = { (configuration: inout ServerConfiguration) in
            var application = quietApplication
            application.limits.connections = 2
            application.limits.channels = 1
            application.limits.publishesPerSecond = 2
            configuration.applications = InMemoryApplicationRegistry([application])
            configuration.clock = ManualClock().withTimeOfDay
        }
        try await withPusherCluster(2, limited) { cluster in
            let first = try await cluster[0].connect()
            let second = try await cluster[1].connect()
            for node in cluster.nodes { await eventually { node.channels.connections(of: quietApplication) == 2 } }
            let third = try await TestClient.open(port: cluster[1].port)
            #expect(try await third.expectFarewell() == 4004)
            try await first.subscribe("a")
            try await second.requestSubscription("b")
            #expect(try await second.expectError().code == 4100)
            try await second.subscribe("a")
            var answers: [Int] = []
            for number in [0, 1, 0] {
                answers.append(
                    try await cluster[number].post("/apps/1001/events", #"{"name":"e","channel":"a","data":"1"}"#).status)
            }
            #expect(answers == [200, 200, 429])
        }
    }

    @Test("A node asks the leader only for whoever may ask (CP-10)")
    func forgery() async throws {
        try await withPusherCluster(1, isLed: false) { cluster in
            let target = signed("GET", "/apps/1001/channels", secret: "wrong")
            let answer = try await Answer.of("GET", "http://127.0.0.1:\(cluster[0].port)" + target)
            #expect(answer.status == 401)
        }
    }

    @Test(
        "Hundreds of subscriptions at once are all confirmed, with small windows too (CP-26 to CP-28)", arguments: [true, false])
    func crowd(isSmall: Bool) async throws {
        let small = PendingLimits(window: 16, batch: 4, comfortable: 32, most: 100_000)
        try await withPusherCluster(1, pending: isSmall ? small : .init(), isLed: false) { cluster in
            let count = isSmall ? 40 : 300
            let clients = try await (0..<4).asyncMap { _ in try await cluster[0].connect() }
            for client in clients { for number in 0..<count { try await client.requestSubscription("room-\(number)") } }
            try await cluster.lead()
            for client in clients {
                var confirmed: Set<String> = []
                for _ in 0..<count {
                    confirmed.insert(try await client.expect("pusher_internal:subscription_succeeded").channel ?? "")
                }
                #expect(confirmed.count == count)
            }
            #expect(cluster[0].channels.channelCount == count)
            _ = try await cluster[0].post("/apps/1001/events", #"{"name":"e","channel":"room-0","data":"1"}"#)
            for client in clients { #expect(try await client.expect("e").data == "1") }
            for client in clients { await client.closeSocket() }
            try await eventually { try await cluster[0].get("/apps/1001/channels").body == #"{"channels":{}}"# }
        }
    }

    @Test("What a subscription leads to comes behind its confirmation, also in a batch (CP-13)")
    func batchOrder() async throws {
        let count = 50
        let counting = { (configuration: inout ServerConfiguration) in
            configuration.applications = InMemoryApplicationRegistry([.development])
        }
        try await withPusherCluster(1, isLed: false, counting) { cluster in
            let client = try await cluster[0].connect()
            for number in 0..<count { try await client.requestSubscription("room-\(number)") }
            try await cluster.lead()
            for number in 0..<count {
                #expect(try await client.expect("pusher_internal:subscription_succeeded").channel == "room-\(number)")
                #expect(try await client.expect("pusher_internal:subscription_count").channel == "room-\(number)")
            }
        }
    }

    @Test("A connection that leaves takes all its subscriptions with it (CP-12)")
    func leaving() async throws {
        try await withPusherCluster { cluster in
            let client = try await cluster[0].connect()
            for number in 0..<20 { try await client.subscribe("room-\(number)") }
            await client.closeSocket()
            try await eventually { try await cluster[1].get("/apps/1001/channels").body == #"{"channels":{}}"# }
            #expect(cluster[0].channels.channelCount == 0)
        }
    }
}
