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

@Suite("Webhooks of Pusher applications (SW-1 to SW-28)", .timeLimit(.minutes(2)))
struct PusherWebhookTests {
    /// A server whose application tells everything to one receiver.
    private func withReceiver(
        _ manner: WebhookReceiver.Manner = .answer(200), application: Application = .development,
        events: Set<Webhook.Event> = Set(Webhook.Event.allCases), clock: ManualClock? = nil,
        _ body: (LifelineServer, WebhookReceiver) async throws -> Void
    ) async throws {
        let receiver = try await WebhookReceiver.start(manner)
        var application = application
        application.webhooks = [Webhook(url: receiver.url, events: events)]
        try await withServer(application, { if let clock { $0.clock = clock.clock } }) { server in
            try await body(server, receiver)
        }
        await receiver.stop()
    }

    /// All events that came, whatever was answered, as `name channel`.
    private func told(_ receiver: WebhookReceiver) -> [String] {
        receiver.posts.flatMap(\.events).map { event in
            [event["name"]?.string, event["channel"]?.string, event["user_id"]?.string].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test("What happens is told in requests that Pusher's libraries verify (hazard 7)")
    func signed() async throws {
        try await withReceiver { server, receiver in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            try await eventually("it is told") { told(receiver).count == 2 }
            #expect(Set(told(receiver)) == ["channel_occupied room", "subscription_count room"])
            for post in receiver.posts {
                #expect(post.fields["method"] == "POST")
                #expect(post.fields["content-type"] == "application/json")
                #expect(post.fields["x-pusher-key"] == "app-key")
                let signature = try #require(post.fields["x-pusher-signature"])
                #expect(PusherSignature.isValid(webhookSignature: signature, body: post.bytes, secret: "app-secret"))
                // One for each request, unless asked otherwise.
                #expect(post.events.count == 1)
                let now = Int(ServerClock.system.unixSeconds()) * 1000
                #expect(abs((post.body["time_ms"]?.integer ?? 0) - now) < 300_000)
            }
            #expect(receiver.posts.flatMap(\.events).compactMap { $0["subscription_count"]?.integer } == [1])
        }
    }

    @Test("Members come once for each user, and nothing is told of who is back in time")
    func members() async throws {
        let clock = ManualClock()
        try await withReceiver(application: quietApplication, clock: clock) { server, receiver in
            let first = try await TestClient.connect(server)
            let second = try await TestClient.connect(server)
            try await first.subscribe("presence-x", user: "ann")
            try await second.subscribe("presence-x", user: "ann")
            await first.closeSocket()
            await second.closeSocket()
            try await eventually("all have left") { server.statistics.channels == 0 }
            clock.advance(by: 2)
            let third = try await TestClient.connect(server)
            try await third.subscribe("presence-x", user: "ann")
            clock.advance(by: 10)
            try await third.subscribe("marker")
            try await eventually("the marker is told") { told(receiver).last == "channel_occupied marker" }
            #expect(
                told(receiver) == ["channel_occupied presence-x", "member_added presence-x ann", "channel_occupied marker"])
            await third.closeSocket()
            try await eventually("all have left") { server.statistics.channels == 0 }
            clock.advance(by: 3)
            try await eventually("all is told") { told(receiver).count == 6 }
            // Each channel for itself is in order.
            #expect(
                told(receiver).filter { $0.contains("presence-x") }.suffix(2) == [
                    "member_removed presence-x ann", "channel_vacated presence-x",
                ])
            #expect(told(receiver).contains("channel_vacated marker"))
        }
    }

