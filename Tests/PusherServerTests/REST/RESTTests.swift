import LifelineServer
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("The HTTP API (SV-8 to SV-11)", .timeLimit(.minutes(1)))
struct RESTTests {
    private let tick = #"{"name":"tick","channel":"room","data":"{\"n\":1}"}"#

    // Proof of H6.
    @Test("A signed event reaches the subscribers with its data unchanged, and the answer is {}")
    func publish() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            #expect(try await server.post("/apps/1001/events", tick) == Answer(status: 200, body: "{}"))
            #expect(try await client.expect("tick").data == #"{"n":1}"#)
        }
    }

    @Test("An event goes to each named channel once, and not to the excluded connection")
    func channelsAndExclusion() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            let excluded = try await TestClient.connect(server)
            for channel in ["a", "b"] {
                try await client.subscribe(channel)
                try await excluded.subscribe(channel)
            }
            let id = await excluded.socketID
            let body = #"{"name":"e","channels":["a","b","a"],"data":"x","socket_id":"\#(id)"}"#
            #expect(try await server.post("/apps/1001/events", body).status == 200)
            #expect(try await client.expect("e").channel == "a")
            #expect(try await client.expect("e").channel == "b")
            try await client.expectSilence()
            try await excluded.expectSilence()
        }
    }

    @Test("A batch is published in order, or not at all, and refusals have the words that libraries look for (SR-67)")
    func batch() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let good = #"{"batch":[{"name":"a","channel":"room","data":"1"},{"name":"b","channel":"room","data":"2"}]}"#
            #expect(try await server.post("/apps/1001/batch_events", good) == Answer(status: 200, body: "{}"))
            try await client.expect("a")
            try await client.expect("b")
            let half = #"{"batch":[{"name":"a","channel":"room","data":"1"},{"name":"b","channel":"r m","data":"2"}]}"#
            #expect(try await server.post("/apps/1001/batch_events", half).status == 400)
            let event = #"{"name":"a","channel":"room","data":"1"}"#
            let many = #"{"batch":[\#(Array(repeating: event, count: 11).joined(separator: ","))]}"#
            let tooMany = try await server.post("/apps/1001/batch_events", many)
            #expect(tooMany.status == 400 && tooMany.body.contains("Batch too large"))
            let long = #"{"batch":[{"name":"a","channel":"room","data":"\#(String(repeating: "x", count: 10_241))"}]}"#
            let tooLong = try await server.post("/apps/1001/batch_events", long)
            #expect(tooLong.status == 413 && tooLong.body.contains("content of this event"))
            try await client.expectSilence()
            let info = #"{"batch":[{"name":"a","channel":"presence-x","data":"1","info":"user_count"},\#(event)]}"#
            #expect(
                try await server.post("/apps/1001/batch_events", info)
                    == Answer(status: 200, body: #"{"batch":[{"user_count":0},{}]}"#))
        }
    }

    @Test(
        "Events with the names of the protocol's own are refused, alone and in a batch (SR-70)",
        arguments: ["pusher:error", "pusher:", "pusher_internal:subscription_succeeded"])
    func reservedEvents(name: String) async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let event = #"{"name":"\#(name)","channel":"room","data":"{}"}"#
            for (path, body) in [
                ("/apps/1001/events", event), ("/apps/1001/batch_events", #"{"batch":[\#(tick),\#(event)]}"#),
            ] {
                let answer = try await server.post(path, body)
                #expect(answer.status == 400 && answer.body.contains("reserved"), "\(answer)")
            }
            try await client.expectSilence()
            let like = #"{"name":"pusher-news","channel":"room","data":"{}"}"#
            #expect(try await server.post("/apps/1001/events", like).status == 200)
            try await client.expect("pusher-news")
        }
    }

    @Test("Channels, users and their counts can be asked for")
    func queries() async throws {
        try await withServer(.development) { server in
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-lobby", user: #"a"nn"#.filter { $0 != "\"" })
            let twice = try await TestClient.connect(server)
            try await twice.subscribe("presence-lobby", user: "ann")
            try await twice.subscribe("room")
            try server.publish(channel: "cache-news", event: "e", data: #"{"a":1}"#)
            #expect(try await server.get("/apps/1001/channels").body == #"{"channels":{"presence-lobby":{},"room":{}}}"#)
            let presence = [("filter_by_prefix", "presence-"), ("info", "user_count")]
            #expect(
                try await server.get("/apps/1001/channels", query: presence).body
                    == #"{"channels":{"presence-lobby":{"user_count":1}}}"#)
            #expect(try await server.get("/apps/1001/channels", query: [("info", "user_count")]).status == 400)
            #expect(
                try await server.get("/apps/1001/channels/presence-lobby", query: [("info", "user_count")]).body
                    == #"{"occupied":true,"user_count":1}"#)
            #expect(
                try await server.get("/apps/1001/channels/room", query: [("info", "subscription_count")]).body
                    == #"{"occupied":true,"subscription_count":1}"#)
            #expect(try await server.get("/apps/1001/channels/empty").body == #"{"occupied":false}"#)
            #expect(
                try await server.get("/apps/1001/channels/cache-news", query: [("info", "cache")]).body
                    .hasPrefix(#"{"occupied":false,"cache":{"data":"{\"a\":1}","ttl":1"#))
            #expect(
                try await server.get("/apps/1001/channels/cache-none", query: [("info", "cache")]).body
                    == #"{"occupied":false,"cache":null}"#)
            #expect(try await server.get("/apps/1001/channels/presence-lobby/users").body == #"{"users":[{"id":"ann"}]}"#)
            #expect(try await server.get("/apps/1001/channels/room/users").status == 400)
            for (channel, info) in [
                ("room", "user_count"), ("room", "cache"), ("room", "x"),
            ] {
                #expect(try await server.get("/apps/1001/channels/\(channel)", query: [("info", info)]).status == 400)
            }
        }
    }

    @Test("A presence channel has both counts: alone, in a list, and in the answers to publishes and batches (SR-66)")
    func bothCounts() async throws {
        try await withServer(.development) { server in
            let clients = [try await TestClient.connect(server), try await TestClient.connect(server)]
            for client in clients { try await client.subscribe("presence-lobby", user: "ann") }
            let both = #"{"user_count":1,"subscription_count":2}"#
            let info = [("info", "user_count,subscription_count")]
            let occupied = both.replacingFirst("{", with: #"{"occupied":true,"#)
            #expect(try await server.get("/apps/1001/channels/presence-lobby", query: info).body == occupied)
            let list = try await server.get("/apps/1001/channels", query: info + [("filter_by_prefix", "presence-")])
            #expect(list.body == #"{"channels":{"presence-lobby":\#(both)}}"#)
            let counted = try await server.get("/apps/1001/channels", query: [("info", "subscription_count")])
            #expect(counted.body == #"{"channels":{"presence-lobby":{"subscription_count":2}}}"#)
            let event = #"{"name":"e","channel":"presence-lobby","data":"x","info":"user_count,subscription_count"}"#
            #expect(try await server.post("/apps/1001/events", event).body == #"{"channels":{"presence-lobby":\#(both)}}"#)
            let batch = #"{"batch":[\#(event),\#(event.replacingFirst("lobby", with: "none"))]}"#
            #expect(
                try await server.post("/apps/1001/batch_events", batch).body
                    == #"{"batch":[\#(both),{"user_count":0,"subscription_count":0}]}"#)
            for client in clients { await client.closeSocket() }
        }
        // Without counts there is nothing to say of a publish, and a question is refused.
        try await withServer { server in
            let event = #"{"name":"e","channel":"presence-lobby","data":"x","info":"user_count,subscription_count"}"#
            let answer = try await server.post("/apps/1001/events", event)
            #expect(answer.body == #"{"channels":{"presence-lobby":{"user_count":0}}}"#)
            for path in ["/apps/1001/channels/presence-lobby", "/apps/1001/channels"] {
                #expect(try await server.get(path, query: [("info", "subscription_count")]).status == 400)
            }
        }
    }

    @Test(
        "Bodies that make no sense are refused",
        arguments: [
            ("", 400), ("[]", 400), ("{", 400), (#"{"name":"e","data":"x"}"#, 400), (#"{"channel":"a","data":"x"}"#, 400),
            (#"{"name":"e","channel":"a"}"#, 400), (#"{"name":"e","channel":"a","data":{"x":1}}"#, 400),
            (#"{"name":"","channel":"a","data":"x"}"#, 400), (#"{"name":"e","channels":[],"data":"x"}"#, 400),
            (#"{"name":"e","channels":"a","data":"x"}"#, 400), (#"{"name":"e","channel":"a b","data":"x"}"#, 400),
            (#"{"name":"e","channel":"a","data":"x","socket_id":"1"}"#, 400),
            (#"{"name":"e","channel":"a","data":"x","info":"y"}"#, 400),
            (#"{"name":"e","channels":["private-encrypted-a","b"],"data":"x"}"#, 400),
            (#"{"name":"\#(String(repeating: "n", count: 201))","channel":"a","data":"x"}"#, 400),
            (#"{"name":"e","channels":[\#((0...100).map { "\"c\($0)\"" }.joined(separator: ","))],"data":"x"}"#, 400),
            (#"{"name":"e","channel":"a","data":"\#(String(repeating: "x", count: 10_241))"}"#, 413),
        ])
    func badBodies(body: String, status: Int) async throws {
        try await withServer { (server) async throws in
            #expect(try await server.post("/apps/1001/events", body).status == status)
        }
    }
}
