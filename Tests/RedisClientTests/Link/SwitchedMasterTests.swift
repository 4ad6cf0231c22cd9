import NIOCore
import Testing

@testable import RedisClient

@Suite struct SwitchedMasterTests {
    private func switched(_ payload: String) -> SwitchedMaster? { SwitchedMaster(ByteBuffer(string: payload)) }

    @Test func `RC-40 What a Sentinel tells of a switch has the name and the new address`() throws {
        let found = try #require(switched("my master 10.0.0.1 6379 10.0.0.2 6380"))
        #expect(found.name == "my master")
        #expect(found.host == RedisAddress.Host("10.0.0.2", port: 6380))
        #expect(
            try #require(switched("m ::1 1 redis-2.example 65535")).host == RedisAddress.Host("redis-2.example", port: 65_535))
    }

    @Test(arguments: [
        "", "m", "m 10.0.0.1 6379 10.0.0.2", "m 10.0.0.1 6379 10.0.0.2 0", "m 10.0.0.1 6379 10.0.0.2 65536",
        "m 10.0.0.1 6379 10.0.0.2 x",
        "m 10.0.0.1 6379  6379",
    ])
    func `RC-40 Anything else is no switch`(payload: String) {
        #expect(switched(payload) == nil)
    }

    @Test func `RC-40 When the master has moved, connections that are being dialled are dialled anew as well`() {
        var run = LinkRun.ready()
        _ = run.lose(.commands)
        _ = run.waitForDial(.commands)
        let attempt = run.attempts[.commands]
        #expect(
            run.move() == [
                .cut(.commands, attempt ?? 0, .moved), .cut(.messages, run.attempts[.messages] ?? 0, .moved),
            ])
        _ = run.lose(.commands, .moved)
        _ = run.hurry()
        #expect(run.attempts[.commands] == attempt.map { $0 + 1 })
    }
}
