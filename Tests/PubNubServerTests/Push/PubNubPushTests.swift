import Foundation
import Identifiers
import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Devices for push notifications over HTTP (rules PU-1 to PU-27)", .timeLimit(.minutes(1)))
struct PubNubPushTests {
    static let token = String(repeating: "ab12", count: 16)
    static let first = "/v1/push/sub-key/demo/devices/\(token)"
    static let second = "/v2/push/sub-key/demo/devices-apns2/\(token)"

    @Test("A device is registered, listed in pages, changed and forgotten; version 2 tells topics and environments apart")
    func registration() async throws {
        let fixture = PubNubRESTFixture()
        #expect(try await fixture.body(Self.first + "?type=apns") == "[]")
        #expect(try await fixture.body(Self.first + "?type=apns&add=b,a%20c,d") == #"[1, "Modified Channels"]"#)
        #expect(try await fixture.body(Self.first + "?type=apns") == #"["a c", "b", "d"]"#)
        #expect(try await fixture.body(Self.first + "?type=apns&count=2") == #"["a c", "b"]"#)
        #expect(try await fixture.body(Self.first + "?type=apns&count=2&start=b") == #"["d"]"#)
        #expect(try await fixture.body(Self.first + "?type=apns&add=e&remove=b,e") == #"[1, "Modified Channels"]"#)
        // Whether the device is Google's or Apple's makes two of them.
        #expect(try await fixture.body(Self.first + "?type=fcm") == "[]")
        #expect(
            try await fixture.body(
                Self.first.uppercased().replacing("/V1/PUSH/SUB-KEY/DEMO/DEVICES", with: "/v1/push/sub-key/demo/devices")
                    + "?type=apns") == #"["a c", "d"]"#)
        #expect(try await fixture.body(Self.second + "?topic=com.app&add=x") == #"[1, "Modified Channels"]"#)
        #expect(try await fixture.body(Self.second + "?topic=com.app&environment=production") == "[]")
        #expect(try await fixture.body(Self.second + "?topic=com.app&environment=development") == #"["x"]"#)
        #expect(try await fixture.body(Self.second + "/remove?topic=com.app") == #"[1, "Removed Device"]"#)
        #expect(try await fixture.body(Self.second + "/remove?topic=com.app") == #"[1, "Removed Device"]"#)
        #expect(try await fixture.body(Self.second + "?topic=com.app") == "[]")
        #expect(try await fixture.body(Self.first + "?type=apns") == #"["a c", "d"]"#)
    }

    @Test("What the store has not taken does not hold, and asking for it again stores it (PU-6)")
    func storedFirst() async throws {
        let store = HeldMessageStore()
        let fixture = PubNubRESTFixture(store: store)
        for isKept in [false, true] {
            async let answer = fixture.ask(Self.first + "?type=apns&add=a")
            try await store.hold(1)
            async let later = fixture.ask(Self.first + "?type=apns&add=b")
            #expect(try await fixture.body(Self.first + "?type=apns") == "[]")
            store.complete(isKept)
            #expect(try await answer.status == (isKept ? 200 : 503))
            try await store.hold(1)
            store.complete(isKept)
            #expect(try await later.status == (isKept ? 200 : 503))
        }
        #expect(try await fixture.body(Self.first + "?type=apns") == #"["a", "b"]"#)
        async let removal = fixture.ask(Self.first + "/remove?type=apns")
        try await store.hold(1)
        store.complete(false)
        #expect(try await removal.status == 503)
        #expect(try await fixture.body(Self.first + "?type=apns") == #"["a", "b"]"#)
    }

    @Test(
        "What is refused is refused in the service's words and changes nothing",
        arguments: [
            (first + "?add=a", "Invalid type argument"), (first + "?type=x&add=a", "Invalid type argument"),
            ("/v1/push/sub-key/demo/devices/abc?type=apns&add=a", "Invalid device token"),
            ("/v1/push/sub-key/demo/devices/00000000000000g0?type=apns&add=a&remove=b", "Invalid device token"),
            ("/v1/push/sub-key/demo/devices/\(String(repeating: "0", count: 201))?type=apns&add=a", "Invalid device token"),
            ("/v2/push/sub-key/demo/devices-apns2/abc?topic=t&add=a", "Invalid device token"),
            ("/v1/push/sub-key/demo/devices/a%0Ab/remove?type=apns", "Invalid device token"),
            ("/v1/push/sub-key/demo/devices/a%20b?type=fcm&add=a", "Invalid device token"),
            (second + "?add=a", "Invalid topic argument"), (second + "?topic=t&environment=x", "Invalid environment argument"),
            (first + "?type=apns&add=a-pnpres", "Invalid Character in Channel Name"),
            (first + "?type=apns&add=a,b.*", "Invalid Character in Channel Name"),
            (first + "/remove", "Invalid type argument"),
        ])
    func refusals(target: String, problem: String) async throws {
        let fixture = PubNubRESTFixture()
        #expect(try await fixture.body(target) == #"400 {"error": "\#(problem)"}"#)
        #expect(try await fixture.body(Self.first + "?type=apns") == "[]")
    }

