import LifelineServer
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Who may connect (rules SO-10 to SO-12)", .timeLimit(.minutes(1)))
struct PusherAdmissionTests {
    private static let path = "/app/app-key?protocol=7&client=test&version=1"

    private func application(_ change: (inout Application) -> Void) -> Application {
        var application = quietApplication
        change(&application)
        return application
    }

    @Test("Pages of listed origins and programs connect, others get 4009 after the handshake")
    func origins() async throws {
        let application = application { $0.allowedOrigins = ["https://example.com", "*.example.org"] }
        try await withServer(application) { server in
            for fields in ["", "Origin: https://example.com\r\n", "Origin: http://app.example.org:8080\r\n"] {
                let client = try await TestClient.open(server, path: Self.path, fields: fields)
                try await client.expect("pusher:connection_established")
            }
            for origin in [
                "https://evil.example", "http://example.com", "null", "", "https://example.com\r\nOrigin: https://example.com",
            ] {
                let client = try await TestClient.open(server, path: Self.path, fields: "Origin: \(origin)\r\n")
                #expect(await client.answer.hasPrefix("HTTP/1.1 101 "))
                let refusal = try await client.expectError()
                #expect(refusal.code == 4009)
                #expect(refusal.message.hasPrefix("Origin not allowed"))
            }
        }
    }

    @Test("A refused page leaves the place in the quota to others")
    func refusalsAreNotCounted() async throws {
        let application = application {
            $0.allowedOrigins = ["https://example.com"]
            $0.limits.connections = 1
        }
        try await withServer(application) { server in
            let refused = try await TestClient.open(server, path: Self.path, fields: "Origin: https://evil.example\r\n")
            #expect(try await refused.expectFarewell() == 4009)
            let client = try await TestClient.open(server, path: Self.path, fields: "Origin: https://example.com\r\n")
            try await client.expect("pusher:connection_established")
        }
    }

    @Test("Without TLS an application that requires it is closed with 4000, whatever a client claims")
    func requiresTLS() async throws {
        try await withServer(application { $0.requiresTLS = true }) { server in
            for fields in ["", "X-Forwarded-Proto: https\r\n"] {
                let client = try await TestClient.open(server, path: Self.path, fields: fields)
                #expect(try await client.expectFarewell() == 4000)
            }
        }
    }

    @Test("A trusted proxy says whether the client came by TLS")
    func trustedProxy() async throws {
        try await withServer(application { $0.requiresTLS = true }, { $0.trustsProxyHeaders = true }) { server in
            let secure = try await TestClient.open(server, path: Self.path, fields: "X-Forwarded-Proto: https\r\n")
            try await secure.expect("pusher:connection_established")
            for fields in ["", "X-Forwarded-Proto: http\r\n", "X-Forwarded-Proto: https, http\r\n"] {
                let client = try await TestClient.open(server, path: Self.path, fields: fields)
                #expect(try await client.expectFarewell() == 4000)
            }
        }
    }
}
