import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Bodies of requests that nobody has signed (SV-86)", .timeLimit(.minutes(2)))
struct UnsignedBodiesTests {
    /// Of one body; 32 of them are the share of an address.
    private static let bytes = 1_048_000

    /// Begins a call of the chat API whose body does not end.
    private func begin(_ server: LifelineServer, from address: String) async throws -> PollClient {
        let client = try await PollClient.connect(server)
        var bytes = ByteBuffer(
            string:
                "POST /v4/message/delete HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(address)\r\nContent-Length: 1048576\r\n\r\n")
        bytes.writeRepeatingByte(UInt8(ascii: "x"), count: Self.bytes)
        try await client.socket.send(bytes)
        return client
    }

    private func publish(_ server: LifelineServer, _ count: Int, from address: String) async throws -> PollClient.Reply {
        let body = #"{"name":"e","channel":"room","data":"\#(String(repeating: "x", count: count))"}"#
        let target = server.signedTarget("POST", "/apps/1001/batch_events", body: body)
        return try await PollClient.connect(server).post(
            target, ByteBuffer(string: body), "X-Forwarded-For: \(address)\r\nContent-Type: application/json\r\n")
    }

    // Proof of SV-86.
    @Test("One address has an eighth of the memory for them; beyond that it gets 503, and others are served")
    func shares() async throws {
        try await withChatServer(
            .development,
            {
                $0.trustsProxyHeaders = true
                $0.requestTimeout = .seconds(60)
            }
        ) { server in
            let budget = server.services.context.smallBodies
            var clients: [PollClient] = []
            for count in 1...32 {
                clients.append(try await begin(server, from: "192.0.2.1"))
                try await eventually("\(count) bodies are there") { budget.reservedBytes == count << 20 }
            }
            // The same address gets no more, whoever signs it, and small bodies are taken.
            let more = try await publish(server, 20_000, from: "192.0.2.1")
            #expect(more.status == 503 && more.head.lowercased().contains("retry-after: 5"), "\(more)")
            #expect(try await publish(server, 5_000, from: "192.0.2.1").status == 400)
            #expect(try await publish(server, 20_000, from: "192.0.2.2").status == 400)
            #expect(try await publish(server, 20_000, from: "[2001:db8::1]:80").status == 400)
            for client in clients { await client.socket.close() }
            try await eventually("everything is given back") { budget.reservedBytes == 0 }
            #expect(try await publish(server, 20_000, from: "192.0.2.1").status == 400)
        }
    }

    @Test("A body counts until its request is answered, and no longer")
    func answered() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            for _ in 0..<3 {
                let reply = try await client.post("/apps/1001/events", ByteBuffer(repeating: UInt8(ascii: "x"), count: 200_000))
                #expect(reply.status == 401)
                #expect(server.services.context.smallBodies.reservedBytes == 0)
            }
        }
    }
}
