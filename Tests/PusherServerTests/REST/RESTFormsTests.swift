import LifelineServer
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Forms of requests to the HTTP API (SR-1 to SR-5)", .timeLimit(.minutes(1)))
struct RESTFormsTests {
    // Proof of H6.
    @Test("Everything may be in the query, with a list of channels in each spelling")
    func query() async throws {
        try await withServer { (server) async throws in
            let client = try await TestClient.connect(server)
            for channel in ["a", "b"] { try await client.subscribe(channel) }
            let lists: [[(name: String, value: String)]] = [
                [("channels[]", "a"), ("channels[]", "b")], [("channels[0]", "a"), ("channels[1]", "b")],
                [("Channels[]", "a"), ("channels[]", "b")],
            ]
            for list in lists {
                let target = server.signedTarget("POST", "/apps/1001/events", query: list + [("name", "e"), ("data", "{}")])
                #expect(try await server.request("POST", target) == Answer(status: 200, body: "{}"))
                for channel in ["a", "b"] { #expect(try await client.expect("e").channel == channel) }
            }
            let id = await client.socketID
            for (query, isExcluded) in [([("channels", "a")], false), ([("channel", "a"), ("socket_id", id)], true)] {
                let target = server.signedTarget(
                    "POST", "/apps/1001/events", query: query + [("name", "e"), ("data", "x"), ("info", "subscription_count")])
                #expect(try await server.request("POST", target) == Answer(status: 200, body: #"{"channels":{"a":{}}}"#))
                if !isExcluded { #expect(try await client.expect("e").data == "x") }
                try await client.expectSilence()
            }
        }
    }

    @Test("What the body does not say is taken from the query, and the body wins")
    func both() async throws {
        try await withServer(.development) { (server) async throws in
            let body = #"{"name":"e","channel":"a","data":"x","info":null}"#
            let query = [("info", "subscription_count"), ("channel", "b")]
            let target = server.signedTarget("POST", "/apps/1001/events", query: query, body: body)
            let expected = Answer(status: 200, body: #"{"channels":{"a":{"subscription_count":0}}}"#)
            #expect(try await server.request("POST", target, body: body) == expected)
            // One channel in the body is as good as a list.
            let list = server.signedTarget(
                "POST", "/apps/1001/events", query: [("info", "subscription_count"), ("channels[]", "b")], body: body)
            #expect(try await server.request("POST", list, body: body) == expected)
        }
    }

    @Test("The older way names the channel in the path; the body is the data")
    func channelInPath() async throws {
        try await withServer { (server) async throws in
            let client = try await TestClient.connect(server)
            try await client.subscribe("a@b")
            let query = [("name", "e")]
            let body = server.signedTarget("POST", "/apps/1001/channels/a@b/events", query: query, body: #"{"n":1}"#)
            #expect(try await server.request("POST", body, body: #"{"n":1}"#) == Answer(status: 200, body: "{}"))
            #expect(try await client.expect("e").data == #"{"n":1}"#)
            let plain = server.signedTarget("POST", "/apps/1001/channels/a%40b/events", query: query + [("data", "y")])
            #expect(try await server.request("POST", plain).status == 200)
            #expect(try await client.expect("e").data == "y")
            for (path, query) in [("a@b", []), ("a b", query + [("data", "y")]), ("a@b", query), ("a@b", [("data", "y")])] {
                let target = server.signedTarget("POST", "/apps/1001/channels/\(path)/events", query: query)
                let escaped = target.replacingFirst(" ", with: "%20")
                #expect(try await server.request("POST", escaped).status == 400)
            }
            try await client.expectSilence()
        }
    }

    // Proof of G8.
    @Test("info names channels in the order of the request, each once, with what each has")
    func info() async throws {
        try await withServer(.development) { (server) async throws in
            let client = try await TestClient.connect(server)
            try await client.subscribe("presence-p", user: "ann")
            try await client.skipCount { try await client.subscribe("z") }
            let body =
                #"{"name":"e","channels":["z","presence-p","a","z"],"data":"x","info":"user_count,subscription_count"}"#
            #expect(
                try await server.post("/apps/1001/events", body).body
                    == #"{"channels":{"z":{"subscription_count":1},"presence-p":{"user_count":1,"subscription_count":1},"a":{"subscription_count":0}}}"#
            )
            let batch = #"""
                {"batch":[{"name":"e","channel":"z","data":"1","info":"subscription_count"},{"name":"e","channel":"a","data":"2"},
                {"name":"e","channel":"presence-p","data":"3","info":"user_count"}]}
                """#
            #expect(
                try await server.post("/apps/1001/batch_events", batch).body
                    == #"{"batch":[{"subscription_count":1},{},{"user_count":1}]}"#)
            let cache = #"{"name":"e","channel":"cache-a","data":"x","info":"cache"}"#
            #expect(try await server.post("/apps/1001/events", cache).status == 400)
        }
    }

    @Test("An application's connections can be counted, and no other's")
    func connections() async throws {
        let other = Application(id: "3", key: "k3", secret: "s3")
        let registry = InMemoryApplicationRegistry([quietApplication, other])
        try await withServer(quietApplication, { $0.applications = registry }) { (server) async throws in
            #expect(try await server.get("/apps/1001/connections").body == #"{"connections":0}"#)
            let first = try await TestClient.connect(server)
            let second = try await TestClient.connect(server)
            #expect(try await server.get("/apps/1001/connections").body == #"{"connections":2}"#)
            let asked = server.signedTarget("GET", "/apps/3/connections", key: "k3", secret: "s3")
            #expect(try await server.request("GET", asked).body == #"{"connections":0}"#)
            await first.closeSocket()
            await second.closeSocket()
        }
    }

    @Test(
        "SockJS and the fallbacks of pusher-js are 404 with a text that says what there is (SR-68)",
        arguments: [
            ("GET", "/pusher/app/app-key/info"), ("POST", "/pusher/app/app-key/123/abcdefgh/xhr_streaming?protocol=7"),
            ("POST", "/pusher/app/app-key/123/abcdefgh/xhr"), ("POST", "/pusher/app/app-key/123/abcdefgh/xhr_send?t=1"),
        ])
    func fallbacks(method: String, target: String) async throws {
        try await withServer { (server) async throws in
            let answer = try await server.request(method, target, body: method == "POST" ? "[]" : "")
            #expect(answer.status == 404 && answer.body.contains("WebSocket to /app/KEY"))
        }
    }

    @Test("What is not there is 404, whatever the signature", arguments: ["stats", "events/x", "channel", "users", ""])
    func unknown(path: String) async throws {
        try await withServer { (server) async throws in
            let answer = try await server.get("/apps/1001/\(path)")
            #expect(answer == Answer(status: 404, body: "There is nothing at this path.\n"))
            #expect(try await server.get("/apps/7/channels").body == "There is no application with this id.\n")
        }
    }
}

extension TestClient {
    /// Does something and reads the subscription count that it brings.
    fileprivate func skipCount(_ body: () async throws -> Void) async throws {
        try await body()
        try await skip(to: "pusher_internal:subscription_count")
    }
}