    @Test("Who hears only of ends does not hear of those that were taken back, and the other way round")
    func halves() async throws {
        for wanted in [Webhook.Event.channelVacated, .channelOccupied] {
            let clock = ManualClock()
            try await withReceiver(events: [wanted], clock: clock) { server, receiver in
                let client = try await TestClient.connect(server)
                for _ in 0..<2 {
                    try await client.subscribe("room")
                    try await client.send(#"{"event":"pusher:unsubscribe","data":{"channel":"room"}}"#)
                    try await client.skip(to: PusherEventName.pong, after: #"{"event":"pusher:ping","data":{}}"#)
                }
                clock.advance(by: 3)
                try await client.requestSubscription("end")
                try await client.skip(to: PusherEventName.subscriptionSucceeded)
                try await client.send(#"{"event":"pusher:unsubscribe","data":{"channel":"end"}}"#)
                try await client.skip(to: PusherEventName.pong, after: #"{"event":"pusher:ping","data":{}}"#)
                clock.advance(by: 3)
                let name = wanted.rawValue
                try await eventually("both are told") { told(receiver).count >= 2 && told(receiver).contains("\(name) end") }
                #expect(told(receiver).sorted() == ["\(name) end", "\(name) room"])
            }
        }
    }

    @Test("Client events carry their data as it was sent, their sender, and the user on presence channels")
    func clientEvents() async throws {
        try await withReceiver(application: quietApplication, events: [.clientEvent]) { server, receiver in
            let client = try await TestClient.connect(server)
            try await client.subscribe("private-x")
            try await client.subscribe("presence-x", user: "ann")
            try await client.send(#"{"event":"client-a","channel":"private-x","data":{"n": 1}}"#)
            try await client.send(#"{"event":"client-b","channel":"presence-x","data":"text"}"#)
            try await eventually("both are told") { told(receiver).count == 2 }
            let events = receiver.posts.flatMap(\.events).sorted { $0["event"]?.string ?? "" < $1["event"]?.string ?? "" }
            let socket = await client.socketID
            #expect(
                events == [
                    [
                        "name": "client_event", "channel": "private-x", "event": "client-a", "data": #"{"n": 1}"#,
                        "socket_id": .string(socket),
                    ],
                    [
                        "name": "client_event", "channel": "presence-x", "event": "client-b", "data": "text",
                        "socket_id": .string(socket), "user_id": "ann",
                    ],
                ])
        }
    }

    @Test("An empty cache channel is told once, and again when what filled it has expired")
    func cacheMisses() async throws {
        let clock = ManualClock()
        try await withReceiver(application: quietApplication, events: [.cacheMiss], clock: clock) { server, receiver in
            for _ in 0..<3 {
                let client = try await TestClient.connect(server)
                try await client.subscribe("cache-x")
            }
            try server.publish(channel: "cache-x", event: "e", data: "{}")
            let late = try await TestClient.connect(server)
            try await late.subscribe("cache-x")
            try await late.expect("e")
            clock.advance(by: 1801)
            let later = try await TestClient.connect(server)
            try await later.subscribe("cache-x")
            try await eventually("both misses are told") { told(receiver).count == 2 }
            try await later.skip(to: PusherEventName.cacheMiss)
            try await later.subscribe("cache-end")
            try await eventually("the last one is told") { told(receiver).contains("cache_miss cache-end") }
            #expect(told(receiver).sorted() == ["cache_miss cache-end", "cache_miss cache-x", "cache_miss cache-x"])
        }
    }

    @Test("Reserved channels are not told")
    func reserved() async throws {
        try await withReceiver(application: quietApplication) { server, receiver in
            let client = try await TestClient.connect(server)
            let data = #"{"id":"ann"}"#
            let socket = await client.socketID
            let auth = PusherSignature.userAuth(socketID: socket, userData: data, key: "app-key", secret: "app-secret")
            try await client.send(PusherClientFrames.signin(auth: auth, userData: data))
            try await client.skip(to: PusherEventName.signinSuccess)
            try await client.subscribe("#server-to-user-ann")
            try await client.subscribe("end")
            try await eventually("the end is told") { told(receiver) == ["channel_occupied end"] }
        }
    }
}

extension TestClient {
    /// Sends something and reads until this event comes.
    fileprivate func skip(to event: String, after text: String) async throws {
        try await send(text)
        try await skip(to: event)
    }
}
