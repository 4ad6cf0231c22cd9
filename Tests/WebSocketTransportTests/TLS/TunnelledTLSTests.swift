import ConnectionEngine
import HTTPTransport
import Testing
import TransportCommon

@testable import WebSocketTransport

/// Rule WT-16: behind a proxy the certificate has to be that of the server, whatever the address of the proxy. The proxy is at
/// 127.0.0.1, for which the matrix has certificates.
@Suite struct TunnelledTLSTests {
    private func configuration(
        _ matrix: CertificateMatrix, _ relay: Relay, pins: CertificatePins? = nil
    ) -> WebSocketTransportConfiguration {
        WebSocketTransportConfiguration(
            trustRoots: .file(matrix.authority), pins: pins, proxy: HTTPProxy(host: "127.0.0.1", port: relay.port))
    }

    @Test(arguments: [false, true])
    func `Names and addresses of the server are accepted`(isPinned: Bool) async throws {
        let matrix = try await CertificateMatrix.shared.value
        for host in ["localhost", "127.0.0.1", "::1", "198.18.0.1"] {
            let server = try await TestServer(tls: matrix.serverContext("good.pem"))
            let relay = try await Relay(to: server.port)
            let pins = isPinned ? try CertificatePins([matrix.pin("ca.pem")]) : nil
            let client = TestClient(configuration(matrix, relay, pins: pins))
            client.open(server.endpoint(host: host, tls: true))
            try await server.peers.next().accept()
            try await client.opened()
            client.close(.abort)
        }
    }

    @Test(
        arguments: [false, true],
        ["other.test", "192.0.2.7", "2001:db8::7"])
    func `A certificate for the proxy's address is none for the server's`(isPinned: Bool, host: String) async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let relay = try await Relay(to: server.port)
        let pins = isPinned ? try CertificatePins([matrix.pin("good.pem")]) : nil
        let client = TestClient(configuration(matrix, relay, pins: pins))
        client.open(server.endpoint(host: host, tls: true))
        let peer = try await server.peers.next()
        let failure = try await client.closed()
        #expect(failure.category == .tlsUntrusted && failure.tlsAlert != "PIN_MISMATCH", "\(failure)")
        #expect(try await peer.frames.next() == .end)
        #expect(peer.requests.waiting.isEmpty)
    }

    @Test func `Calls take no certificate for the proxy's address either`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let relay = try await Relay(to: server.port)
        let caller = HTTPCaller(
            trustRoots: .file(matrix.authority), proxy: HTTPProxy(host: "127.0.0.1", port: relay.port))
        for host in ["other.test", "OTHER.test."] {
            let failure = await #expect(throws: ConnectionFailure.self) {
                try await caller.send(
                    HTTPCall(method: "POST", url: "https://\(host):\(server.port)/auth", body: Array("secret".utf8)),
                    timeout: .seconds(20))
            }
            #expect(failure?.tlsAlert == "HOSTNAME_MISMATCH")
            #expect(failure?.category == .tlsUntrusted, "\(host): \(failure as Any)")
            #expect(try await server.peers.next().requests.waiting.isEmpty)
        }
        async let reply = caller.send(HTTPCall(url: "https://localhost:\(server.port)/auth"), timeout: .seconds(20))
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(try await reply.status == 200)
    }

    @Test
    func `Rule HT-15: calls to an address behind a proxy compare the certificate with that address`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let server = try await TestServer(tls: matrix.serverContext("good.pem"))
        let relay = try await Relay(to: server.port)
        let caller = HTTPCaller(trustRoots: .file(matrix.authority), proxy: HTTPProxy(host: "127.0.0.1", port: relay.port))
        for host in ["192.0.2.7", "[2001:db8::7]"] {
            let failure = await #expect(throws: ConnectionFailure.self) {
                try await caller.send(HTTPCall(url: "https://\(host):\(server.port)/auth"), timeout: .seconds(20))
            }
            #expect(failure?.category == .tlsUntrusted && failure?.tlsAlert == "HOSTNAME_MISMATCH")
            #expect(try await server.peers.next().requests.waiting.isEmpty)
        }
        for host in ["198.18.0.1", "[fd00:18::1]"] {
            async let reply = caller.send(HTTPCall(url: "https://\(host):\(server.port)/auth"), timeout: .seconds(20))
            let peer = try await server.peers.next()
            #expect(try await peer.requests.next().contains("Host: \(host):\(server.port)\r\n"))
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            #expect(try await reply.status == 200)
        }
    }
}
