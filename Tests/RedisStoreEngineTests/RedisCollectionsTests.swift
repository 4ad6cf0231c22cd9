import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import RedisStoreEngine
import ServerCluster
import Testing

@Suite struct RedisCollectionsTests {
    /// The commands that were performed, and the answer to all of them.
    private final class Recorder: Sendable {
        let commands = NIOLockedValueBox<[RedisCommand]>([])
        let answer: Result<RedisValue, RedisFailure>

        init(_ answer: Result<RedisValue, RedisFailure>) { self.answer = answer }

        var collections: RedisCollections {
            RedisCollections(key: { StoreKey("{test}:" + $0) }) { (command) async throws(RedisFailure) -> RedisValue in
                self.commands.withLockedValue { $0.append(command) }
                return try self.answer.get()
            }
        }
    }

    private let value = ByteBuffer(string: "content")

    @Test func `FI-24: a value is created once, and removed after a time unless it is kept`() async throws {
        let recorder = Recorder(.success(.simple("OK")))
        let key = recorder.collections.key("file")
        #expect(try await recorder.collections.create(value, as: key, seconds: 600))
        let commands = recorder.commands.withLockedValue { $0 }
        let command = try #require(commands.last)
        #expect(command.name == "SET" && command.arguments == ["{test}:file", .bytes(value), "NX", "EX", 600])
        #expect(try await !Recorder(.success(.null)).collections.create(value, as: key, seconds: 600))
    }

    @Test func `CR-70: writes and questions beside the log are single commands`() async throws {
        let recorder = Recorder(.success(.bulk(value)))
        try await recorder.collections.perform(.remove("k"))
        #expect(try await recorder.collections.value(of: "k") == value)
        #expect(recorder.commands.withLockedValue { $0.map(\.name) } == ["UNLINK", "GET"])
    }

    @Test func `CR-70: a failure says whether the command may have been performed`() async {
        let cases: [(RedisFailure, StoreFailure)] = [
            (.expired, .unavailable), (.overfull, .unavailable), (.unsent(.closed), .unavailable), (.unanswered, .unanswered),
            (.lost(.silent), .unanswered),
        ]
        for (failure, expected) in cases {
            await #expect(throws: expected) { try await Recorder(.failure(failure)).collections.value(of: "k") }
            await #expect(throws: expected) { try await Recorder(.failure(failure)).collections.perform(.unset("k")) }
        }
    }
}
