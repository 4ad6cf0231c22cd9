import Foundation
import NIOCore
import RealtimeHub
import Testing

@testable import LifelineServer

@Suite("PubNub's streams through restarts and clock changes (PV-11 to PV-13, F60, F64)", .timeLimit(.minutes(1)))
struct PubNubStreamTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    @Test("With a data directory a restart loses nothing that was acknowledged, and the stream goes on")
    func durable() async throws {
        try await withDirectory { directory in
            var cursor = ""
            var last = ""
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = try await PollClient.connect(server)
                cursor = try await client.handshake("room")
                for number in 0..<5 { last = try await client.publish("\(number)", to: "room") }
                try await server.changeGroup("g", adding: ["room"])
            }
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = try await PollClient.connect(server)
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(reply.payloads == ["0", "1", "2", "3", "4"])
                #expect(reply.region == 1)
                let group = try await client.get("/v2/subscribe/demo/,/0?tt=\(cursor)&channel-group=g")
                #expect(group.payloads == reply.payloads)
                #expect(try await client.publish("5", to: "room") > last)
                let next = try await client.get("/v2/subscribe/demo/room/0?tt=\(reply.cursor)&uuid=u")
                #expect(next.payloads == ["5"])
            }
        }
    }

    @Test("In memory a restart begins another stream, and its region says so")
    func forgetful() async throws {
        let clock = ManualClock()
        var regions: [Int] = []
        for _ in 0..<2 {
            try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
                let client = try await PollClient.connect(server)
                regions.append(try await client.get("/v2/subscribe/demo/room/0?tt=0&uuid=u").region)
            }
            clock.advance(by: 1)
        }
        #expect(regions[0] != regions[1])
        #expect(!regions.contains(1))
    }

    @Test("Messages are delivered in order although the clock is set back an hour")
    func setBack() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            var cursor = try await reader.handshake("room")
            var last = cursor
            for number in 0..<6 {
                if number == 3 { clock.setBack(by: 3600) }
                let token = try await writer.publish("\(number)", to: "room")
                #expect(token > last)
                last = token
                let reply = try await reader.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(reply.payloads == ["\(number)"])
                cursor = reply.cursor
            }
        }
    }

    @Test("A server that starts with its clock set back serves cursors from before")
    func restartSetBack() async throws {
        let clock = ManualClock()
        var cursor = ""
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            cursor = try await PollClient.connect(server).handshake("room")
        }
        clock.setBack(by: 3600)
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            let token = try await writer.publish("1", to: "room")
            #expect(token > cursor)
            #expect(try await reader.reply().payloads == ["1"])
        }
    }

    @Test("A cursor that is days ahead gets a new one at once")
    func farAhead() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let reply = try await client.get("/v2/subscribe/demo/room/0?tt=99999999999999999&uuid=u")
            #expect(reply.messages.isEmpty && reply.cursor < "99999999999999999")
        }
    }
}
