import NIOCore
import RedisClient
import RedisTestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(3)))
struct RedisMessagesServerTests {
    @Test func `RC-12 Messages of channels and patterns come in the order of publishing`() async throws {
        let server = try RedisProcess()
        let (live, other) = (try LiveLink(server), try LiveLink(server))
        try await live.subscribe("a", "b")
        try await live.subscribe("p*", kind: .pattern)
        for number in 0..<100 as Range<Int64> {
            other.link.send(
                .command(RedisCommand("PUBLISH", number % 2 == 0 ? "a" : "b", .integer(number))), within: LiveLink.limit
            ) { _ in }
        }
        for number in 0..<100 {
            let (channel, payload) = try await live.message()
            #expect(channel == (number % 2 == 0 ? "a" : "b") && payload == "\(number)")
        }
        try await other.send("PUBLISH", "pq", "x")
        #expect(try await live.message() == ("pq", "x"))
        live.link.unsubscribe(from: [ByteBuffer(string: "a")])
        try await live.subscribe("c")
        #expect(try await other.send("PUBLISH", "a", "x").number == 0)
        #expect(try await other.send("PUBLISH", "c", "y").number == 1)
        #expect(try await live.message() == ("c", "y"))
    }

    @Test func `RC-31 Thousands of subscriptions come back after a restart`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        let names = (0..<5_000).map { ByteBuffer(string: "c\($0)") }
        try await live.link.subscribe(to: names, within: LiveLink.limit)
        // Events before the first connection, when the server was perhaps not there yet, are over.
        try await live.waitForRestored()
        server.kill()
        try await live.waitForTrouble(.messages) { _ in true }
        try server.start()
        try await live.waitForRestored()
        for name in ["c0", "c2500", "c4999"] {
            #expect(try await live.send("PUBLISH", .text(name), "x").number == 1)
            #expect(try await live.message() == (name, "x"))
        }
    }

    @Test func `RC-35 An owner that does not read loses its connection, is told so, and gets no message out of order`()
        async throws
    {
        let server = try RedisProcess(["--client-output-buffer-limit", "pubsub 1mb 1mb 1"])
        let (live, other) = (try LiveLink(server), try LiveLink(server))
        try await live.subscribe("a")
        live.link.setReading(false)
        let filler = String(repeating: "x", count: 100_000)
        var number = 0
        // The system's buffers take some of it before the server's own grows.
        while try await other.send("PUBLISH", "a", .text("\(number) \(filler)")).number == 1 { number += 1 }
        live.link.setReading(true)
        var next = 0
        loop: while true {
            switch try await live.events.next() {
            case .message(let message):
                #expect(String(buffer: message.payload).hasPrefix("\(next) "))
                next += 1
            case .interrupted: break loop
            default: continue
            }
        }
        #expect(next <= number + 1)
        try await live.waitForRestored()
        try await other.send("PUBLISH", "a", "again")
        #expect(try await live.message() == ("a", "again"))
    }

    @Test func `RC-35 A link that is told not to read before it is connected connects all the same`() async throws {
        let server = try RedisProcess()
        let live = try LiveLink(server)
        live.link.setReading(false)
        try await live.waitForRestored()
        live.link.setReading(true)
        try await live.subscribe("a")
        try await live.send("PUBLISH", "a", "x")
        #expect(try await live.message() == ("a", "x"))
    }
}
