import Identifiers
import NIOConcurrencyHelpers
import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// What other servers lack: retries, batches and the delay of ends in one.
@Suite("Webhooks whose receivers fail (SW-20 to SW-28)", .timeLimit(.minutes(3)))
struct PusherWebhookFaultTests {
    private func application(_ webhooks: [Webhook]) -> Application {
        var application = quietApplication
        application.webhooks = webhooks
        return application
    }

    private func events(_ receiver: WebhookReceiver) -> [String] {
        receiver.posts.flatMap(\.events).compactMap { $0["event"]?.string }
    }

    /// Requests that did not succeed.
    private func failures(_ server: LifelineServer) -> Int {
        server.services.pusher.webhooks.counts.values.reduce(0) { $0 + $1.failedRequests }
    }

    /// A client that tells something on a channel.
    private func talker(_ server: LifelineServer, _ channel: String = "private-x") async throws -> TestClient {
        let client = try await TestClient.connect(server)
        try await client.subscribe(channel)
        return client
    }

    private func say(_ name: String, _ client: TestClient, on channel: String = "private-x") async throws {
        try await client.send(#"{"event":"client-\#(name)","channel":"\#(channel)","data":{}}"#)
    }

    @Test("A receiver that fails and recovers gets everything in each channel's order")
    func recovery() async throws {
        for manner in [WebhookReceiver.Manner.answer(500), .answer(404), .hangUp] {
            let receiver = try await WebhookReceiver.start(manner)
            let webhook = Webhook(url: receiver.url, events: [.clientEvent], batches: true)
            try await withServer(application([webhook])) { server in
                let client = try await talker(server)
                for number in 1...8 { try await say("\(number)", client) }
                try await eventually("it was tried twice") { receiver.posts.count >= 2 }
                let failed = receiver.posts.count
                // The same events, signed anew.
                #expect(Set(receiver.posts.map { $0.events.count }).count == 1)
                receiver.set(.answer(204))
                try await eventually("all is told") { server.statistics.webhookEvents == 8 }
                // An attempt that was under way may still have been refused.
                let told = receiver.posts.dropFirst(failed).flatMap(\.events).compactMap { $0["event"]?.string }
                var seen: Set<String> = []
                #expect(told.filter { seen.insert($0).inserted } == (1...8).map { "client-\($0)" })
                #expect(server.statistics.webhookEventsDropped == 0)
            }
            await receiver.stop()
        }
    }

    @Test("Each attempt says when it is made, so that receivers that check the time take it")
    func times() async throws {
        let clock = ManualClock()
        let receiver = try await WebhookReceiver.start(.answer(503))
        let webhook = Webhook(url: receiver.url, events: [.clientEvent])
        try await withServer(application([webhook]), { $0.clock = clock.clock }) { server in
            let client = try await talker(server)
            try await say("a", client)
            try await eventually("it was tried") { failures(server) == 1 }
            clock.advance(by: 60)
            try await eventually("it was tried again") { failures(server) == 2 }
            receiver.set(.answer(200))
            clock.advance(by: 60)
            try await eventually("it is told") { server.statistics.webhookEvents == 1 }
            let times = receiver.posts.compactMap { $0.body["time_ms"]?.integer }
            #expect(times == [times[0], times[0] + 60_000, times[0] + 120_000])
            for post in receiver.posts {
                let signature = try #require(post.fields["x-pusher-signature"])
                #expect(PusherSignature.isValid(webhookSignature: signature, body: post.bytes, secret: "app-secret"))
            }
        }
        await receiver.stop()
    }

    // Proof of H7.
    @Test("After five minutes an event is given up and counted, and the next one is tried")
    func patience() async throws {
        let clock = ManualClock()
        let receiver = try await WebhookReceiver.start(.answer(500))
        let webhook = Webhook(url: receiver.url, events: [.clientEvent])
        let configure: (inout ServerConfiguration) -> Void = {
            $0.clock = clock.clock
            // The client says nothing for all these minutes.
            $0.activityTimeout = .seconds(100_000)
        }
        try await withServer(application([webhook]), configure) { server in
            let client = try await talker(server)
            try await say("a", client)
            try await eventually("it was tried") { failures(server) == 1 }
            clock.advance(by: 301)
            try await eventually("it is given up") { server.statistics.webhookEventsDropped == 1 }
            receiver.set(.answer(200))
            clock.advance(by: 33)
            try await say("b", client)
            try await eventually("the next one is told") { server.statistics.webhookEvents == 1 }
            #expect(events(receiver) == ["client-a", "client-a", "client-b"])
        }
        await receiver.stop()
    }

    // Proof of X12.
    @Test("A redirect is not followed, since nobody said that what is there may hear of it")
    func redirects() async throws {
        let elsewhere = try await WebhookReceiver.start()
        let receiver = try await WebhookReceiver.start(.redirect(elsewhere.url))
        let webhook = Webhook(url: receiver.url, events: [.clientEvent])
        try await withServer(application([webhook])) { server in
            let client = try await talker(server)
            try await say("a", client)
            try await eventually("it was tried twice") { receiver.posts.count >= 2 }
            #expect(elsewhere.posts.isEmpty)
            #expect(server.statistics.webhookEvents == 0)
        }
        await receiver.stop()
        await elsewhere.stop()
    }

    @Test("A receiver that hangs holds up neither other receivers nor subscribers nor the end of the server")
    func independence() async throws {
        let hanging = try await WebhookReceiver.start(.hang)
        let working = try await WebhookReceiver.start()
        let webhooks = [Webhook(url: hanging.url), Webhook(url: working.url, events: [.clientEvent])]
        try await withServer(application(webhooks)) { server in
            let client = try await talker(server)
            let other = try await talker(server)
            for number in 1...9 {
                try await say("\(number)", client)
                try await other.expect("client-\(number)")
            }
            try await eventually("the other one is told") { events(working).count == 9 }
            #expect(events(working) == (1...9).map { "client-\($0)" })
            // One of the channel is under way; nothing overtakes it, however long that takes and often it is tried.
            #expect(Set(hanging.posts.map { $0.events.first?["event"]?.string ?? $0.events.first?["name"]?.string }).count == 1)
        }
        await hanging.stop()
        await working.stop()
    }

    @Test("Receivers that hang take no connections from others behind the same host")
    func oneHost() async throws {
        let host = try await WebhookReceiver.start(.hangAt("/hook/hanging"))
        // Four requests of each are under way at a time, on different channels.
        let paths = ["/hanging/1", "/hanging/2", "/hanging/3", "/working"]
        let webhooks = paths.map { Webhook(url: host.url + $0, events: [.clientEvent]) }
        func told(_ path: String) -> Int { host.posts.count { $0.fields["path"] == "/hook" + path } }
        try await withServer(application(webhooks)) { server in
            let client = try await talker(server, "private-0")
            for number in 0..<8 {
                if number > 0 { try await client.subscribe("private-\(number)") }
                try await say("\(number)", client, on: "private-\(number)")
            }
            try await eventually("the working one is told") { told("/working") == 8 }
            // Four for each of them, more than the HTTP library opens to one host by itself, which is eight.
            try await eventually("those that hang have connections of their own") { host.mostConnections > 8 }
        }
        await host.stop()
    }

    @Test("Several events come in one request where that is wanted")
    func batches() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        let webhook = Webhook(url: receiver.url, events: [.channelOccupied], batches: true)
        try await withServer(application([webhook])) { server in
            let client = try await TestClient.connect(server)
            // While nothing is taken, events gather.
            for number in 0..<250 { try await client.subscribe("c\(number)") }
            receiver.set(.answer(200))
            try await eventually("all is told") { server.statistics.webhookEvents == 250 }
            #expect(receiver.posts.allSatisfy { (1...100).contains($0.events.count) })
            #expect(receiver.posts.contains { $0.events.count > 1 })
        }
        await receiver.stop()
    }

