import Foundation
import NIOCore
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

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

    @Test("A server that starts with its clock set back by seconds serves cursors from before")
    func restartSetBack() async throws {
        let clock = ManualClock()
        var cursor = ""
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            cursor = try await PollClient.connect(server).handshake("room")
        }
        clock.setBack(by: 2)
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            let token = try await writer.publish("1", to: "room")
            #expect(token > cursor)
            #expect(try await reader.reply().payloads == ["1"])
        }
    }

    @Test("A cursor hours ahead moves no timetoken and gets a new one at once; one 2 s ahead moves its keyset alone (HB-22)")
    func ahead() async throws {
        let clock = ManualClock()
        let other = Keyset(publishKey: "other", subscribeKey: "other", secretKey: "a-secret-of-another-keyset")
        let keysets: (inout ServerConfiguration) -> Void = {
            $0.clock = clock.clock
            $0.keysets = [.development, other]
        }
        try await withServer(quietApplication, keysets) { server in
            let client = try await PollClient.connect(server)
            let second = TimetokenClock.ticksPerSecond
            let now = clock.clock.unixTicks()
            for ahead in [99_999_999_999_999_999, now + 23 * 3600 * second, now + 4 * second] {
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(ahead)&uuid=u")
                #expect(reply.messages.isEmpty && reply.followsGap && (UInt64(reply.cursor) ?? .max) < now + second)
            }
            let first = try await client.publish("1", to: "room")
            #expect(try #require(UInt64(first)) < now + second)
            let cursor = now + 2 * second
            let reader = try await PollClient.connect(server)
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)")
            try await server.holds(1)
            let next = try await client.publish("2", to: "room")
            let token = try #require(UInt64(next))
            #expect(token == cursor + 2)
            #expect(try await reader.reply().payloads == ["2"])
            let others = try await client.get("/publish/other/other/0/room/0/1?uuid=p")
            #expect(try #require(UInt64(others.token)) < now + second)
            let time = try await client.get("/time/0")
            #expect(try #require(UInt64(time.token)) > token)
            let past = try await client.get("/v3/history/sub-key/demo/channel/room?start=\(time.token)")
            #expect(past.packed.contains(#""message":2"#))
            // Who reads on from this time gets the next message.
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(time.token)")
            try await server.holds(1)
            try await client.publish("4", to: "room")
            #expect(try await reader.reply().payloads == ["4"])
            clock.advance(by: 10)
            let last = try await client.publish("3", to: "room")
            #expect(UInt64(last) == now + 10 * second)
        }
    }

    @Test("More than a queue between two polls is told as a gap, as many as a queue are not (PV-112)")
    func overflow() async throws {
        try await withServer(quietApplication, { $0.pollQueueLength = 5 }) { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            for number in 0..<5 { try await client.publish("\(number)", to: "room") }
            let full = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(full.payloads.count == 5 && !full.followsGap)
            try await client.publish("5", to: "room")
            let late = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(late.payloads == ["1", "2", "3", "4", "5"] && late.followsGap)
            #expect(late.body.hasPrefix(#"{"t":{"t":"\#(late.cursor)","r":\#(late.region),"d":true},"m":["#))
            try await client.publish("6", to: "room")
            let next = try await client.get("/v2/subscribe/demo/room/0?tt=\(late.cursor)&uuid=u")
            #expect(next.payloads == ["6"] && !next.followsGap)
        }
    }

    @Test("A cursor from before a restart without a data directory follows a gap, which the answer of a held poll tells (PV-112)")
    func forgetfulGap() async throws {
        let clock = ManualClock()
        var cursor = ""
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            cursor = try await PollClient.connect(server).handshake("room")
        }
        clock.advance(by: 1)
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let (reader, other) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let current = try await other.handshake("room")
            try await other.send("/v2/subscribe/demo/room/0?tt=\(current)&uuid=u")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(2)
            try await PollClient.connect(server).publish("1", to: "room")
            let (late, timely) = (try await reader.reply(), try await other.reply())
            #expect(late.payloads == ["1"] && late.followsGap)
            #expect(timely.payloads == ["1"] && !timely.followsGap)
        }
    }

    @Test("After a restart with a data directory only who was away for longer than queues last is told of a gap (PV-112)")
    func durableGap() async throws {
        let clock = ManualClock()
        try await withDirectory { directory in
            var cursor = ""
            try await withServer(quietApplication, { ($0.dataDirectory, $0.clock) = (directory, clock.clock) }) { server in
                let client = try await PollClient.connect(server)
                cursor = try await client.handshake("room")
                try await client.publish("1", to: "room")
            }
            clock.advance(by: 600)
            try await withServer(quietApplication, { ($0.dataDirectory, $0.clock) = (directory, clock.clock) }) { server in
                let client = try await PollClient.connect(server)
                let timely = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(timely.payloads == ["1"] && !timely.followsGap)
            }
            clock.advance(by: 1000)
            try await withServer(quietApplication, { ($0.dataDirectory, $0.clock) = (directory, clock.clock) }) { server in
                let client = try await PollClient.connect(server)
                try await client.publish("2", to: "room")
                let late = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(late.payloads == ["2"] && late.followsGap)
            }
        }
    }

    @Test("A queue that was longer than it may be after a restart is told as a gap, to readers of a pattern too (PV-112)")
    func overflowBeforeRestart() async throws {
        try await withDirectory { directory in
            var cursor = ""
            let change: (inout ServerConfiguration) -> Void = { ($0.dataDirectory, $0.pollQueueLength) = (directory, 5) }
            try await withServer(quietApplication, change) { server in
                let client = try await PollClient.connect(server)
                cursor = try await client.get("/v2/subscribe/demo/a.b/0?tt=0").cursor
                for number in 0..<6 { try await client.publish("\(number)", to: "a.b") }
            }
            try await withServer(quietApplication, change) { server in
                let client = try await PollClient.connect(server)
                let channel = try await client.get("/v2/subscribe/demo/a.b/0?tt=\(cursor)")
                #expect(channel.payloads == ["1", "2", "3", "4", "5"] && channel.followsGap)
                let pattern = try await client.get("/v2/subscribe/demo/a.*/0?tt=\(cursor)")
                #expect(pattern.payloads.last == "5" && pattern.followsGap)
            }
        }
    }

    @Test("Who polls with a cursor older than what is kept is told of a gap (PV-112)")
    func age() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let early = try await PollClient.connect(server)
            let cursor = try await early.handshake("room")
            try await early.publish("1", to: "room")
            clock.advance(by: 1300)
            server.services.pubnub.sweep()
            // The first connection has been idle for too long.
            let client = try await PollClient.connect(server)
            try await client.publish("2", to: "room")
            let late = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(late.payloads == ["2"] && late.followsGap)
        }
    }

    @Test func `PV-181: a handshake that asks is told whether anything is missing after its position`() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let target = "/v2/subscribe/demo/room/0?tt=0&uuid=u&lifeline-after="
            let cursor = try await PollClient.connect(server).handshake("room")
            // Only presence events of the user itself come and go meanwhile.
            clock.advance(by: 1300)
            server.services.pubnub.sweep()
            var client = try await PollClient.connect(server)
            let quiet = try await client.get(target + cursor)
            #expect(quiet.body == #"{"t":{"t":"\#(quiet.cursor)","r":\#(quiet.region),"d":false},"m":[]}"#)
            try await client.publish("1", to: "room")
            let kept = try await client.get(target + cursor)
            #expect(kept.body.contains(#""d":false},"m":[]}"#))
            // Whoever does not ask, or asks about a position that the keyset has not reached, gets PubNub's answer.
            for other in ["", "0", "x", "\(try #require(UInt64(kept.cursor)) + 9_999_999)"] {
                let plain = try await client.get(target + other)
                #expect(plain.body == #"{"t":{"t":"\#(plain.cursor)","r":\#(plain.region)},"m":[]}"#, "\(other)")
            }
            clock.advance(by: 1300)
            server.services.pubnub.sweep()
            client = try await PollClient.connect(server)
            let late = try await client.get(target + cursor)
            #expect(late.followsGap && late.messages.isEmpty)
        }
    }
}
