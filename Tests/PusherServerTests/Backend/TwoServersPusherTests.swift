import PusherServer
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite("Two servers on one backend are one Pusher service (SV-70 to SV-74)", .timeLimit(.minutes(1)))
struct TwoServersPusherTests {
    @Test("An event reaches the subscribers of both servers once, and the excluded connection wherever it is", arguments: [1, 2])
    func publish(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let clients = [try await TestClient.connect(here), try await TestClient.connect(there)]
            let excluded = try await TestClient.connect(there)
            for client in clients + [excluded] { try await client.subscribe("room") }
            let id = await excluded.socketID
            let body = #"{"name":"e","channel":"room","data":"x","socket_id":"\#(id)"}"#
            #expect(try await here.post("/apps/1001/events", body).status == 200)
            for client in clients {
                #expect(try await client.expect("e").data == "x")
                try await client.expectSilence()
            }
            try await excluded.expectSilence()
        }
    }

    @Test("All subscribers see the messages of both servers in one order", arguments: [1, 2])
    func order(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            var clients: [TestClient] = []
            for server in [here, there, here, there] {
                let client = try await TestClient.connect(server)
                try await client.subscribe("room")
                clients.append(client)
            }
            let each = 200
            await withTaskGroup(of: Void.self) { group in
                for (place, server) in [here, there].enumerated() {
                    group.addTask {
                        for number in 0..<each {
                            try? server.publish(channel: "room", event: "e", data: "\(place * each + number)")
                        }
                    }
                }
            }
            var orders: Set<[String]> = []
            for client in clients {
                var order: [String] = []
                for _ in 0..<2 * each { order.append(try await client.expect("e").data ?? "") }
                orders.insert(order)
            }
            #expect(orders.count == 1 && orders.first?.count == 2 * each)
        }
    }

    @Test("Members of a presence channel are one list, and a user on both servers is one member", arguments: [1, 2])
    func presence(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let ann = try await TestClient.connect(here)
            try await ann.subscribe("presence-x", user: "ann")
            let bob = try await TestClient.connect(there)
            #expect(try await bob.subscribe("presence-x", user: "bob").data?.contains(#""count":2"#) == true)
            #expect(try await ann.expect("pusher_internal:member_added").data?.contains("bob") == true)
            let again = try await TestClient.connect(there)
            try await again.subscribe("presence-x", user: "ann")
            try await bob.expectSilence()
            #expect(try await there.get("/apps/1001/channels/presence-x/users").body == #"{"users":[{"id":"ann"},{"id":"bob"}]}"#)
            await ann.closeSocket()
            await eventually { here.statistics.connections + there.statistics.connections == (servers == 1 ? 4 : 2) }
            try await bob.expectSilence()
            await again.closeSocket()
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
        }
    }

    @Test("Client events, cached events and counts are those of both servers", arguments: [1, 2])
    func channels(servers: Int) async throws {
        let counting = { (configuration: inout ServerConfiguration) in
            configuration.applications = InMemoryApplicationRegistry([.development])
        }
        try await withSharedServers(servers, counting) { here, there in
            let first = try await TestClient.connect(here)
            try await first.subscribe("private-cache-x")
            try await first.expect("pusher:cache_miss")
            #expect(try await first.expect("pusher_internal:subscription_count").data == #"{"subscription_count":1}"#)
            _ = try await there.post("/apps/1001/events", #"{"name":"e","channel":"private-cache-x","data":"1"}"#)
            #expect(try await first.expect("e").data == "1")
            let second = try await TestClient.connect(there)
            try await second.subscribe("private-cache-x")
            #expect(try await second.expect("e").data == "1")
            #expect(try await second.expect("pusher_internal:subscription_count").data == #"{"subscription_count":2}"#)
            #expect(try await first.expect("pusher_internal:subscription_count").data == #"{"subscription_count":2}"#)
            try await second.send(#"{"event":"client-e","channel":"private-cache-x","data":"2"}"#)
            #expect(try await first.expect("client-e").data == "2")
            let asked = try await here.get("/apps/1001/channels", query: [("info", "subscription_count")])
            #expect(asked.body == #"{"channels":{"private-cache-x":{"subscription_count":2}}}"#)
            #expect(try await there.get("/apps/1001/connections").body == #"{"connections":2}"#)
        }
    }

    @Test("Watchlists and the end of a user's connections reach both servers", arguments: [1, 2])
    func users(servers: Int) async throws {
        let clock = ManualClock()
        try await withSharedServers(servers, { $0.clock = clock.withTimeOfDay }) { here, there in
            let watcher = try await TestClient.connect(here)
            try await watcher.signIn("ann", watching: ["bob"])
            let bob = try await TestClient.connect(there)
            try await bob.signIn("bob")
            #expect(try await watcher.expect("pusher_internal:watchlist_events").data?.contains("online") == true)
            #expect(try await here.post("/apps/1001/users/bob/terminate_connections", "").status == 200)
            #expect(try await bob.expectFarewell() == 4009)
            await bob.closeSocket()
            await eventually { there.statistics.connections + here.statistics.connections == (servers == 1 ? 2 : 1) }
            clock.advance(by: 60)
            #expect(try await watcher.expect("pusher_internal:watchlist_events").data?.contains("offline") == true)
        }
    }

    @Test("Limits are those of both servers together", arguments: [1, 2])
    func limits(servers: Int) async throws {
        let limited = { (configuration: inout ServerConfiguration) in
            var application = quietApplication
            application.limits.connections = 2
            application.limits.channels = 1
            application.limits.publishesPerSecond = 2
            configuration.applications = InMemoryApplicationRegistry([application])
            configuration.clock = ManualClock().withTimeOfDay
        }
        try await withSharedServers(servers, limited) { here, there in
            let first = try await TestClient.connect(here)
            let second = try await TestClient.connect(there)
            let third = try await TestClient.open(there)
            #expect(try await third.expectFarewell() == 4004)
            try await first.subscribe("a")
            try await second.requestSubscription("b")
            #expect(try await second.expectError().code != nil)
            try await second.subscribe("a")
            var answers: [Int] = []
            for server in [here, there, here] {
                answers.append(try await server.post("/apps/1001/events", #"{"name":"e","channel":"a","data":"1"}"#).status)
            }
            #expect(answers == [200, 200, 429])
        }
    }

    @Test("Webhooks are told once, and are told further when the server that told them has gone")
    func webhooks() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        func told() -> [String] {
            receiver.posts.flatMap(\.events).map { event in
                [event["name"]?.string, event["channel"]?.string].compactMap(\.self).joined(separator: " ")
            }
        }
        let telling = { (configuration: inout ServerConfiguration) in
            var application = quietApplication
            application.webhooks = [Webhook(url: receiver.url, events: [.channelOccupied])]
            configuration.applications = InMemoryApplicationRegistry([application])
        }
        try await withSharedServers(2, telling) { here, there in
            let first = try await TestClient.connect(here)
            let second = try await TestClient.connect(there)
            try await second.subscribe("a")
            try await first.subscribe("a")
            // Requests are made side by side, so each waits for the one before.
            await eventually { told().count == 1 }
            try await first.subscribe("b")
            await eventually { told().count == 2 }
            try await here.stop()
            try await second.subscribe("c")
            await eventually { told().count == 3 }
            #expect(told() == ["channel_occupied a", "channel_occupied b", "channel_occupied c"])
        }
        await receiver.stop()
    }

    @Test("Each server counts the events that it took, and both tell what channels there are", arguments: [1, 2])
    func counts(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let (ann, bob) = (try await TestClient.connect(here), try await TestClient.connect(there))
            for client in [ann, bob] { try await client.subscribe("private-x") }
            try await ann.send(#"{"event":"client-a","channel":"private-x","data":{}}"#)
            try await bob.expect("client-a")
            #expect(try await here.post("/apps/1001/events", #"{"name":"e","channel":"private-x","data":"1"}"#).status == 200)
            try there.publish(channel: "private-x", event: "e", data: "2")
            try there.publish(channel: "private-x", event: "e", data: "3")
            func values(_ server: LifelineServer) async throws -> [Double?] {
                let metrics = try MetricsParser(try await server.request("GET", "/metrics").body)
                return ["events_published_total", "client_events_total", "channels"].map {
                    metrics.value("lifeline_\($0)", ["service": "pusher", "app": "1001"])
                }
            }
            #expect(try await values(here) == (servers == 1 ? [3, 1, 1] : [1, 1, 1]))
            #expect(try await values(there) == (servers == 1 ? [3, 1, 1] : [2, 0, 1]))
        }
    }

    @Test("A server that stops takes its members with it, the other goes on, and a third sees all there is")
    func comeAndGo() async throws {
        let backend = LocalBackend()
        let (here, there) = (
            try await LifelineServer.start(sharedConfiguration(), on: backend),
            try await LifelineServer.start(sharedConfiguration(), on: backend)
        )
        let ann = try await TestClient.connect(here)
        let bob = try await TestClient.connect(there)
        try await ann.subscribe("presence-x", user: "ann")
        try await bob.subscribe("presence-x", user: "bob")
        try await here.stop()
        await eventually {
            there.services.pusher.channels.members(of: ChannelID(application: "1001", name: "presence-x")).count == 1
        }
        let third = try await LifelineServer.start(sharedConfiguration(), on: backend)
        let cat = try await TestClient.connect(third)
        #expect(try await cat.subscribe("presence-x", user: "cat").data?.contains(#""ids":["bob","cat"]"#) == true)
        #expect(try await bob.skip(to: "pusher_internal:member_added").data?.contains("cat") == true)
        #expect(try await third.post("/apps/1001/events", #"{"name":"e","channel":"presence-x","data":"1"}"#).status == 200)
        try await bob.expect("e")
        try await cat.expect("e")
        for client in [bob, cat] { await client.closeSocket() }
        await eventually { there.statistics.connections + third.statistics.connections == 0 }
        #expect(try await there.leftoversInTheEnd(sockets: false) == Leftovers())
        try await third.stop()
        try await there.stop()
    }

    @Test("Servers of one backend have at most as many event loops as there are event loops")
    func tooMany() async throws {
        let backend = LocalBackend()
        let first = try await LifelineServer.start(sharedConfiguration { $0.threads = 63 }, on: backend)
        await #expect(throws: LocalBackend.Problem.tooManyLoops(limit: 64)) {
            _ = try await LifelineServer.start(sharedConfiguration(), on: backend)
        }
        try await first.stop()
        let again = try await LifelineServer.start(sharedConfiguration(), on: backend)
        try await again.stop()
    }
}