    @Test("What waits is told before the server has stopped, the ends of its connections included")
    func flushing() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        var configuration = ServerConfiguration(port: 0)
        let webhook = Webhook(url: receiver.url, events: [.channelVacated, .memberRemoved, .clientEvent])
        configuration.applications = InMemoryApplicationRegistry([application([webhook])])
        let server = try await LifelineServer.start(configuration)
        let client = try await TestClient.connect(server)
        try await client.subscribe("presence-x", user: "ann")
        try await say("last-words", client, on: "presence-x")
        try await eventually("it was tried") { !receiver.posts.isEmpty }
        await client.closeSocket()
        receiver.set(.answer(200))
        try await server.stop()
        let names = receiver.posts.flatMap(\.events).compactMap { $0["name"]?.string }
        #expect(names.suffix(3) == ["client_event", "member_removed", "channel_vacated"])
        #expect(server.statistics.webhookEvents == 3)
        #expect(server.statistics.webhookEventsDropped == 0)
        await receiver.stop()
    }

    @Test("Receivers that are configured otherwise are told what happens from then on")
    func changed() async throws {
        let registry = ReloadableApplicationRegistry([])
        let (old, new) = (try await WebhookReceiver.start(), try await WebhookReceiver.start())
        registry.replace(with: [application([Webhook(url: old.url, events: [.channelOccupied])])])
        try await withServer(quietApplication, { $0.applications = registry }) { server in
            let early = try await TestClient.connect(server)
            try await early.subscribe("a")
            registry.replace(with: [application([Webhook(url: new.url, events: [.channelOccupied])])])
            try await TestClient.connect(server).subscribe("b")
            // Connections that still know the application as it was tell the new receivers too.
            try await early.subscribe("c")
            try await eventually("all is told") { server.statistics.webhookEvents == 3 }
            #expect(
                [old, new].map { $0.posts.flatMap(\.events).compactMap { $0["channel"]?.string }.sorted() } == [
                    ["a"], ["b", "c"],
                ])
        }
        await old.stop()
        await new.stop()
    }

    @Test("When receivers change, nothing that waits is lost, overtaken or counted away (SW-1, SW-20, ME-3)")
    func changedWhileFailing() async throws {
        let registry = ReloadableApplicationRegistry([])
        let (first, second) = (try await WebhookReceiver.start(.answer(503)), try await WebhookReceiver.start())
        let webhooks = [first, second].map { Webhook(url: $0.url, events: [.clientEvent]) }
        registry.replace(with: [application([webhooks[0]])])
        let clock = ManualClock()
        var configuration = ServerConfiguration(port: 0)
        configuration.applications = registry
        configuration.clock = clock.clock
        let server = try await LifelineServer.start(configuration)
        func counts() -> WebhookDelivery.Counts { server.services.pusher.webhooks.counts["1001"] ?? .init() }
        let client = try await talker(server)
        try await say("1", client)
        try await say("2", client)
        // Both have come: the second receiver would be told of one that comes later.
        try await eventually("it was tried") { counts().failedRequests > 0 && counts().queued == 2 }
        // Another receiver comes: the first one keeps what waits for it.
        registry.replace(with: [application(webhooks)])
        try await say("3", client)
        try await eventually("the second one is told") { counts().delivered == 1 }
        #expect(counts().queued == 3)
        #expect(counts().failedRequests > 0)
        // The first one goes, and is still told what waited.
        registry.replace(with: [application([webhooks[1]])])
        try await say("4", client)
        try await eventually("the second one is told again") { counts().delivered == 2 }
        #expect(counts().queued == 3)
        #expect(counts().failedRequests > 0)
        #expect(events(second) == ["client-3", "client-4"])
        first.set(.answer(200))
        // Beyond the pause before the next attempt.
        clock.advance(by: 40)
        try await eventually("the first one is told") { counts().delivered == 5 }
        try await server.stop()
        var seen: Set<String> = []
        #expect(events(first).filter { seen.insert($0).inserted } == ["client-1", "client-2", "client-3"])
        #expect(counts().delivered == 5)
        #expect(counts().dropped == 0)
        await first.stop()
        await second.stop()
    }
}
