import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// What other servers lack: bounded labels, and readiness that says why.
@Suite("Metrics and readiness of a server (ME-1 to ME-10)", .timeLimit(.minutes(1)))
struct MetricsTests {
    private let app = ["service": "pusher", "app": "1001"]

    private func metrics(_ server: LifelineServer) async throws -> MetricsParser {
        let answer = try await server.request("GET", "/metrics")
        #expect(answer.status == 200)
        return try MetricsParser(answer.body)
    }

    @Test("What clients and servers do is counted for their application")
    func counted() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            let bob = try await TestClient.connect(server)
            try await ann.subscribe("presence-x", user: "ann")
            try await bob.requestSubscription("presence-x", user: "ann")
            try await bob.expect(PusherEventName.subscriptionSucceeded)
            try await bob.subscribe("room")
            try server.publish(channel: "room", event: "e", data: "12345")
            try await bob.expect("e")
            try await ann.send(#"{"event":"client-e","channel":"presence-x","data":{}}"#)
            try await bob.expect("client-e")
            let found = try await metrics(server)
            #expect(found.value("lifeline_connections", app) == 2)
            #expect(found.value("lifeline_connections_accepted_total", app) == 2)
            #expect(found.value("lifeline_messages_received_total", app) == 4)
            #expect(found.value("lifeline_received_bytes_total", app) ?? 0 > 300)
            // Two greetings, three confirmations, two events.
            #expect(found.value("lifeline_messages_sent_total", app) == 7)
            #expect(found.value("lifeline_sent_bytes_total", app) ?? 0 > 300)
            #expect(found.value("lifeline_channels", app) == 2)
            #expect(found.value("lifeline_subscriptions", app) == 3)
            #expect(found.value("lifeline_presence_members", app) == 1)
            #expect(found.value("lifeline_events_published_total", app) == 1)
            #expect(found.value("lifeline_client_events_total", app) == 1)
            #expect(found.value("lifeline_fanout_seconds_count", ["service": "pusher"]) ?? 0 >= 2)
            #expect(found.value("lifeline_build_info", ["version": LifelineServer.version]) == 1)
            #expect(found.value("lifeline_ready") == 1)
            #expect(found.value("lifeline_sockets") ?? 0 >= 3)
            #expect(found.families["lifeline_event_loop_delay_seconds"]?.samples.isEmpty == false)
            #expect(server.statistics.messagesSent == 7)
            for client in [ann, bob] { await client.closeSocket() }
            try await eventually("all have left") { server.statistics.connections == 0 }
            let later = try await metrics(server)
            for name in ["connections", "channels", "subscriptions", "presence_members"] {
                #expect(later.value("lifeline_" + name, app) == 0)
            }
        }
    }

    @Test("Refusals are counted by their close code, requests by what they are for and what came of them")
    func refused() async throws {
        try await withServer { server in
            for _ in 0..<2 {
                let client = try await TestClient.open(server, path: "/app/nobody")
                _ = try await client.expectFarewell()
            }
            _ = try await server.get("/apps/1001/channels")
            _ = try await server.request("GET", "/apps/1001/channels")
            _ = try await server.post("/apps/1001/events", #"{"name":"e","data":"d","channel":"secret-channel"}"#)
            _ = try await server.request("GET", "/secret-path")
            _ = try await server.request("HEAD", "/health")
            let found = try await metrics(server)
            #expect(found.value("lifeline_connections_refused_total", ["service": "pusher", "code": "4001"]) == 2)
            #expect(found.value("lifeline_http_requests_total", ["route": "channels", "status": "2xx"]) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "channels", "status": "4xx"]) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "publish", "status": "2xx"]) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "other", "status": "4xx"]) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "health", "status": "2xx"]) == 1)
            // Nothing that a client chooses is a label.
            #expect(try await !server.request("GET", "/metrics").body.contains("secret"))
        }
    }

    @Test("Errors are counted by their code, those of client events too")
    func errors() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            for _ in 0..<2 {
                try await client.send(#"{"event":"client-e","channel":"private-x","data":{}}"#)
                #expect(try await client.expectError().code == 4301)
            }
            try await client.send(#"{"event":"nonsense"}"#)
            #expect(try await client.expectError().code == nil)
            let found = try await metrics(server)
            #expect(found.value("lifeline_errors_total", ["service": "pusher", "code": "4301"]) == 2)
            #expect(found.value("lifeline_errors_total", ["service": "pusher", "code": "none"]) == 1)
        }
    }

    @Test("Chat sessions are counted for theirs")
    func chat() async throws {
        try await withChatServer { server in
            let client = try await server.device("a")
            try await client.say("hello", to: "b", cid: "1")
            let found = try await metrics(server)
            let app = ["service": "chat", "app": "app-key"]
            #expect(found.value("lifeline_connections", app) == 1)
            #expect(found.value("lifeline_connections_accepted_total", app) == 1)
            #expect(found.value("lifeline_messages_received_total", app) ?? 0 >= 1)
            #expect(found.value("lifeline_messages_sent_total", app) ?? 0 >= 1)
            #expect(found.value("lifeline_chat_messages_total", app) == 1)
        }
    }

    @Test("PubNub's polls and messages are counted for their keyset, and only those that were acknowledged (PV-31)")
    func pubnub() async throws {
        let other = Keyset(publishKey: "p", subscribeKey: "s", secretKey: "x")
        try await withServer(quietApplication, { $0.keysets = [.development, other] }) { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            let demo = ["service": "pubnub", "app": "demo"]
            #expect(try await metrics(server).value("lifeline_held_polls", demo) == 1)
            try await writer.publish("1", to: "room")
            _ = try await reader.reply()
            // Another key, a malformed message: nobody has published anything.
            #expect(try await writer.get("/publish/wrong/demo/0/room/0/1").status == 400)
            #expect(try await writer.get("/publish/demo/demo/0/room/0/%7B").status == 400)
            #expect(try await writer.get("/publish/demo/demo/0/room/0/1?store=0&norep=true").status == 200)
            let found = try await metrics(server)
            #expect(found.value("lifeline_held_polls", demo) == 0)
            #expect(found.value("lifeline_polls_total", demo) == 2)
            #expect(found.value("lifeline_messages_polled_total", demo) == 1)
            #expect(found.value("lifeline_messages_published_total", demo) == 2)
            #expect(server.statistics.messagesPublished == 2)
            for name in ["held_polls", "polls_total", "messages_polled_total", "messages_published_total"] {
                #expect(found.value("lifeline_" + name, ["service": "pubnub", "app": "s"]) == 0)
                #expect(found.families["lifeline_" + name]?.samples.count == 3)
            }
            #expect(found.families["lifeline_connections"]?.samples.contains { $0.labels["service"] == "pubnub" } == false)
        }
    }

    @Test("An application that publishes before anybody connects is counted under its name from the beginning (ME-3)")
    func earlyPublisher() async throws {
        try await withServer { server in
            try server.publish(channel: "cache-room", event: "e", data: "1")
            try server.publish(channel: "room", event: "e", data: "2")
            let other = ["service": "pusher", "app": "other"]
            for _ in 0..<2 {
                let found = try await metrics(server)
                #expect(found.value("lifeline_events_published_total", app) == 2)
                #expect(found.value("lifeline_events_published_total", other) == 0)
                _ = try await TestClient.connect(server)
            }
        }
    }

    @Test("An application that is called as the label of the rest does not make the same sample twice")
    func calledOther() async throws {
        var application = quietApplication
        application.id = "other"
        try await withServer(application) { server in
            let client = try await TestClient.connect(server)
            try server.publish(app: "other", channel: "room", event: "e", data: "1")
            // The reader refuses samples that come twice.
            let found = try await metrics(server)
            #expect(found.value("lifeline_events_published_total", ["service": "pusher", "app": "other"]) == 1)
            #expect(found.value("lifeline_connections", ["service": "pusher", "app": "other"]) == 1)
            await client.closeSocket()
        }
    }

    // Proof of G9.
    @Test("Ready until the server is full, and again when somebody leaves; alive all the time")
    func full() async throws {
        try await withServer(quietApplication, { $0.maximumConnections = 1 }) { server in
            #expect(try await server.request("GET", "/ready") == Answer(status: 200, body: #"{"status":"ready"}"#))
            let client = try await TestClient.connect(server)
            let answer = try await server.request("GET", "/ready")
            #expect(answer == Answer(status: 503, body: #"{"status":"unavailable","reasons":["full"]}"#))
            #expect(try await server.request("HEAD", "/ready") == Answer(status: 503, body: ""))
            #expect(try await server.request("GET", "/health").status == 200)
            #expect(try await metrics(server).value("lifeline_ready") == 0)
            await client.closeSocket()
            try await eventually("the place is free") { server.statistics.connections == 0 }
            #expect(try await server.request("GET", "/ready").status == 200)
        }
    }

    @Test("Not ready while the server drains")
    func draining() async throws {
        try await withServer { server in
            server.context.admission.withLockedValue { $0.drain() }
            #expect(server.context.readiness == [.draining])
        }
    }
}
