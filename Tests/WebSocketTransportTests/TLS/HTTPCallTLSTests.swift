import ConnectionEngine
import HTTPTransport
import Testing
import TransportCommon

@testable import WebSocketTransport

/// HTTP calls judge certificates as WebSocket connections do. Here because the matrix is.
@Suite struct HTTPCallTLSTests {
    @Test func `Rules HT-4 and WT-7: calls refuse the same certificates, before anything is sent`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        let caller = HTTPCaller(trustRoots: .file(matrix.authority))
        // Calls have no lookup of their own, so names other than this machine's are left out.
        let cases = matrix.cases.filter { ["localhost", "127.0.0.1"].contains($0.host) }
        #expect(cases.count >= 20)
        for example in cases {
            let server = try await TestServer(tls: matrix.serverContext(example.file))
            let call = HTTPCall(url: "https://\(example.host):\(server.port)/")
            async let outcome = result { () async throws(ConnectionFailure) in try await caller.send(call, timeout: .seconds(20))
            }
            let peer = try await server.peers.next()
            if example.verdict == "ok" || example.verdict == "crl" {
                _ = try await peer.requests.next()
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                #expect(try await outcome.get().status == 200)
            } else {
                guard case .failure(let failure) = await outcome else {
                    Issue.record("\(example.name), \(example.meaning): accepted")
                    continue
                }
                #expect(failure.category == .tlsUntrusted, "\(example.name), \(example.meaning): \(failure)")
                #expect(try await peer.frames.next() == .end)
                #expect(peer.requests.waiting.isEmpty)
            }
        }
    }

    private func result<Value: Sendable>(
        _ body: @Sendable () async throws(ConnectionFailure) -> Value
    ) async -> Result<Value, ConnectionFailure> {
        do throws(ConnectionFailure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
