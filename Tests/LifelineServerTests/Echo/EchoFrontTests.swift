import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

@Suite("A protocol that is added to a server without an edit elsewhere (SV-61)", .timeLimit(.minutes(1)))
struct EchoFrontTests {
    /// Runs a server with the echo beside its own services.
    private func withEcho(_ body: (LifelineServer, EchoFront) async throws -> Void) async throws {
        let made = NIOLockedValueBox<EchoFront?>(nil)
        let server = try await LifelineServer.start(
            ServerConfiguration(port: 0, drainTimeout: .milliseconds(500)),
            adding: [
                { context in
                    let echo = EchoFront(context)
                    made.withLockedValue { $0 = echo }
                    return echo
                }
            ])
        do {
            try await body(server, try #require(made.withLockedValue { $0 }))
            try await server.stop()
        } catch {
            try await server.stop()
            throw error
        }
    }

    @Test("HTTP goes back, in the front's terms, beside the other services")
    func requests() async throws {
        try await withEcho { server, echo in
            let plain = try await server.request("POST", "/echo/x", body: "hello")
            #expect(plain == Answer(status: 200, body: "hello"))
            echo.reload(prefix: "> ")
            let prefixed = try await server.request("POST", "/echo/x", body: "hello")
            #expect(prefixed.body == "> hello")
            for (method, path, body, status) in [
                ("GET", "/echo/x", "", 405), ("POST", "/echo", "more than sixteen", 413), ("GET", "/health", "", 200),
                ("GET", "/time/0", "", 200),
            ] {
                let answer = try await server.request(method, path, body: body)
                #expect(answer.status == status)
            }
        }
    }

    @Test("WebSockets go back, hear what is broadcast, and are counted with the front's own metrics")
    func connections() async throws {
        try await withEcho { server, echo in
            let client = try await TestClient.open(server, path: "/echo", fields: "Sec-WebSocket-Protocol: echo\r\n")
            #expect(await client.answer.lowercased().contains("sec-websocket-protocol: echo"))
            try await client.send(#"{"event":"one"}"#)
            try await client.expect("one")
            echo.broadcast(#"{"event":"all"}"#)
            try await client.expect("all")
            let pusher = try await TestClient.connect(server)
            let found = try await MetricsParser(server.request("GET", "/metrics").body)
            let labels = ["service": "echo", "app": "demo"]
            #expect(found.value("lifeline_echoed_total", labels) == 1)
            #expect(found.value("lifeline_connections", labels) == 1)
            #expect(found.value("lifeline_connections_accepted_total", labels) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "echo", "status": "2xx"]) == 0)
            #expect(server.statistics.connections == 2)
            await pusher.closeSocket()
        }
    }

    @Test("A stop asks the front's connections to go, and closes the front")
    func drain() async throws {
        try await withEcho { server, echo in
            let client = try await TestClient.open(server, path: "/echo")
            async let stopped: Void = server.stop()
            guard case .close(let code, _) = try await client.next() else {
                Issue.record("The connection was not asked to go.")
                return
            }
            #expect(code == 1001)
            try await client.sendClose(1001)
            try await stopped
            #expect(echo.isClosed)
        }
    }
}
