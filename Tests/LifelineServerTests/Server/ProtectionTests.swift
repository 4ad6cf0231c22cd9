import LifelineServer
import NIOCore
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("Protection against slow, silent and broken peers (SV-3 to SV-6, SP-5, SP-12)", .timeLimit(.minutes(1)))
struct ProtectionTests {
    @Test("A subscriber that does not read is cut off, and the others get everything")
    func slowSubscriber() async throws {
        let limit: (inout ServerConfiguration) -> Void = {
            $0.maximumPendingBytes = 65_536
            // Longer than this test: the farewell waits until the slow one reads.
            $0.closeTimeout = .seconds(1_000)
        }
        try await withServer(quietApplication, limit) { server in
            let slow = try await TestClient.connect(server)
            let good = try await TestClient.connect(server)
            for client in [slow, good] { try await client.subscribe("room") }
            try await slow.setReading(false)
            let data = String(repeating: "x", count: 10_000)
            var sent = 0
            while server.statistics.slowSubscribersCut == 0, sent < 5_000 {
                try server.publish(channel: "room", event: "tick", data: data)
                sent += 1
                try await good.expect("tick")
            }
            await eventually { server.statistics.slowSubscribersCut == 1 }
            #expect(server.statistics.slowSubscribersCut == 1)
            try await good.expectSilence()
            try await slow.setReading(true)
            // What the slow one still gets ends with the farewell.
            var code: UInt16?
            while code == nil {
                let next = try await slow.next()
                try #require(next != .end)
                if case .close(let given, _) = next { code = given }
            }
            #expect(code == 4100)
            await slow.closeSocket()
            // The end is visible here before it has been counted there.
            await eventually { server.statistics.connections == 1 }
            #expect(server.statistics.connections == 1)
        }
    }

    @Test("A burst that is larger than what may wait makes nobody slow who reads")
    func burst() async throws {
        try await withServer(quietApplication, { $0.maximumPendingBytes = 65_536 }) { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let data = String(repeating: "x", count: 10_000)
            let event = #"{"name":"tick","channel":"room","data":"\#(data)"}"#
            let batch = #"{"batch":[\#(Array(repeating: event, count: 10).joined(separator: ","))]}"#
            for _ in 0..<5 {
                #expect(try await server.post("/apps/1001/batch_events", batch).status == 200)
                for _ in 0..<10 { try await client.expect("tick") }
            }
            try await client.expectSilence()
            #expect(server.statistics.slowSubscribersCut == 0)
        }
    }

    // Proof of SP-12.
    @Test("A silent connection is asked twice over and then closed with 4201")
    func deadConnection() async throws {
        let fast: (inout ServerConfiguration) -> Void = {
            $0.activityTimeout = .milliseconds(150)
            $0.pongTimeout = .milliseconds(150)
        }
        try await withServer(quietApplication, fast) { server in
            let client = try await TestClient.connect(server)
            try await client.expect(PusherEventName.ping)
            #expect(try await client.next() == .ping)
            #expect(try await client.expectFarewell() == 4201)
            await eventually { server.statistics.deadConnectionsCut == 1 }
            #expect(server.statistics.deadConnectionsCut == 1)
        }
    }

    // Proof of H3.
    @Test("A WebSocket pong alone keeps a connection alive (hazard 3)")
    func controlFramesCount() async throws {
        let fast: (inout ServerConfiguration) -> Void = {
            $0.activityTimeout = .milliseconds(50)
            $0.pongTimeout = .seconds(3)
        }
        try await withServer(quietApplication, fast) { server in
            let client = try await TestClient.connect(server)
            // Who was not heard is not asked again, but closed.
            for _ in 0..<2 {
                try await client.expect(PusherEventName.ping)
                #expect(try await client.next() == .ping)
                try await client.sendFrame(.pong, "")
            }
            try await client.sendFrame(.ping, "end")
            // The server may ask again meanwhile.
            while try await client.next() != .pong("end") {}
            #expect(server.statistics.deadConnectionsCut == 0)
        }
    }

    @Test("A WebSocket ping is answered with its payload, and pusher:ping with pusher:pong")
    func pings() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.sendFrame(.ping, "abc")
            #expect(try await client.next() == .pong("abc"))
            try await client.expectSilence()
        }
    }

    @Test(
        "Messages that make no sense get an error, and the connection goes on",
        arguments: [
            "nonsense", "{}", "[]", #"{"event":5}"#, #"{"event":"pusher:subscribe"}"#, #"{"event":"pusher:subscribe","data":{}}"#,
            #"{"event":"pusher:subscribe","data":{"channel":"with space"}}"#,
            #"{"event":"pusher:subscribe","data":{"channel":""}}"#,
            #"{"event":"pusher:subscribe","data":{"channel":"private-x"}}"#, #"{"event":"pusher:unheard-of","data":{}}"#,
            #"{"event":"ordinary","channel":"room","data":{}}"#, #"{"event":"pusher:signin","data":{}}"#,
            #"{"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}"}"#,
        ])
    func badMessages(text: String) async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.send(text)
            _ = try await client.expectError()
            try await client.expectSilence()
        }
    }

    @Test(
        "Frames that break the rules end the connection with the code of RFC 6455",
        arguments: [
            ([0x81, 0x01, 0x41], 1002), ([0xC1, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x82, 0x81, 0, 0, 0, 0, 0x00], 1003),
            ([0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func badFrames(bytes: [UInt8], code: UInt16) async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.sendBytes(bytes)
            guard case .close(let received, _) = try await client.next() else {
                Issue.record("no close frame")
                return
            }
            #expect(received == code)
        }
    }

    // Proof of SV-6.
    @Test("A message that never ends is cut off")
    func slowMessage() async throws {
        try await withServer(quietApplication, { $0.messageTimeout = .milliseconds(100) }) { server in
            let client = try await TestClient.connect(server)
            try await client.sendFrame(.text, isFinal: false, "{")
            guard case .close(let code, _) = try await client.next() else {
                Issue.record("no close frame")
                return
            }
            #expect(code == 1008)
        }
    }

    // Proof of SV-5.
    @Test("A connection without a byte, and one with half a request, are freed")
    func slowHandshake() async throws {
        try await withServer(quietApplication, { $0.requestTimeout = .milliseconds(1500) }) { server in
            let silent = try await RawSocket.connect(port: server.port)
            let slow = try await RawSocket.connect(port: server.port)
            try await slow.send("GET /app/app-key HTTP/1.1\r\nHost: a\r\n")
            #expect(try await silent.next() == nil)
            #expect(try await slow.textToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    // Proof of SV-6.
    @Test("A peer that does not answer the close frame is cut after a while")
    func closeTimeout() async throws {
        try await withServer(quietApplication, { $0.closeTimeout = .milliseconds(100) }) { server in
            let client = try await TestClient.connect(server)
            server.disconnectAll()
            _ = try await client.expectError()
            guard case .close(4200?, _) = try await client.next() else {
                Issue.record("no close frame")
                return
            }
            #expect(try await client.next() == .end)
        }
    }
}
