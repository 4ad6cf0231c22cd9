import AsyncHTTPClient
import LifelineServer
import NIOCore
import NIOSSL
import ServerConsole
import Testing

@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The admin port (CO-1 to CO-6)")
struct AdminPortTests {
    private static let password = "correct horse battery"

    private func admin(_ host: String = "127.0.0.1", password: String? = Self.password) throws -> AdminConfiguration {
        var admin = AdminConfiguration(host: host, port: 0)
        admin.passwords = try password.map { try ConsolePasswords(admin: $0, cost: .init(rounds: 1 << 10)) }
        return admin
    }

    /// The port of a console's address.
    private func port(_ server: LifelineServer) throws -> Int {
        let url = try #require(server.adminURL)
        return try #require(url.split(separator: ":").last.flatMap { Int($0.prefix { $0 != "/" }) })
    }

    private func answer(_ socket: RawSocket, _ request: String) async throws -> String {
        try await socket.send(request)
        return try await socket.textToEnd()
    }

    @Test("It has a listener of its own, where the public port's paths are not, and the other way round (CO-1)")
    func ownListener() async throws {
        let admin = try admin()
        try await withServer(quietApplication, { $0.admin = admin }) { server in
            let port = try port(server)
            #expect(port != server.port)
            let base = "http://127.0.0.1:\(port)"
            #expect(try await Answer.of("GET", base + "/metrics").status == 200)
            #expect(try await Answer.of("GET", base + "/health").status == 200)
            #expect(try await Answer.of("GET", base + "/console").status == 200)
            #expect(try await Answer.of("GET", base + "/apps/1001/channels").status == 404)
            #expect(try await server.request("GET", "/console").status == 404)
            #expect(try await server.request("GET", "/metrics").status == 404)
        }
    }

    @Test("Without it the public port answers as ever (CO-3)")
    func none() async throws {
        try await withServer { server in
            let figures = try await server.request("GET", "/metrics")
            #expect(server.adminURL == nil && figures.status == 200)
        }
    }

    @Test("At an address for others it is off without TLS (CO-2)")
    func unsafeAddress() async throws {
        let admin = try admin("0.0.0.0")
        let log = LogLines()
        try await withServer(
            quietApplication,
            {
                $0.admin = admin
                $0.logger = log.logger()
            }
        ) { server in
            #expect(server.adminURL == nil && log.count(of: "the admin port is off") == 1)
            let health = try await server.request("GET", "/health")
            #expect(health.status == 200)
        }
        for (host, isLoopback) in [
            ("127.0.0.1", true), ("127.8.8.8", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("::", false),
            ("10.0.0.1", false), ("localhost.example", false), ("", false),
        ] { #expect(AdminConfiguration.isLoopback(host) == isLoopback, "\(host)") }
    }

    @Test("With TLS figures ask others for the password, and cookies are for TLS only (CO-4, CO-14)")
    func overTLS() async throws {
        let certificate = try TestCertificate()
        let admin = try admin("0.0.0.0")
        try await withServer(
            quietApplication,
            {
                $0.admin = admin
                $0.tls = certificate.tls
            }
        ) { server in
            let port = try port(server)
            func ask(_ head: String, _ body: String = "") async throws -> String {
                let socket = try await RawSocket.connect(port: port, tls: certificate.trust())
                return try await answer(socket, "\(head)\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n\(body)")
            }
            #expect(try await ask("GET /metrics HTTP/1.1").hasPrefix("HTTP/1.1 401"))
            let right = "Basic OmNvcnJlY3QgaG9yc2UgYmF0dGVyeQ=="
            #expect(try await ask("GET /metrics HTTP/1.1\r\nAuthorization: \(right)").contains("lifeline_ready 1"))
            #expect(try await ask("GET /metrics HTTP/1.1\r\nAuthorization: Basic Onh4").hasPrefix("HTTP/1.1 401"))
            let body = #"{"password":"\#(Self.password)"}"#
            let told = try await ask(
                "POST /console/api/login HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)", body)
            #expect(told.hasPrefix("HTTP/1.1 200") && told.contains("set-cookie: __Host-lifeline_console="), "\(told)")
            #expect(told.contains("; Secure; HttpOnly; SameSite=Strict"))
        }
    }

    @Test("A server that stops ends whoever looks on, and its thread (CO-5)")
    func stop() async throws {
        let admin = try admin()
        var socket: RawSocket?
        try await withServer(quietApplication, { $0.admin = admin }) { server in
            let port = try port(server)
            let body = #"{"password":"\#(Self.password)"}"#
            let login = try await RawSocket.connect(port: port)
            let told = try await answer(
                login,
                "POST /console/api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let cookie = try #require(told.firstRange(of: "lifeline_console=")).lowerBound
            let value = told[cookie...].prefix { $0 != ";" }
            let watching = try await RawSocket.connect(port: port)
            try await watching.send("GET /console/api/feed HTTP/1.1\r\nHost: localhost\r\nCookie: \(value)\r\n\r\n")
            _ = try await watching.text(upTo: "retry: 3000\n\n")
            try server.publish(channel: "room", event: "greeting", data: "x")
            let shown = try await watching.text(upTo: "}]}\n\n")
            #expect(shown.contains(#""kind":"published""#) && shown.contains(#""channel":"room""#) && !shown.contains("payload"))
            socket = watching
        }
        let watching = try #require(socket)
        _ = try await watching.textToEnd()
    }
}