    @Test(
        "Tokens of 16 hexadecimal digits are registered; what cannot be registered has no channels and can be removed (PU-1)",
        arguments: [
            ("0000000000000000", true), ("ABCDEF1234567890", true), ("0123456789abcdef0", true),
            ("nonexistent_device_123", false),
            ("%20%201234567890ABCDEF%20%20", false), ("%E6%B5%8B123456", false), ("000000000000000", false),
        ])
    func tokens(token: String, isRegistered: Bool) async throws {
        let fixture = PubNubRESTFixture()
        let targets = [
            "/v1/push/sub-key/demo/devices/\(token)?type=apns", "/v2/push/sub-key/demo/devices-apns2/\(token)?topic=t",
        ]
        for target in targets {
            let added = try await fixture.body(target + "&add=a,b")
            #expect(added == (isRegistered ? #"[1, "Modified Channels"]"# : #"400 {"error": "Invalid device token"}"#))
            #expect(try await fixture.body(target) == (isRegistered ? #"["a", "b"]"# : "[]"))
            #expect(try await fixture.body(target + "&remove=a") == #"[1, "Modified Channels"]"#)
            #expect(try await fixture.body(target) == (isRegistered ? #"["b"]"# : "[]"))
            #expect(try await fixture.body(target.replacing("?", with: "/remove?")) == #"[1, "Removed Device"]"#)
            #expect(try await fixture.body(target) == "[]")
        }
    }

    @Test(
        "With the access manager, adding and removing channels needs the right to read them, also in parameters that are repeated (PU-12)"
    )
    func access() async throws {
        let fixture = PubNubAccessTests.fixture()
        for query in ["add=room", "remove=room", "add=room&add=a", "remove=room&add=a"] {
            let token = try await PubNubAccessTests.token(fixture, #"{"resources":{"channels":{"a":1}},"patterns":{}}"#)
            #expect(try await fixture.body(Self.first + "?type=apns&\(query)&auth=\(token)") == PubNubAccessTests.forbidden)
        }
        let token = try await PubNubAccessTests.token(fixture, #"{"resources":{"channels":{"room":1}},"patterns":{}}"#)
        #expect(try await fixture.ask(Self.first + "?type=apns&add=room&auth=\(token)").status == 200)
        #expect(try await fixture.body(Self.first + "?type=apns") == #"["room"]"#)
    }

    @Test("Registrations outlive a restart with a data directory (PU-6)")
    func restart() async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let google = "/v1/push/sub-key/demo/devices/T%C3%A9"
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
            for target in [
                Self.first + "?type=apns&add=a,b,c", Self.first + "?type=apns&remove=b", Self.second + "?topic=t&add=a",
                Self.second + "/remove?topic=t", google + "?type=gcm&add=a",
            ] {
                let answer = try await server.request("GET", target)
                #expect(answer.status == 200)
            }
        }
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
            for (target, channels) in [
                (Self.first + "?type=apns", #"["a", "c"]"#), (Self.second + "?topic=t", "[]"), (google + "?type=fcm", #"["a"]"#),
            ] {
                let answer = try await server.request("GET", target)
                #expect(answer.body == channels)
            }
        }
    }

    @Test("The webhook is told what to push to which devices, signed, once the message is stored (PU-20, PU-24, PU-25)")
    func webhook() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        var keyset = Keyset.development
        keyset.pushWebhook = receiver.url
        try await withServer(quietApplication, { $0.keysets = [keyset] }) { server in
            #expect(try await server.request("GET", Self.first + "?type=apns&add=room").status == 200)
            #expect(try await server.request("GET", "/v1/push/sub-key/demo/devices/T1?type=gcm&add=room,other").status == 200)
            let client = try await PollClient.connect(server)
            for (payload, channel) in [
                (#"{"text":"not pushed"}"#, "room"), (#"{"pn_gcm":{"n":0}}"#, "empty"),
                (#"{"pn_apns":{"aps":{"alert":"Hi"}},"pn_gcm":{"n":1}}"#, "room"),
            ] {
                let reply = try await client.post("/publish/demo/demo/0/\(channel)/0?uuid=ann", ByteBuffer(string: payload))
                #expect(reply.status == 200)
            }
            // A receiver that recovers gets it with the next attempt, under the same id.
            await eventually { !receiver.posts.isEmpty }
            receiver.set(.answer(200))
            await eventually { receiver.posts.count > 1 && server.statistics.webhookEvents == 2 }
            let post = try #require(receiver.posts.last)
            #expect(Set(receiver.posts.map { $0.body["id"]?.string }).count == 1)
            #expect(post.fields["x-lifeline-key"] == "demo" && post.fields["content-type"] == "application/json")
            #expect(post.fields["x-lifeline-signature"] == PushWebhook.signature(of: post.bytes, "demo-secret"))
            #expect(post.events.map { $0["service"]?.string } == ["apns", "fcm"])
            #expect(post.events.map { $0["devices"]?.array?.compactMap(\.string) } == [[Self.token], ["T1"]])
            #expect(post.events.map { $0["channel"]?.string } == ["room", "room"] && post.events[0]["uuid"]?.string == "ann")
            #expect(post.events[1]["payload"]?["n"]?.integer == 1)
            let metrics = try await server.request("GET", "/metrics").body
            #expect(metrics.contains(#"lifeline_webhook_events_total{service="pubnub",app="demo",receiver="0"} 2"#), "\(metrics)")
        }
        await receiver.stop()
    }

    @Test("A server that stops hands on what waits (PU-26)")
    func stopping() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        var keyset = Keyset.development
        keyset.pushWebhook = receiver.url
        try await withServer(quietApplication, { $0.keysets = [keyset] }) { server in
            #expect(try await server.request("GET", "/v1/push/sub-key/demo/devices/T1?type=fcm&add=room").status == 200)
            let client = try await PollClient.connect(server)
            for n in 0..<50 {
                _ = try await client.post("/publish/demo/demo/0/room/0", ByteBuffer(string: #"{"pn_fcm":{"n":\#(n)}}"#))
            }
        }
        #expect(receiver.posts.flatMap(\.events).compactMap { $0["payload"]?["n"]?.integer } == Array(0..<50))
        await receiver.stop()
    }
}
