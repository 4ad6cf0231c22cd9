import ChatProtocol
import NIOCore
import Testing
import WebSocketFraming

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// Clients that ask and never read the answers. What the server keeps for each of them has a bound.
@Suite("Chat clients that never read the answers, and pipelined requests (NV-60, NV-61, PV-2)", .timeLimit(.minutes(3)))
struct ChatUnreadAnswersTests {
    private static func small(_ configuration: inout ServerConfiguration) {
        configuration.maximumPendingBytes = 65_536
        configuration.closeTimeout = .milliseconds(200)
        configuration.chatApplications = [.development]
    }

    /// Opens a WebSocket and stops reading once the handshake is answered.
    private func open(_ server: LifelineServer, path: String, subprotocol: String? = nil) async throws -> RawSocket {
        let socket = try await RawSocket.connect(port: server.port)
        let offer = subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? ""
        try await socket.send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(offer)\r\n")
        _ = try await socket.text(upTo: "\r\n\r\n")
        try await socket.setReading(false, buffer: 16_384)
        return socket
    }

    private func frames(_ opcode: WebSocketOpcode, _ payload: String, _ count: Int) -> ByteBuffer {
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .client)
        let bytes = Array(payload.utf8)
        bytes.withUnsafeBytes { bytes in
            for _ in 0..<count { writer.writeFrame(opcode, isFinal: true, bytes, to: &buffer) }
        }
        return buffer
    }

    /// Sends until the server has ended the connection; returns how much went out.
    @discardableResult
    private func flood(_ socket: RawSocket, with bytes: ByteBuffer) async -> Int {
        var sent = 0
        while sent < 1 << 30 {
            do { try await socket.send(bytes) } catch { return sent }
            sent += bytes.readableBytes
        }
        return sent
    }

    @Test("NV-60: A chat connection that floods pings before its hello is ended after 16 of them")
    func chatBeforeHello() async throws {
        try await withServer(quietApplication, Self.small) { server in
            let socket = try await open(server, path: "/nexconn/v1", subprotocol: "nexconn.lifeline.v1")
            let sending = Task { await flood(socket, with: frames(.ping, String(repeating: "p", count: 125), 500)) }
            try await eventually("it is ended") { server.statistics.connectionsRefused == 1 }
            #expect(await sending.value < 1 << 30, "the server closes the socket")
        }
    }

    @Test("NV-60: What a chat connection sends before its hello is counted; a hello behind a few pings is welcome")
    func countedBeforeHello() async throws {
        try await withServer(quietApplication, Self.small) { server in
            let token = try await server.token("ann")
            let polite = try await ChatTestClient.open(server)
            for number in 1...16 {
                try await polite.sendFrame(.ping, "\(number)")
                #expect(try await polite.next() == .pong("\(number)"))
            }
            try await polite.hello(token: token)
            try await polite.expectWelcome()
            for payload in ["ping", "pong"] {
                let eager = try await ChatTestClient.open(server)
                for _ in 1...17 { try await eager.sendFrame(payload == "ping" ? .ping : .pong, "") }
                var seen: [ChatTestClient.Received] = []
                while seen.last?.type != "bye" { seen.append(try await eager.next()) }
                guard case .frame(let bye)? = seen.last else { return }
                #expect(bye["code"]?.integer == 31025)
                #expect(seen.count == (payload == "ping" ? 17 : 1))
            }
            let large = try await ChatTestClient.open(server)
            try await large.sendFrame(.text, isFinal: false, String(repeating: " ", count: 65_000))
            try await large.sendFrame(.continuation, isFinal: false, String(repeating: " ", count: 1_000))
            #expect(try await large.expectBye()["code"]?.integer == 31025)
        }
    }

    @Test("NV-61: A chat session that asks and reads nothing is cut as a slow reader", arguments: ["ping", "no JSON", "unknown"])
    func chatAfterHello(kind: String) async throws {
        let (opcode, payload): (WebSocketOpcode, String) =
            switch kind {
            case "ping": (.ping, String(repeating: "p", count: 125))
            case "no JSON": (.text, "{")
            default: (.text, #"{"t":"none","n":1}"#)
            }
        try await withServer(quietApplication, Self.small) { server in
            let client = try await server.device("ann")
            try await client.setReading(false, buffer: 16_384)
            let sending = Task { while !Task.isCancelled { try await client.sendFrames(opcode, payload, count: 500) } }
            try await eventually("it is cut") { server.statistics.slowSubscribersCut == 1 }
            try await eventually("the connection is gone") { server.statistics.connections == 0 }
            sending.cancel()
            _ = await sending.result
        }
    }

    @Test(
        "PV-2: Pipelined requests whose answers nobody reads stop being read",
        arguments: ["/time/0", "/v4/none"])
    func pipelined(path: String) async throws {
        try await withServer(quietApplication, Self.small) { server in
            let socket = try await RawSocket.connect(port: server.port)
            try await socket.setReading(false, buffer: 16_384)
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let bytes = ByteBuffer(string: String(repeating: request, count: 500))
            let sending = Task { await flood(socket, with: bytes) }
            // The server answers until its buffers are full, and from then on leaves the rest where it is.
            var last = -1
            var still = 0
            try await eventually("the server stops reading") {
                let requests = server.statistics.requests
                still = requests > 0 && requests == last ? still + 1 : 0
                last = requests
                return still > 250
            }
            await socket.reset()
            #expect(await sending.value < 1 << 30)
        }
    }
}
