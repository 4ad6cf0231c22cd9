import PusherProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("A prefix before every path (SR-22 to SR-24)", .timeLimit(.minutes(1)))
struct PathPrefixTests {
    @Test("Slashes around a prefix do not matter, and it ends at a slash")
    func value() {
        for text in ["/a/b", "a/b", "/a/b/", "//a/b//"] { #expect(PathPrefix(text).text == "/a/b") }
        for text in ["", "/", "//"] { #expect(PathPrefix(text).text.isEmpty) }
        let prefix = PathPrefix("/a/b")
        #expect(prefix.strip("/a/b/health?x=/a/b/") == "/health?x=/a/b/")
        #expect(prefix.strip("http://host/a/b/health") == "/health")
        #expect(prefix.strip("/a/b//x") == "//x")
        for elsewhere in ["/a/b", "/a/b?x", "/a/bc/x", "/A/b/x", "/%61/b/x", "/a//b/x", "/a/b%2Fx", "/x/a/b/x", "", "a/b/x"] {
            #expect(prefix.strip(elsewhere) == nil, "\(elsewhere)")
        }
        #expect(PathPrefix("").strip("anything") == "anything")
    }

    private func withPrefix(_ body: (LifelineServer) async throws -> Void) async throws {
        try await withServer(quietApplication, { $0.pathPrefix = "/realtime" }, body)
    }

    @Test("Requests are served behind the prefix, signed with it or without it")
    func requests() async throws {
        try await withPrefix { (server) async throws in
            let with = server.signedTarget("GET", "/realtime/apps/1001/channels/a@b")
            #expect(try await server.request("GET", with).status == 200)
            let without = "/realtime" + server.signedTarget("GET", "/apps/1001/channels/a@b")
            #expect(try await server.request("GET", without).status == 200)
            let escaped = server.signedTarget("GET", "/realtime/apps/1001/channels/a%40b")
            #expect(try await server.request("GET", escaped).status == 200)
            let other = "/realtime" + server.signedTarget("GET", "/other/apps/1001/channels/a@b").dropFirst("/other".count)
            #expect(try await server.request("GET", other).status == 401)
            let body = #"{"name":"e","channel":"a","data":"x"}"#
            let post = server.signedTarget("POST", "/realtime/apps/1001/events", body: body)
            #expect(try await server.request("POST", post, body: body) == Answer(status: 200, body: "{}"))
            #expect(try await server.request("GET", "/realtime/time/0").status == 200)
            #expect(try await server.request("GET", "/realtime/v2/subscribe/demo/a/0?tt=0&uuid=u").status == 200)
            #expect(try await server.request("POST", "/realtime/v4/x", body: "{}").body.hasPrefix("{"))
        }
    }

    @Test("Without it there is nothing but health, readiness and figures")
    func outside() async throws {
        try await withPrefix { (server) async throws in
            for path in ["/health", "/ready", "/metrics"] {
                #expect(try await server.request("GET", path).status == 200)
                #expect(try await server.request("GET", "/realtime" + path).status == 200)
                #expect(try await server.request("POST", path, body: "x").status == 405)
            }
            let nothing = Answer(status: 404, body: "There is nothing at this path.\n")
            for target in [
                server.signedTarget("GET", "/apps/1001/channels"), "/time/0", "/v2/subscribe/demo/a/0?tt=0&uuid=u", "/v4/x",
                "/up",
                "/", "/realtime", "/realtimes/health", "/app/app-key",
            ] {
                #expect(try await server.request("GET", target) == nothing, "\(target)")
            }
            let body = #"{"name":"e","channel":"a","data":"x"}"#
            let post = server.signedTarget("POST", "/apps/1001/events", body: body)
            #expect(try await server.request("POST", post, body: body) == nothing)
            #expect(try await server.request("POST", "/v4/x", body: "{}") == nothing)
            #expect(try await server.request("OPTIONS", "/v4/x") == nothing)
        }
    }

    @Test("WebSockets open behind the prefix, and get 4005 without it")
    func webSockets() async throws {
        try await withPrefix { (server) async throws in
            let client = try await TestClient.open(server, path: "/realtime/app/app-key?protocol=7")
            try await client.expect(PusherEventName.connectionEstablished)
            for path in ["/app/app-key?protocol=7", "/realtime/realtime/app/app-key", "/realtime/health", "/health"] {
                let refused = try await TestClient.open(server, path: path)
                #expect(try await refused.expectFarewell() == 4005)
            }
        }
    }
}
