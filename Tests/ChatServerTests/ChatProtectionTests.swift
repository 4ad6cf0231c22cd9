import ChatProtocol
import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Chat sessions against slow, silent and broken peers (NV-9 to NV-12, NV-32)", .timeLimit(.minutes(4)))
struct ChatProtectionTests {
    // Proof of NV-9.
    @Test("Binary, oversized and malformed frames end the connection with the framing's own codes")
    func framing() async throws {
        try await withChatServer { server in
            let binary = try await server.device("a")
            try await binary.sendFrame(.binary, "{}")
            guard case .close(1003, _) = try await binary.next() else { return #expect(Bool(false), "no 1003") }
            let large = try await server.device("a")
            try await large.sendFrame(.text, String(repeating: " ", count: 196_609))
            guard case .close(1009, _) = try await large.next() else { return #expect(Bool(false), "no 1009") }
            let torn = try await server.device("a")
            try await torn.sendFrame(.continuation, "x")
            guard case .close(1002, _) = try await torn.next() else { return #expect(Bool(false), "no 1002") }
        }
    }

    @Test("A frame of the largest size, and one in many fragments, are read")
    func fragments() async throws {
        try await withChatServer { server in
            let a = try await server.device("a")
            let frame = #"{"t":"settings","n":1}"#
            try await a.sendFrame(.text, frame + String(repeating: " ", count: 196_608 - frame.utf8.count))
            #expect(try await a.expect("ok")["n"]?.integer == 1)
            let pieces = Array(#"{"t":"settings","n":2}"#)
            for (index, piece) in pieces.enumerated() {
                try await a.sendFrame(
                    index == 0 ? .text : .continuation, isFinal: index == pieces.count - 1, String(piece))
            }
            #expect(try await a.expect("ok")["n"]?.integer == 2)
        }
    }

    // Proof of NV-12, NV-60, NV-61.
    @Test("A device that does not read is cut off with 30015, and the others get everything")
    func slow() async throws {
        let limits: (inout ServerConfiguration) -> Void = {
            $0.maximumPendingBytes = 65_536
            $0.closeTimeout = .milliseconds(200)
            // Who only listens is asked for a sign of life after a while, which is not what is looked at here.
            $0.chatHeartbeat = .seconds(600)
        }
        try await withChatServer(.development, limits) { server in
            let slow = try await server.device("a", "slow")
            let good = try await server.device("a", "good", class: "web")
            let sender = try await server.device("b")
            try await slow.setReading(false)
            let filler = String(repeating: "x", count: 10_000)
            var sent = 0
            while server.statistics.slowSubscribersCut == 0, sent < 5_000 {
                sent += 1
                try await sender.say(filler, to: "a", cid: "\(sent)")
                try await good.expectEvent("msg")
            }
            await eventually { server.statistics.slowSubscribersCut == 1 }
            #expect(server.statistics.slowSubscribersCut == 1)
            try await good.expectSilence()
            try await slow.setReading(true)
            var seen: [ChatTestClient.Received] = []
            while seen.last != .end { seen.append(try await slow.next()) }
            // What it still got ends with the bye, unless the socket was closed before that could be sent.
            if case .close(let code, _) = seen.dropLast().last {
                #expect(code == 4001)
                let byes = seen.compactMap { received -> JSONValue? in
                    guard case .frame(let frame) = received, frame["t"]?.string == "bye" else { return nil }
                    return frame
                }
                #expect(byes.first?["code"]?.integer == 30015)
                #expect(byes.first?["retry"]?.bool == true)
            }
            try await eventually("the slow one is gone") { server.statistics.connections == 2 }
        }
    }

    @Test("A silent client is asked, and cut when it does not answer; any byte keeps it")
    func silent() async throws {
        let time = ManualClock()
        try await withChatServer(.development, { $0.clock = time.clock }) { server in
            let silent = try await server.device("a")
            let lively = try await server.device("b")
            time.advance(by: 29)
            try await lively.sendFrame(.ping, "alive")
            #expect(try await lively.next() == .pong("alive"))
            try await silent.sendFrame(.pong, "")
            try await silent.expectSilence()
            time.advance(by: 30)
            #expect(try await silent.next() == .ping)
            #expect(try await lively.next() == .ping)
            try await lively.sendFrame(.pong, "")
            try await lively.expectSilence()
            time.advance(by: 10)
            #expect(try await silent.next() == .end)
            await eventually { server.statistics.deadConnectionsCut == 1 }
            #expect(server.statistics.deadConnectionsCut == 1)
            try await lively.expectSilence()
        }
    }

    @Test("A server that stops asks every client to come back, each at another time")
    func draining() async throws {
        let patient: (inout ServerConfiguration) -> Void = {
            $0.drainTimeout = .seconds(60)
            $0.closeTimeout = .seconds(60)
        }
        try await withChatServer(.development, patient) { server in
            var clients: [ChatTestClient] = []
            for number in 1...8 { clients.append(try await server.device("u\(number)")) }
            let connected = clients
            async let stopped: Void = server.stop()
            var pauses: Set<Int> = []
            for client in connected {
                let bye = try await client.expectBye()
                #expect(bye["code"]?.integer == 32061)
                #expect(bye["retry"]?.bool == true)
                pauses.insert(bye["after"]?.integer ?? -1)
            }
            #expect(pauses.count > 1)
            #expect(pauses.allSatisfy { (100...5_000).contains($0) })
            try await stopped
        }
    }

    // Proof of NV-34.
    @Test("A client that asks for very much at once is answered all of it")
    func flood() async throws {
        try await withChatServer(.with { $0.limits.queriesPerSecond = 1_000_000 }) { server in
            let a = try await server.device("a")
            let count = 3_000
            let frames = (1...count).map { #"{"t":"history","n":\#($0),"conv":"direct","ch":"b"}"# }
            try await a.sendTexts(frames.map { Array($0.utf8) })
            var answered: Set<Int> = []
            for _ in 1...count { answered.insert(try await a.expect("ok")["n"]?.integer ?? 0) }
            #expect(answered.count == count)
            try await a.expectSilence()
        }
    }

    /// Row B7 of the reliability plan.
    @Test("20,000 mutated frames: each session goes on or ends cleanly, and the server goes on serving")
    func mutated() async throws {
        let seeds = [
            #"{"t":"send","n":1,"cid":"c","conv":"direct","to":"b","type":"RC:TxtMsg","content":{"content":"x"},"meta":{"k":"v"}}"#,
            #"{"t":"recall","n":2,"conv":"group","to":"g","id":"17637100000000123"}"#,
            #"{"t":"edit","n":3,"conv":"direct","to":"b","id":"1","content":{"a":[1,2,{"b":null}]}}"#,
            #"{"t":"history","n":4,"conv":"direct","ch":"b","beforeTime":1763710000000,"limit":20}"#,
            #"{"t":"receipt","n":5,"conv":"direct","to":"b","ids":["1","2"]}"#,
            #"{"t":"set","n":6,"conv":"direct","ch":"u2","pinned":true,"level":5}"#,
            #"{"t":"group.create","n":7,"group":{"id":"g","name":"n"},"users":["a","b"]}"#,
            #"{"t":"open.enter","n":8,"ch":"o","count":20,"after":"5","extra":"x"}"#,
            #"{"t":"user.subscribe","n":9,"users":["a"],"expiry":60}"#,
            #"{"t":"delete","n":10,"conv":"direct","ch":"b","ids":["9"],"before":9223372036854775807}"#,
            #"{"t":"ack","q":3}"#, #"{"t":"typing","to":"b","type":"t"}"#, #"{"t":"leave"}"#,
            #"{"t":"hello","v":1,"appKey":"app-key","token":"t","device":{"id":"d"}}"#,
        ]
        var random = FuzzRandom(seed: 11)
        let settings = ChatApplication.with {
            $0.limits.sendsPerSecond = 1_000_000
            $0.limits.changesPerSecond = 1_000_000
            $0.limits.queriesPerSecond = 1_000_000
        }
        try await withChatServer(settings) { server in
            try await server.token("a")
            var client = try await server.device("a")
            var reopened = 0
            var batch: [[UInt8]] = []
            for round in 1...20_000 {
                batch.append(mutate(seeds[round % seeds.count], &random))
                guard round % 100 == 0 else { continue }
                try await client.sendTexts(batch)
                batch = []
                // The answer to a ping comes behind everything before it, or the session has ended.
                try await client.sendFrame(.ping, "\(round)")
                var isOpen = true
                reading: while true {
                    switch try await client.next() {
                    case .pong("\(round)"): break reading
                    case .close, .end:
                        isOpen = false
                        break reading
                    default: continue
                    }
                }
                guard !isOpen else { continue }
                reopened += 1
                await client.closeSocket()
                client = try await server.device("a")
            }
            let other = try await server.device("other")
            try await other.say("still here", to: "third", cid: "1")
            #expect(reopened < 200)
            #expect(server.statistics.chatRefusals > 0)
        }
    }

    private func mutate(_ seed: String, _ random: inout FuzzRandom) -> [UInt8] {
        let inserts = [
            "\"", "{", "}", "[", "]", ",", ":", "\\", "\\u0000", "null", "1e999", "-1", "18446744073709551616", "é", "\u{1F}",
        ]
        var bytes = Array(seed.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...0x7F, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            case 3: bytes.insert(contentsOf: (inserts.randomElement(using: &random) ?? "").utf8, at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &random)))
            }
        }
        return bytes
    }
}
