import ConnectionEngine
import HTTPTransport
import NIOCore
import NIOPosix
import Testing
import TransportCommon

@testable import WebSocketTransport

/// Rule WT-17: pinned keys, for the three kinds of connections.
@Suite struct PinTests {
    private static let stranger = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func client(_ matrix: CertificateMatrix, _ pins: [String]) throws -> TestClient {
        let configuration = try WebSocketTransportConfiguration(trustRoots: .file(matrix.authority), pins: CertificatePins(pins))
        return TestClient(configuration) { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
    }

    /// Dials a server with this certificate: nil when it is accepted.
    private func outcome(
        _ matrix: CertificateMatrix, _ file: String, with others: [String] = [], pins: [String]
    ) async throws -> ConnectionFailure? {
        let server = try await TestServer(tls: matrix.serverContext(file, with: others))
        let client = try client(matrix, pins)
        client.open(server.endpoint(host: "localhost", tls: true))
        let peer = try await server.peers.next()
        async let accepted: Void = peer.accept()
        switch try await client.events.next() {
        case .opened:
            try await accepted
            client.close(.abort)
            return nil
        case .closed(let failure):
            #expect(peer.requests.waiting.isEmpty, "Bytes of the application reached the server.")
            // Lets the server's part end, which waits for a request.
            peer.requests.put("")
            try await accepted
            return failure
        case let other: throw TestClient.Unexpected(event: "\(other)")
        }
    }

    @Test func `With the authority's key pinned, every certificate of the matrix still gets its verdict`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        var judged = 0
        for example in matrix.cases where example.host != "-" {
            let isIPv6 = example.host.contains(":")
            let server = try await TestServer(host: isIPv6 ? "::1" : "127.0.0.1", tls: matrix.serverContext(example.file))
            let client = try client(matrix, [matrix.pin("ca.pem")])
            client.open(server.endpoint(host: example.host, tls: true))
            let peer = try await server.peers.next()
            judged += 1
            if example.verdict == "ok" || example.verdict == "crl" {
                try await peer.accept()
                try await client.opened()
                client.close(.abort)
                continue
            }
            let failure = try await client.closed()
            #expect(failure.category == .tlsUntrusted, "\(example.name), \(example.meaning): \(failure)")
            #expect(failure.tlsAlert != nil && failure.tlsAlert != "PIN_MISMATCH", "\(example.name): \(failure)")
            #expect(try await peer.frames.next() == .end)
            #expect(peer.requests.waiting.isEmpty, "\(example.name): bytes of the application reached the server")
        }
        #expect(judged >= 27)
    }

    @Test func `The key of any certificate on the way to the root may be pinned`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        for file in ["chained.pem", "inter.pem", "ca.pem"] {
            #expect(try await outcome(matrix, "chained.pem", pins: [Self.stranger, matrix.pin(file)]) == nil, "\(file)")
        }
    }

    @Test func `A valid certificate with another key is refused, and its pin is said`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let failure = try #require(try await outcome(matrix, "goodrot.pem", pins: [matrix.pin("good.pem")]))
        #expect(failure.category == .tlsUntrusted && failure.tlsAlert == "PIN_MISMATCH")
        #expect(try failure.reason.contains(matrix.pin("goodrot.pem")))
    }

    @Test func `A pinned certificate that is only shown around proves nothing`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        for shown in ["good.pem", "inter.pem", "otherca.pem"] {
            let failure = try await outcome(matrix, "goodrot.pem", with: [shown], pins: [matrix.pin(shown)])
            #expect(failure?.tlsAlert == "PIN_MISMATCH", "\(shown)")
        }
    }

    @Test func `A pinned key does not make an untrusted certificate trusted`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        for file in ["selfsigned.pem", "untrustedroot.pem", "expired.pem", "wronghost.pem"] {
            let failure = try await outcome(matrix, file, pins: [matrix.pin(file)])
            #expect(failure?.category == .tlsUntrusted && failure?.tlsAlert != "PIN_MISMATCH", "\(file)")
        }
    }

    @Test func `Requests of HTTP insist on a pinned key, before anything is sent`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        for (pin, isGood) in [("good.pem", true), ("ca.pem", true), ("goodrot.pem", false)] {
            let server = try await TestServer(tls: matrix.serverContext("good.pem"))
            let caller = try HTTPCaller(trustRoots: .file(matrix.authority), pins: CertificatePins([matrix.pin(pin)]))
            let call = HTTPCall(method: "POST", url: "https://localhost:\(server.port)/auth", body: Array("secret".utf8))
            let reply = Task { try await caller.send(call, timeout: .seconds(20)) }
            let peer = try await server.peers.next()
            if isGood {
                _ = try await peer.requests.next()
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                #expect(try await reply.value.status == 200)
                continue
            }
            let failure = await #expect(throws: ConnectionFailure.self) { try await reply.value }
            #expect(failure?.category == .tlsUntrusted && failure?.tlsAlert == "PIN_MISMATCH")
            #expect(try failure?.reason.contains(matrix.pin("good.pem")) == true)
            #expect(try await peer.frames.next() == .end)
            #expect(peer.requests.waiting.isEmpty)
        }
    }
}
