import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("One order for all pollers (PV-14, PV-17, F61)", .timeLimit(.minutes(1)))
struct PubNubOrderTests {
    @Test("Readers of several publishers all get everything once, in the same order, whatever their lists")
    func order() async throws {
        try await withServer(quietApplication, { $0.pollQueueLength = 1000 }) { server in
            let (writers, each, readers) = (3, 40, 6)
            let sequences = try await withThrowingTaskGroup(of: [String].self) { group in
                for reader in 0..<readers {
                    let client = try await PollClient.connect(server)
                    let list = ["room", "room,other", "room,a.*"][reader % 3]
                    var cursor = try await client.get("/v2/subscribe/demo/\(list)/0?tt=0").cursor
                    group.addTask {
                        var tokens: [String] = []
                        while tokens.count < writers * each {
                            let reply = try await client.get("/v2/subscribe/demo/\(list)/0?tt=\(cursor)")
                            tokens += reply.messages.compactMap { $0["p"]?["t"]?.string }
                            cursor = reply.cursor
                        }
                        return tokens
                    }
                }
                for _ in 0..<writers {
                    let client = try await PollClient.connect(server)
                    group.addTask {
                        for number in 0..<each { try await client.publish("\(number)", to: "room") }
                        return []
                    }
                }
                return try await group.reduce(into: [[String]]()) { if !$1.isEmpty { $0.append($1) } }
            }
            #expect(sequences.count == readers)
            for sequence in sequences {
                #expect(sequence == sequences[0] && sequence.count == writers * each)
                #expect(zip(sequence, sequence.dropFirst()).allSatisfy { $0 < $1 })
            }
        }
    }

    @Test("Clients that give up their polls again and again leave nothing behind")
    func aborts() async throws {
        try await withServer { server in
            for round in 0..<60 {
                let client = try await PollClient.connect(server)
                try await client.send("/v2/subscribe/demo/room-\(round % 7),a.*/0?tt=1&channel-group=g")
                if round % 2 == 0 { try await server.holds(1) }
                await client.socket.close()
                if round % 2 == 0 { try await server.holds(0) }
            }
            try await server.holds(0)
            #expect(try await PollClient.connect(server).publish("1", to: "room-1").count == 17)
        }
    }

    @Test("A client that sends on and on behind its held poll is not read from for ever")
    func flood() async throws {
        try await withServer(quietApplication, { $0.pollHold = .seconds(30) }) { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)")
            try await server.holds(1)
            let isThrough = NIOLockedValueBox(false)
            let flood = Task {
                for _ in 0..<64 { try await client.socket.send(ByteBuffer(repeating: 0x20, count: 262_144)) }
                isThrough.withLockedValue { $0 = true }
            }
            // What the server does not read stays with the sender, once the sockets' own buffers are full.
            // That nothing happens can only be seen by letting time pass.
            try await Task.sleep(for: .milliseconds(700))
            #expect(!isThrough.withLockedValue { $0 })
            let other = try await PollClient.connect(server)
            #expect(try await other.get("/time/0").status == 200)
            await client.socket.close()
            _ = try? await flood.value
        }
    }
}
