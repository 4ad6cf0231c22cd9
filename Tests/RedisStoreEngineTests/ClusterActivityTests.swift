import RedisClient
import Testing

@testable import RedisStoreEngine

@Suite struct ClusterActivityTests {
    private static let seconds: Int64 = 1_700_000_000

    /// Asks about a cluster whose leader's record and log are these.
    private func activity(_ record: [RedisValue], readers: RedisValue) async throws -> ClusterActivity {
        let keys = try #require(ClusterKeys(cluster: "eu"))
        return try await keys.activity { command throws(RedisFailure) in
            switch command.name {
            case "HMGET": .array(record)
            case "TIME": .array([.bulk("\(Self.seconds)"), .bulk("999999")])
            default: readers
            }
        }
    }

    private let none = RedisValue.array([.bulk("{lifeline:eu}:log"), .integer(0)])

    @Test("DC-15: A cluster is at rest when its leader's lease has ended and nobody reads its log")
    func rest() async throws {
        let record: [RedisValue] = [.bulk("a"), .bulk("0"), .bulk("7"), .bulk("12")]
        let resigned = try await activity(record, readers: none)
        #expect(resigned.isAtRest && resigned.position == "7 12")
        #expect(try await activity([.null, .null, .null, .null], readers: none).isAtRest)
        #expect(try await activity([], readers: .null).isAtRest)
        let ended: [RedisValue] = [.bulk("a"), .bulk("\(Self.seconds * 1_000 - 1)"), .bulk("7"), .bulk("12")]
        #expect(try await activity(ended, readers: none).isAtRest)
    }

    @Test("DC-15: A cluster is not at rest while a lease lasts, or while a server reads its log")
    func running() async throws {
        let lasting: [RedisValue] = [.bulk("a"), .bulk("\(Self.seconds * 1_000)"), .bulk("7"), .bulk("12")]
        let leading = try await activity(lasting, readers: none)
        #expect(!leading.isAtRest && leading.leader == "a")
        let record: [RedisValue] = [.bulk("a"), .bulk("0"), .bulk("7"), .bulk("12")]
        for readers in [
            RedisValue.array([.bulk("{lifeline:eu}:log"), .integer(2)]),
            .map([RedisPair(.bulk("{lifeline:eu}:log"), .integer(2))]),
        ] {
            let followed = try await activity(record, readers: readers)
            #expect(!followed.isAtRest && followed.leader == nil && followed.readers == 2)
        }
    }

    @Test("DC-15: Numbers that no leader writes do not end the process")
    func absurd() async throws {
        let record: [RedisValue] = [.null, .bulk("9223372036854775807"), .bulk("x"), .integer(.min)]
        #expect(try await activity(record, readers: .array([.bulk("log"), .integer(.max)])).readers == .max)
        #expect(try await activity([.bulk("a"), .bulk("-9223372036854775808")], readers: none).isAtRest)
    }
}

extension RedisValue {
    fileprivate static func bulk(_ text: String) -> RedisValue { .simple(text) }
}
