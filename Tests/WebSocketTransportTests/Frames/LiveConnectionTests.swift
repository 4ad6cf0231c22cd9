import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOCore
import Testing

@testable import WebSocketTransport

@Suite struct LiveConnectionTests {
    @Test func `Messages arrive in batches, one for each read`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write((0..<500).flatMap { text("m\($0)") } + frame(2, [1, 2]))
        var arrivals: [Arrival] = []
        var batches = 0
        while arrivals.count < 501 {
            arrivals += try await client.received()
            batches += 1
        }
        #expect(arrivals == (0..<500).map { .text("m\($0)") } + [.binary([1, 2])])
        #expect(batches < 50)
    }

    @Test func `Frames leave in order, whatever their kind`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        for number in 0..<100 { client.send(.text("\(number)")) }
        client.send(.binary([7]))
        client.send(.ping([8]))
        for number in 0..<100 { #expect(try await peer.frames.next() == .text("\(number)")) }
        #expect(try await peer.frames.next() == .binary([7]))
        #expect(try await peer.frames.next() == .ping([8]))
        peer.write(frame(10, [8]))
        #expect(try await client.received() == [.pong([8])])
    }

    @Test func `A ping is answered with its payload and counts as a sign of life only`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(frame(9, [1, 2, 3]))
        #expect(try await peer.frames.next() == .pong([1, 2, 3]))
        guard case .heard = try await client.events.next() else {
            Issue.record("a ping is no message")
            return
        }
    }

    @Test func `Half a frame and messages of no interest prove life`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        for bytes: [UInt8] in [[0x81], [0x00], frame(1)] {
            peer.write(bytes)
            guard case .heard = try await client.events.next() else {
                Issue.record("bytes prove life")
                return
            }
        }
    }

    @Test(
        "Rule WF-10: a violation is reported and answered with its close code",
        arguments: [
            (frame(3), 1002), (frame(9, [], final: false), 1002), (frame(0, [1]), 1002), (frame(1, [0xFF]), 1007),
            ([0x81, 0x81, 1, 2, 3, 4, 5], 1002), ([0xC1, 0], 1002), ([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0], 1009),
            (frame(8, [3]), 1002), (closeFrame(1005), 1002), (frame(8, [3, 0xE8, 0xFF]), 1007),
        ] as [([UInt8], Int)])
    func violation(bytes: [UInt8], code: Int) async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write(text("before") + bytes + text("after"))
        #expect(try await client.received() == [.text("before")])
        let failure = try await client.closed()
        #expect(failure.category == .malformedResponse && failure.closeCode == nil && failure.origin == .server)
        #expect(try await peer.frames.next() == .close(code))
        peer.close()
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `The close code reaches a server that keeps sending a message that is too big`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected()
        peer.write([0x82, 127, 0, 0, 0, 0, 2, 0, 0, 0] + [UInt8](repeating: 7, count: 32 << 20))
        #expect(try await client.closed().category == .malformedResponse)
        #expect(try await peer.frames.next() == .close(1009))
    }

    @Test func `A message that never ends is a timeout`() async throws {
        let server = try await TestServer()
        let (client, peer) = try await server.connected(WebSocketTransportConfiguration(messageTimeout: .milliseconds(50)))
        peer.write(text("whole") + [0x01, 1, 65])
        #expect(try await client.received() == [.text("whole")])
        #expect(try await client.closed().category == .timeout)
        #expect(try await peer.frames.next() == .close(1008))
    }

    @Test func `Rule WT-15: a message that drips is a timeout, whatever comes between its fragments`() async throws {
        let server = try await TestServer()
        var configuration = WebSocketTransportConfiguration(messageTimeout: .milliseconds(200))
        // The drops come as fast as the machine can: their number must not end the message before its time does.
        (configuration.limits.fragments, configuration.limits.messageBytes) = (1 << 30, 1 << 30)
        let (client, peer) = try await server.connected(configuration)
        let limit = ContinuousClock.now + .seconds(60)
        peer.write(frame(1, [65], final: false))
        var event = PeerEvent.violation
        repeat {
            peer.write(frame(0, [65], final: false) + frame(9, [1]))
            event = try await peer.frames.next()
        } while event == .pong([1]) && ContinuousClock.now < limit
        #expect(event == .close(1008))
        #expect(try await client.closed().category == .timeout)
    }

    @Test func `Rule WT-29: a message of more bytes than was chosen ends the connection, and one of as many arrives`()
        async throws
    {
        let server = try await TestServer()
        var configuration = WebSocketTransportConfiguration()
        configuration.limitMessages(to: 1_000)
        let (client, peer) = try await server.connected(configuration)
        let longest = [UInt8](repeating: 65, count: 1_000)
        peer.write(frame(2, longest) + frame(2, longest + [65]))
        #expect(try await client.received() == [.binary(longest)])
        #expect(try await client.closed().category == .malformedResponse)
        #expect(try await peer.frames.next() == .close(1009))
    }

    #if os(Linux)
        @Test func `Rule WT-28: the kernel probes the connection`() async throws {
            let server = try await TestServer()
            let (client, _) = try await server.connected()
            let limit = ContinuousClock.now + .seconds(60)
            var isProbed = false
            while !isProbed && ContinuousClock.now < limit {
                isProbed = KernelWatch.isProbing(port: server.port)
                await Task.yield()
            }
            #expect(isProbed)
            client.close(.abort)
        }
    #endif

    @Test func `Sending is safe in every state`() async throws {
        let server = try await TestServer()
        let client = TestClient()
        client.send(.text("before the dial"))
        client.close(.goodbye)
        client.close(.abort)
        client.open(server.endpoint())
        client.send(.text("while dialling"))
        let peer = try await server.peers.next()
        try await peer.accept()
        try await client.opened()
        peer.reset()
        for _ in 0..<1000 { client.send(.text("while it breaks")) }
        _ = try await client.closed()
        client.send(.text("afterwards"))
        client.close(.goodbye)
        client.close(.abort)
        #expect(client.events.waiting.isEmpty)
    }

    @Test func `Threads may send, close and open at once`() async throws {
        let server = try await TestServer()
        for _ in 0..<50 {
            let (client, peer) = try await server.connected()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        for _ in 0..<20 { client.send(.text("x")) }
                        if number == 3 { client.close(.goodbye) }
                        if number == 5 { peer.write(closeFrame(1000)) }
                        if number == 7 { client.close(.abort) }
                    }
                }
            }
            let ends = client.events.waiting.filter { if case .closed = $0 { true } else { false } }
            #expect(ends.count <= 1)
        }
    }
}
