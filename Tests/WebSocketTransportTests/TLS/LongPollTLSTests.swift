import ConnectionEngine
import EngineRuntime
import HTTPTransport
import SocketTestSupport
import Testing
import TransportCommon

/// The long-poll transport judges certificates as WebSocket connections do. Here because the matrix is.
@Suite struct LongPollTLSTests {
    @Test func `Rules HT-4 and WT-7: polls refuse the same certificates, before anything is sent`() async throws {
        let matrix = try await CertificateMatrix.shared.value
        // The HTTP library has a lookup of its own, so names other than this machine's are left out.
        let cases = matrix.cases.filter { ["localhost", "127.0.0.1"].contains($0.host) }
        #expect(cases.count >= 20)
        for (number, example) in cases.enumerated() {
            let server = try await TestServer(tls: matrix.serverContext(example.file))
            let transport = LongPollTransport<StatusSession>(
                decoder: { StatusDecoder() },
                configuration: LongPollTransportConfiguration(trustRoots: .file(matrix.authority)))
            let outcomes = Inbox<Result<Int, ConnectionFailure>>()
            let attempt = AttemptID(UInt64(number))
            transport.open(HTTPEndpoint(host: example.host, port: server.port, usesTLS: true), attempt: attempt) { event in
                if case .received(let batch) = event { for inbound in batch { outcomes.put(inbound.result) } }
            }
            transport.send(.poll(HTTPExchange(id: 1, target: "/v2/subscribe", timeout: .seconds(20))), attempt: attempt)
            let peer = try await server.peers.next()
            if example.verdict == "ok" || example.verdict == "crl" {
                _ = try await peer.requests.next()
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                #expect(try await outcomes.next().get() == 200)
            } else {
                guard case .failure(let failure) = try await outcomes.next() else {
                    Issue.record("\(example.name), \(example.meaning): accepted")
                    continue
                }
                #expect(failure.category == .tlsUntrusted, "\(example.name), \(example.meaning): \(failure)")
                #expect(failure.tlsAlert != nil)
                #expect(try await peer.frames.next() == .end)
                #expect(peer.requests.waiting.isEmpty)
            }
        }
    }
}

private struct StatusDecoder: LongPollDecoder {
    func decode(_ head: HTTPAnswerHead, body: UnsafeRawBufferPointer, isPoll: Bool) -> Int { head.status }
}

/// The least session that asks for statuses.
private struct StatusSession: LongPollSession {
    typealias Decoder = StatusDecoder
    typealias Inbound = LongPollInbound<Int>
    typealias Outbound = LongPollOutbound
    typealias Endpoint = HTTPEndpoint

    static func endpoint(for memory: Int) -> HTTPEndpoint { HTTPEndpoint(host: "", port: 0, usesTLS: true) }
    init(memory: inout Int) {}
    mutating func opened(memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func received(_ inbound: Inbound, memory: inout Int, out: inout SessionActions<Self>) {}
    mutating func perform(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    static func performOffline(_ command: Int, id: RequestID?, memory: inout Int, out: inout SessionActions<Self>) {}
    typealias Memory = Int
    typealias Command = Int
    typealias Reply = Int
    typealias Event = Int
    typealias Job = Int
    typealias JobResult = Int
}
