import ConnectionEngine
import HTTPTransport
import NIOCore
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

    /// Whoever can end a connection could otherwise shorten an answer.
    @Test(arguments: [true, false])
    func `An answer that ends with its connection is whole only if TLS has ended before`(isClean: Bool) async throws {
        let matrix = try await CertificateMatrix.shared.value
        let example = try #require(matrix.cases.first { $0.verdict == "ok" && $0.host == "localhost" })
        let server = try await TestServer(tls: matrix.serverContext(example.file))
        let caller = HTTPCaller(trustRoots: .file(matrix.authority))
        let call = HTTPCall(url: "https://localhost:\(server.port)/")
        async let outcome = result { () async throws(ConnectionFailure) in try await caller.send(call, timeout: .seconds(20)) }
        let peer = try await server.peers.next()
        _ = try await peer.requests.next()
        try await peer.channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\nto the end"))
        if isClean { peer.close() } else { peer.cut() }
        switch await outcome {
        case .success(let answer): #expect(isClean && answer.body == Array("to the end".utf8))
        case .failure(let failure): #expect(!isClean && failure.category == .networkUnavailable, "\(failure)")
        }
    }

    private func result<Value: Sendable>(
        _ body: @Sendable () async throws(ConnectionFailure) -> Value
    ) async -> Result<Value, ConnectionFailure> {
        do throws(ConnectionFailure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
