import ServerStorage
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

// What time, filters, deletion, figures and the bridge do with servers on one backend.
extension TwoServersPubNubTests {
    @Test("Filters, signals and fires of one server are those of the other, and each is counted once", arguments: [1, 2])
    func filtersAndCounts(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let filtered = try await hold("room", "&filter-expr=a%3D%3D1", on: there)
            let writer = try await PollClient.connect(here)
            try await writer.publish("1", to: "room", "&meta=%7B%22a%22%3A2%7D")
            try await writer.publish("2", to: "room", "&meta=%7B%22a%22%3A1%7D")
            #expect(try await filtered.reply().payloads == ["2"])
            let plain = try await hold("room", on: there)
            try await writer.publish("3", to: "room", "&store=0&norep=true")
            #expect(try await writer.get("/signal/demo/demo/0/room/0/4?uuid=p").status == 200)
            let reply = try await plain.reply()
            #expect(reply.payloads == ["4"] && reply.messages.first?["e"]?.text == "1")
            for server in [here, there] {
                let count = server === here ? 4 : 0
                #expect(server.statistics.messagesPublished == count)
                let metrics = try MetricsParser(try await server.request("GET", "/metrics").body)
                let labels = ["service": "pubnub", "app": "demo"]
                #expect(metrics.value("lifeline_messages_published_total", labels) == Double(count))
            }
        }
    }

    @Test("What is deleted through one server is gone from the other's history and counts", arguments: [1, 2])
    func deletion(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let (writer, reader) = (try await PollClient.connect(here), try await PollClient.connect(there))
            try await writer.publish("1", to: "room")
            try await writer.publish("2", to: "room")
            let counts = "/v3/history/sub-key/demo/message-counts/room?timetoken=1"
            #expect(try await reader.get(counts).packed.contains(#""channels":{"room":2}"#))
            #expect(try await reader.delete("/v3/history/sub-key/demo/channel/room").status == 200)
            #expect(try await writer.get(counts).packed.contains(#""channels":{"room":0}"#))
            #expect(try await writer.get("/v2/history/sub-key/demo/channel/room").packed.hasPrefix("[[],"))
        }
    }

    @Test("An interval of presence is told once, to the polls of both servers (PV-162)", arguments: [1, 2])
    func interval(servers: Int) async throws {
        let clock = ManualClock()
        var keyset = Keyset.development
        keyset.announceMaximum = 1
        let many = { (configuration: inout ServerConfiguration) in
            configuration.clock = clock.clock
            configuration.keysets = [keyset]
        }
        try await withSharedServers(servers, many) { here, there in
            for (server, user) in [(here, "ann"), (there, "bob"), (here, "cid")] {
                let client = try await PollClient.connect(server)
                #expect(
                    try await client.get("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=\(user)&heartbeat=300").status
                        == 200)
            }
            let watchers = [
                try await hold("room-pnpres", on: here), try await hold("room-pnpres", on: there, held: servers == 1 ? 2 : 1),
            ]
            clock.advance(by: 11)
            for watcher in watchers {
                let events = try await watcher.reply().messages.compactMap { $0["d"] }
                #expect(events.compactMap { $0["action"]?.string } == ["interval"])
                #expect(events.first?["occupancy"]?.integer == 3)
            }
        }
    }

    @Test("When the first server has stopped, the next one has users time out, once (PV-162)")
    func timeGoesOn() async throws {
        let clock = ManualClock()
        let backend = LocalBackend()
        let manual = { (configuration: inout ServerConfiguration) in configuration.clock = clock.clock }
        let here = try await LifelineServer.start(sharedConfiguration(manual), on: backend)
        let there = try await LifelineServer.start(sharedConfiguration(manual), on: backend)
        let client = try await PollClient.connect(here)
        #expect(try await client.get("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=ann&heartbeat=20").status == 200)
        let watcher = try await hold("room-pnpres", on: there)
        try await here.stop()
        clock.advance(by: 40)
        #expect(try await watcher.reply().messages.compactMap { $0["d"]?["action"]?.string } == ["timeout"])
        let now = try await PollClient.connect(there).get("/v2/presence/sub-key/demo/channel/room")
        #expect(now.packed.contains(#""occupancy":0"#))
        try await there.stop()
    }

    @Test("Each server holds its polls for as long as it is told to (PV-160)")
    func pollHold() async throws {
        let clock = ManualClock()
        let backend = LocalBackend()
        let manual = { (configuration: inout ServerConfiguration) in configuration.clock = clock.clock }
        let here = try await LifelineServer.start(sharedConfiguration(manual), on: backend)
        let there = try await LifelineServer.start(
            sharedConfiguration {
                manual(&$0)
                $0.pollHold = .seconds(20)
            }, on: backend)
        let (long, short) = (try await hold("room", on: here), try await hold("room", on: there))
        clock.advance(by: 30)
        let empty = try await short.reply()
        #expect(empty.status == 200 && empty.payloads.isEmpty)
        try await here.holds(1)
        try await PollClient.connect(there).publish("1", to: "room")
        #expect(try await long.reply().payloads == ["1"])
        try await there.stop()
        try await here.stop()
    }

    @Test("The bridge carries a message once, by whichever server has been there longest (PV-162)")
    func bridge() async throws {
        let backend = LocalBackend()
        let bridged = { (configuration: inout ServerConfiguration) in configuration.bridge = Bridge() }
        let here = try await LifelineServer.start(sharedConfiguration(bridged), on: backend)
        let there = try await LifelineServer.start(sharedConfiguration(bridged), on: backend)
        let pusher = try await TestClient.connect(there)
        try await pusher.subscribe("room")
        let (first, second) = (try await PollClient.connect(here), try await PollClient.connect(there))
        try await first.publish("1", to: "room")
        try await second.publish("2", to: "room")
        // The next event comes in its place, so that a message which was carried twice shows.
        for payload in ["1", "2"] { #expect(try await pusher.expect("message").data == payload) }
        try await here.stop()
        try await second.publish("3", to: "room")
        #expect(try await pusher.expect("message").data == "3")
        try await there.stop()
    }
}
