import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Who may use the HTTP API (SV-8 to SV-10)", .timeLimit(.minutes(1)))
struct RESTAuthenticationTests {
    private let body = #"{"name":"e","channel":"a","data":"x"}"#

    @Test("Every flipped bit of the signature is refused")
    func forgery() async throws {
        try await withServer { (server) async throws in
            let target = Array(server.signedTarget("POST", "/apps/1001/events", body: body).utf8)
            for index in target.indices.suffix(64) {
                var forged = target
                forged[index] ^= 1
                let answer = try await server.request("POST", String(decoding: forged, as: UTF8.self), body: body)
                #expect(answer.status == 401)
            }
            #expect(try await server.request("POST", String(decoding: target, as: UTF8.self), body: body).status == 200)
        }
    }

    @Test("Another body, path, method or secret than the signed one is refused")
    func scope() async throws {
        try await withServer { (server) async throws in
            let target = server.signedTarget("POST", "/apps/1001/events", body: body)
            #expect(try await server.request("POST", target, body: body + " ").status == 401)
            let batch = target.replacingFirst("/events", with: "/batch_events")
            #expect(try await server.request("POST", batch, body: body).status == 401)
            let wrong = server.signedTarget("POST", "/apps/1001/events", body: body, secret: "guess")
            #expect(try await server.request("POST", wrong, body: body).status == 401)
            let key = server.signedTarget("POST", "/apps/1001/events", body: body, key: "other")
            #expect(try await server.request("POST", key, body: body).status == 401)
            #expect(try await server.request("POST", "/apps/1001/events", body: body).status == 401)
            #expect(try await server.request("GET", "/apps/1001/channels").status == 401)
        }
    }

    // Proof of X2, H6.
    @Test("The timestamp may be 600 s off, not more", arguments: [(-601, 401), (-600, 200), (600, 200), (601, 401)])
    func timestamp(offset: Int, status: Int) async throws {
        let fixed = ServerClock(monotonic: ServerClock.system.monotonic, unixSeconds: { 1_700_000_000 })
        try await withServer(quietApplication, { $0.clock = fixed }) { (server) async throws in
            let target = server.signedTarget("POST", "/apps/1001/events", body: body, timestamp: 1_700_000_000 + offset)
            #expect(try await server.request("POST", target, body: body).status == status)
        }
    }

    // Proof of H6.
    @Test("body_md5 of nothing on a GET is verified as it came")
    func bodyMD5OnGet() async throws {
        try await withServer { (server) async throws in
            let empty = [("body_md5", "d41d8cd98f00b204e9800998ecf8427e")]
            #expect(try await server.get("/apps/1001/channels", query: empty).status == 200)
            #expect(try await server.get("/apps/1001/channels", query: [("body_md5", "00")]).status == 401)
        }
    }

    @Test("A parameter that comes twice is refused even when it is signed")
    func repeated() async throws {
        try await withServer { (server) async throws in
            let twice = [("filter_by_prefix", "a"), ("filter_by_prefix", "b")]
            #expect(try await server.get("/apps/1001/channels", query: twice).status == 400)
            // Few parameters are compared with each other, many over a set.
            let others = (0..<9).map { ("other\($0)", "x") }
            #expect(try await server.get("/apps/1001/channels", query: others).status == 200)
            #expect(try await server.get("/apps/1001/channels", query: others + twice).status == 400)
            #expect(try await server.get("/apps/1001/channels", query: [("a", "1"), ("A", "2")]).status == 400)
        }
    }

    @Test("Only ASCII letters have another case in names of parameters: the Kelvin sign is no k (SR-15)")
    func kelvin() async throws {
        try await withServer { server in
            let target = server.signedTarget("GET", "/apps/1001/channels")
            let spelled = target.replacingFirst("auth_key", with: "auth_%E2%84%AAey")
            let answer = try await server.request("GET", spelled)
            #expect(answer.status == 401 && answer.body.contains("auth_key is missing"))
            #expect(try await server.request("GET", target.replacingFirst("auth_key", with: "AUTH_KEY")).status == 200)
        }
    }

    @Test("Channel names in the path may be escaped or not")
    func escapedPath() async throws {
        try await withServer { (server) async throws in
            let plain = server.signedTarget("GET", "/apps/1001/channels/a@b;c")
            #expect(try await server.request("GET", plain).status == 200)
            let escaped = plain.replacingFirst("a@b;c", with: "a%40b%3Bc")
            #expect(try await server.request("GET", escaped).status == 200)
            let signedEscaped = server.signedTarget("GET", "/apps/1001/channels/a%40b%3Bc")
            #expect(try await server.request("GET", signedEscaped).status == 200)
        }
    }

    // Proof of H6.
    @Test("Unknown and disabled applications, and another application's key")
    func applications() async throws {
        let disabled = Application(id: "2", key: "k2", secret: "s2", isEnabled: false)
        let other = Application(id: "3", key: "k3", secret: "s3")
        let registry = InMemoryApplicationRegistry([.development, disabled, other])
        try await withServer(quietApplication, { $0.applications = registry }) { (server) async throws in
            #expect(try await server.get("/apps/9/channels").status == 404)
            let second = server.signedTarget("GET", "/apps/2/channels", key: "k2", secret: "s2")
            #expect(try await server.request("GET", second).status == 403)
            let crossed = server.signedTarget("GET", "/apps/1001/channels", key: "k3", secret: "s3")
            #expect(try await server.request("GET", crossed).status == 401)
        }
    }

    // Proof of H6.
    @Test("terminate_connections works without the application in its path")
    func terminateWithoutApplication() async throws {
        try await withServer { (server) async throws in
            #expect(try await server.post("/users/ann/terminate_connections", "{}") == Answer(status: 200, body: "{}"))
            let forged = server.signedTarget("POST", "/users/ann/terminate_connections", body: "{}", secret: "guess")
            #expect(try await server.request("POST", forged, body: "{}").status == 401)
        }
    }

    @Test("Errors are plain text and repeat nothing of the request")
    func errorText() async throws {
        try await withServer { (server) async throws in
            let target = server.signedTarget("POST", "/apps/1001/events", body: "<payload>", secret: "<secret>")
            let answer = try await server.request("POST", target, body: "<payload>")
            #expect(answer.status == 401)
            #expect(!answer.body.contains("<") && !answer.body.contains("app-"))
        }
    }
}
