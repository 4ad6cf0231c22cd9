import NIOCore
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Pusher of a cluster goes on when nodes and leaders go (CP-17 to CP-22, CP-50 to CP-56)", .timeLimit(.minutes(1)))
struct PusherClusterLeaderTests {
    /// Counts the events that a receiver of webhooks was told.
    private func told(_ receiver: WebhookReceiver) -> [String] {
        receiver.posts.flatMap(\.events).map { event in
            [event["name"]?.string, event["channel"]?.string, event["user_id"]?.string].compactMap(\.self).joined(separator: " ")
        }
    }

    private func telling(_ receiver: WebhookReceiver, _ clock: ManualClock) -> (inout ServerConfiguration) -> Void {
        { configuration in
            var application = quietApplication
            application.webhooks = [
                Webhook(url: receiver.url, events: [.channelOccupied, .channelVacated, .memberRemoved])
            ]
            configuration.applications = InMemoryApplicationRegistry([application])
            configuration.clock = clock.withTimeOfDay
        }
    }

    @Test("What a node held ends once when it is gone, and webhooks hear of it once (CP-17)")
    func death() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        let clock = ManualClock()
        try await withPusherCluster(2, telling(receiver, clock)) { cluster in
            let ann = try await cluster[0].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await ann.subscribe("alone")
            let bob = try await cluster[1].connect()
            try await bob.subscribe("presence-x", user: "bob")
            await cluster.kill(0)
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
            try await bob.expectSilence()
            #expect(try await cluster[1].get("/apps/1001/channels").body == #"{"channels":{"presence-x":{}}}"#)
            clock.advance(by: 10)
            await eventually { told(receiver).count == 4 }
            #expect(
                told(receiver).sorted() == [
                    "channel_occupied alone", "channel_occupied presence-x", "channel_vacated alone",
                    "member_removed presence-x ann",
                ])
        }
        await receiver.stop()
    }

    @Test(
        "With live nodes a change of the leader is seen by nobody, and everything goes on (CP-18)",
        .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func change() async throws {
        try await withPusherCluster(2, isKept: true) { cluster in
            let ann = try await cluster[0].connect()
            let bob = try await cluster[1].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await bob.subscribe("presence-x", user: "bob")
            try await ann.expect("pusher_internal:member_added")
            try await ann.signIn("ann", watching: ["bob"])
            try await bob.signIn("bob", watching: ["ann"])
            #expect(try await bob.expect("pusher_internal:watchlist_events").data?.contains("online") == true)
            #expect(try await ann.expect("pusher_internal:watchlist_events").data?.contains("online") == true)
            try await cluster.lead()
            let users = try await cluster[0].get("/apps/1001/channels/presence-x/users")
            #expect(users.body == #"{"users":[{"id":"ann"},{"id":"bob"}]}"#)
            for client in [ann, bob] { try await client.expectSilence() }
            #expect(
                try await cluster[1].post("/apps/1001/events", #"{"name":"e","channel":"presence-x","data":"1"}"#).status == 200)
            for client in [ann, bob] { try await client.expect("e") }
            #expect(try await cluster[0].get("/apps/1001/connections").body == #"{"connections":2}"#)
            await bob.closeSocket()
            #expect(try await ann.expect("pusher_internal:member_removed").data?.contains("bob") == true)
        }
    }

    @Test(
        "The members of a node that goes with the leader leave once (CP-19)",
        .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func changeAndDeath() async throws {
        try await withPusherCluster(2, isKept: true) { cluster in
            let ann = try await cluster[0].connect()
            let bob = try await cluster[1].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await bob.subscribe("presence-x", user: "bob")
            await cluster.cluster.loseLeader()
            await cluster.kill(0)
            try await cluster.lead()
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
            try await bob.expectSilence()
            #expect(try await cluster[1].get("/apps/1001/channels/presence-x/users").body == #"{"users":[{"id":"bob"}]}"#)
        }
    }

    @Test(
        "A cached event outlives the leader (CP-52)", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func cached() async throws {
        try await withPusherCluster(1, isKept: true) { cluster in
            let body = #"{"name":"e","channel":"cache-x","data":"kept"}"#
            #expect(try await cluster[0].post("/apps/1001/events", body).status == 200)
            try await cluster.lead()
            let client = try await cluster[0].connect()
            try await client.subscribe("cache-x")
            #expect(try await client.expect("e").data == "kept")
        }
    }

    @Test(
        "What webhooks would have heard later, the next leader tells (CP-53)",
        .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func absences() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        let clock = ManualClock()
        try await withPusherCluster(1, isKept: true, telling(receiver, clock)) { cluster in
            let ann = try await cluster[0].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await ann.subscribe("again")
            await eventually { told(receiver).count == 2 }
            await ann.closeSocket()
            try await eventually { try await cluster[0].get("/apps/1001/channels").body == #"{"channels":{}}"# }
            try await cluster.lead()
            let bob = try await cluster[0].connect()
            try await bob.subscribe("again")
            clock.advance(by: 10)
            await eventually { told(receiver).count == 4 }
            #expect(told(receiver).suffix(2).sorted() == ["channel_vacated presence-x", "member_removed presence-x ann"])
        }
        await receiver.stop()
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func `CP-53: what the last leader has told is not told again`() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        let clock = ManualClock()
        try await withPusherCluster(1, isKept: true, telling(receiver, clock)) { cluster in
            let ann = try await cluster[0].connect()
            try await ann.subscribe("presence-x", user: "ann")
            await ann.closeSocket()
            try await eventually { try await cluster[0].get("/apps/1001/channels").body == #"{"channels":{}}"# }
            clock.advance(by: 10)
            await eventually { told(receiver).count == 3 }
            try await cluster.lead()
            let bob = try await cluster[0].connect()
            try await bob.subscribe("last")
            clock.advance(by: 10)
            await eventually { told(receiver).count >= 4 }
            #expect(
                told(receiver) == [
                    "channel_occupied presence-x", "member_removed presence-x ann", "channel_vacated presence-x",
                    "channel_occupied last",
                ])
        }
        await receiver.stop()
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func `CP-54: events that wait when the leader dies are told by the next one, and by no other`() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        let clock = ManualClock()
        try await withPusherCluster(1, isKept: true, telling(receiver, clock)) { cluster in
            let ann = try await cluster[0].connect()
            let channels = (1...9).map { "room-\($0)" }
            for channel in channels { try await ann.subscribe(channel) }
            // Nothing new is tried while a receiver fails and the clock stands.
            await eventually { !receiver.posts.isEmpty }
            await cluster.cluster.settle()
            await cluster.cluster.loseLeader()
            receiver.set(.answer(200))
            let before = receiver.posts.count
            try await cluster.lead()
            try await ann.subscribe("new")
            func news() -> [String] {
                receiver.posts.dropFirst(before).flatMap(\.events).compactMap { event in
                    event["channel"]?.string.map { "\(event["name"]?.string ?? "") \($0)" }
                }
            }
            let expected = (channels + ["new"]).map { "channel_occupied \($0)" }
            // At least once: a request of the dead leader may still have been on its way.
            await eventually { Set(news()).isSuperset(of: expected) }
            #expect(Set(news()) == Set(expected))
            await cluster.cluster.settle()
            // What has arrived is told by no other leader.
            let count = news().count
            try await cluster.lead()
            try await ann.subscribe("last")
            await eventually { news().contains("channel_occupied last") }
            #expect(news().count == count + 1)
        }
        await receiver.stop()
    }

    @Test(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"))
    func `CR-45: a leader that resigns begins nothing new, and leaves what was not answered to the next one`() async throws {
        let receiver = try await WebhookReceiver.start(.hang)
        let clock = ManualClock()
        try await withPusherCluster(1, isKept: true, telling(receiver, clock)) { cluster in
            let ann = try await cluster[0].connect()
            for number in 1...6 { try await ann.subscribe("room-\(number)") }
            await eventually { receiver.posts.count == 4 }
            // The four get no answer all the same.
            receiver.set(.answer(200))
            try await cluster.lead()
            await eventually { Set(told(receiver)).count == 6 }
            #expect(Set(told(receiver)) == Set((1...6).map { "channel_occupied room-\($0)" }))
        }
        await receiver.stop()
    }

    @Test("A subscription without a leader waits for the next one (CP-21)")
    func waiting() async throws {
        try await withPusherCluster(1, isLed: false) { cluster in
            let client = try await cluster[0].connect()
            try await client.requestSubscription("room")
            try await client.expectSilence()
            try await cluster.lead()
            try await client.expect("pusher_internal:subscription_succeeded")
            #expect(try await cluster[0].get("/apps/1001/channels").body == #"{"channels":{"room":{}}}"#)
        }
    }

    @Test("A connection whose subscription no leader answers is closed, so that its client comes back (CP-21)")
    func refused() async throws {
        try await withPusherCluster(1, patience: .milliseconds(20), isLed: false) { cluster in
            let client = try await cluster[0].connect()
            try await client.requestSubscription("room")
            try await client.requestSubscription("other")
            #expect(try await client.expectFarewell() == 4100)
            try await cluster.lead()
            try await eventually { try await cluster[0].get("/apps/1001/channels").body == #"{"channels":{}}"# }
            #expect(cluster[0].channels.channelCount == 0)
        }
    }

    @Test("Whoever lost events is told to connect again (CP-22)")
    func interruption() async throws {
        try await withPusherCluster { cluster in
            let ann = try await cluster[0].connect()
            let bob = try await cluster[1].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await bob.subscribe("presence-x", user: "bob")
            try await ann.expect("pusher_internal:member_added")
            cluster[0].channels.interrupted()
            #expect(try await ann.expectFarewell() == 4200)
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
        }
    }
}
