import ConnectionEngine
import EngineRuntime
import NIOCore
import SocketTestSupport
import Testing

@testable import WebSocketTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct EndingTests {
    @Test(arguments: [
        (1000, StatusCategory.unexpectedDisconnect), (1001, .serverRestart), (1012, .serverRestart), (1013, .overloaded),
        (4001, .unexpectedDisconnect), (4200, .unexpectedDisconnect),
    ])
    func `The server's close frame is echoed and reported with code and reason`(code: Int, category: StatusCategory) async throws
    {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(text("last") + closeFrame(code, "because\r\n") + text("ignored"))
        #expect(try await client.received() == [.text("last")])
        let failure = try await client.closed()
        #expect(failure.closeCode == code && failure.category == category && failure.reason == "because  ")
        #expect(failure.origin == .server)
        #expect(try await peer.frames.next() == .close(code))
        peer.close()
        #expect(try await peer.frames.next() == .end)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `A close frame without a body is reported as 1005`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(frame(8))
        #expect(try await client.closed().closeCode == 1005)
        #expect(try await peer.frames.next() == .close(nil))
    }

    @Test func `A server that does not hang up after the close frames is left`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected(WebSocketTransportConfiguration(closeTimeout: .milliseconds(50)))
        peer.write(closeFrame(4100))
        #expect(try await client.closed().closeCode == 4100)
        #expect(try await peer.frames.next() == .close(4100))
        #expect(try await peer.frames.next() == .end)
    }

    @Test func `The end of a live link without a word is reported once`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(text("last"))
        #expect(try await client.received() == [.text("last")])
        peer.close()
        let failure = try await client.closed()
        #expect(failure.category == .unexpectedDisconnect && failure.errno == nil && failure.origin == .local)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `A reset of a live link is reported with its error number`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.reset()
        let failure = try await client.closed()
        #expect(failure.category == .unexpectedDisconnect && failure.errno == ECONNRESET)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Goodbye sends 1000 behind what was queued, and ends with the answer`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        client.send(.text("queued"))
        client.close(.goodbye)
        client.send(.text("too late"))
        #expect(try await peer.frames.next() == .text("queued"))
        #expect(try await peer.frames.next() == .close(1000))
        peer.write(text("crossing") + closeFrame(1000))
        #expect(try await client.received() == [.text("crossing")])
        let failure = try await client.closed()
        #expect(failure.category == .disconnected && failure.closeCode == 1000)
        peer.close()
        #expect(try await peer.frames.next() == .end)
    }

    @Test func `Goodbye to a mute server ends in bounded time`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected(WebSocketTransportConfiguration(closeTimeout: .milliseconds(50)))
        client.close(.goodbye)
        #expect(try await client.closed().category == .disconnected)
        #expect(try await peer.frames.next() == .close(1000))
        #expect(try await peer.frames.next() == .end)
    }

    @Test func `Goodbye to a server that hangs up instead is still a goodbye`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        client.close(.goodbye)
        #expect(try await peer.frames.next() == .close(1000))
        peer.close()
        #expect(try await client.closed().category == .disconnected)
    }

    @Test func `An abort closes at once and reports nothing more`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        client.close(.abort)
        peer.write(text("late"))
        #expect(try await peer.frames.next() == .end)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `An abort after the end leaves the close frame its way to the server`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(frame(3))
        _ = try await client.closed()
        client.close(.abort)
        client.close(.goodbye)
        peer.write([UInt8](repeating: 0, count: 1 << 20))
        #expect(try await peer.frames.next() == .close(1002))
        peer.close()
        #expect(try await peer.frames.next() == .end)
    }

    @Test func `Dropping the transport closes everything and lets go of the callbacks`() async throws {
        final class Witness: Sendable {}
        let server = try await TestServer()
        let events = Inbox<Bool>()
        var transport: WebSocketTransport<ArrivalSession>? = WebSocketTransport(decoder: { ArrivalDecoder() })
        var witness: Witness? = Witness()
        weak let watched = witness
        transport?.open(server.endpoint(), attempt: AttemptID(1)) { [witness] event in
            _ = witness
            if case .opened = event { events.put(true) }
        }
        witness = nil
        let peer = try await server.peers.next()
        try await peer.accept()
        _ = try await events.next()
        #expect(watched != nil)
        transport = nil
        #expect(try await peer.frames.next() == .end)
        #expect(watched == nil)
    }
}
