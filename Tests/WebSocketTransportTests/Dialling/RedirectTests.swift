import ConnectionEngine
import HTTPTransport
import Testing
import TransportCommon

@testable import WebSocketTransport

/// X12: a redirect leads nowhere, and TLS is never dropped.
@Suite struct RedirectTests {
    private static let statuses = [
        "301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect",
    ]

    /// A server that redirects to `target`, which holds the other server's port in place of `PORT`.
    private func redirect(_ status: String, _ target: String, _ elsewhere: TestServer) -> String {
        let location = target.replacing("PORT", with: "\(elsewhere.port)")
        return "HTTP/1.1 \(status)\r\nLocation: \(location)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    }

    // Proof of X12.
    @Test(
        arguments: statuses, ["http://localhost:PORT/x", "ws://localhost:PORT/app/key", "https://localhost:PORT/", "/elsewhere"])
    func `A redirected upgrade goes nowhere else`(status: String, target: String) async throws {
        let (server, elsewhere) = (try await TestServer(), try await TestServer())
        let client = TestClient()
        var endpoint = server.endpoint()
        endpoint.headers = [.init("Authorization", "Bearer secret")]
        client.open(endpoint)
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write(redirect(status, target, elsewhere))
        let failure = try await client.closed()
        #expect(failure.category == .malformedResponse && failure.httpStatus == Int(status.prefix(3)))
        #expect(await client.holdsNothing())
        #expect(elsewhere.peers.waiting.isEmpty && server.peers.waiting.isEmpty)
    }

    // Proof of X12.
    @Test(arguments: statuses, ["http://localhost:PORT/x", "https://localhost:PORT/x", "//localhost:PORT/x", "/elsewhere"])
    func `A redirected authorisation request goes nowhere else`(status: String, target: String) async throws {
        let (server, elsewhere) = (try await TestServer(), try await TestServer())
        let call = HTTPCall(
            method: "POST", url: "http://127.0.0.1:\(server.port)/auth", headers: [HTTPField("Authorization", "Bearer secret")],
            body: Array("socket_id=1.1".utf8))
        async let reply = HTTPCaller().send(call, timeout: .seconds(20))
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write(redirect(status, target, elsewhere))
        #expect(try await reply.status == Int(status.prefix(3)))
        #expect(elsewhere.peers.waiting.isEmpty && server.peers.waiting.isEmpty)
    }

    // Proof of X12.
    @Test func `Neither a connection nor a request leaves TLS for plain text`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let elsewhere = try await TestServer()
        for status in Self.statuses {
            let server = try await TestServer(tls: matrix.serverContext("good.pem"))
            let client = TestClient(WebSocketTransportConfiguration(trustRoots: .file(matrix.authority)))
            client.open(server.endpoint(host: "localhost", tls: true))
            var peer = try await server.peers.next()
            _ = try await peer.requests.next()
            peer.write(redirect(status, "ws://127.0.0.1:PORT/app/key", elsewhere))
            #expect(try await client.closed().category == .malformedResponse)
            let call = HTTPCall(method: "POST", url: "https://localhost:\(server.port)/auth", body: Array("secret".utf8))
            let caller = HTTPCaller(trustRoots: .file(matrix.authority))
            async let reply = caller.send(call, timeout: .seconds(20))
            peer = try await server.peers.next()
            _ = try await peer.requests.next()
            peer.write(redirect(status, "http://127.0.0.1:PORT/auth", elsewhere))
            #expect(try await reply.status == Int(status.prefix(3)))
        }
        #expect(elsewhere.peers.waiting.isEmpty)
    }

    // Proof of X12.
    @Test func `A server without TLS gets no request in plain text`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.open(server.endpoint(host: "localhost", tls: true, target: "/app/secret-key"))
        let peer = try await server.peers.next()
        peer.write("HTTP/1.1 426 Upgrade Required\r\nUpgrade: TLS/1.2\r\nConnection: close\r\n\r\n")
        #expect(try await client.closed().category == .tlsFailed)
        #expect(await client.holdsNothing())
        #expect(peer.requests.waiting.isEmpty && server.peers.waiting.isEmpty)
    }
}
