import NIOCore
import RedisClient
import ServerCluster
import Testing

@testable import RedisStoreEngine

/// The commands of Redis for each kind of question, and their answers.
@Suite struct RedisReadTests {
    private static func bulk(_ text: String) -> RedisValue { .bulk(ByteBuffer(string: text)) }
    private static func buffer(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }
    private static let field = StoredField(buffer("f"), buffer("v"))

    static let table: [(question: StoreRead, command: RedisCommand, value: RedisValue, answer: StoreAnswer)] = [
        (.value("k"), RedisCommand("GET", "k"), bulk("v"), .bytes(buffer("v"))),
        (.value("k"), RedisCommand("GET", "k"), .null, .nothing),
        (.values(["k", "l"]), RedisCommand("MGET", "k", "l"), .array([bulk("v"), .null]), .list([buffer("v"), nil])),
        (.length("k"), RedisCommand("STRLEN", "k"), .integer(5), .number(5)),
        (.field("k", "f"), RedisCommand("HGET", "k", "f"), bulk("v"), .bytes(buffer("v"))),
        (
            .fields("k", ["f", "g"]), RedisCommand("HMGET", "k", "f", "g"), .array([.null, bulk("v")]), .list([nil, buffer("v")])
        ),
        (.hasField("k", "f"), RedisCommand("HEXISTS", "k", "f"), .integer(1), .number(1)),
        (.fieldNames("k"), RedisCommand("HKEYS", "k"), .array([bulk("f")]), .list([buffer("f")])),
        (.allFields("k"), RedisCommand("HGETALL", "k"), .map([RedisPair(bulk("f"), bulk("v"))]), .fields([field], next: nil)),
        (
            .page("k", after: nil, count: 50), RedisCommand("HSCAN", "k", "0", "COUNT", 50),
            .array([bulk("17"), .array([bulk("f"), bulk("v")])]), .fields([field], next: "17")
        ),
        (
            .page("k", after: "17", count: 50), RedisCommand("HSCAN", "k", "17", "COUNT", 50), .array([bulk("0"), .array([])]),
            .fields([], next: nil)
        ),
        (
            .keys(beginningWith: "a:", after: nil, count: 9), RedisCommand("SCAN", "0", "MATCH", "a:*", "COUNT", 9),
            .array([bulk("7"), .array([bulk("a:b")])]), .keys(["a:b"], next: "7")
        ),
        (.members("k"), RedisCommand("SMEMBERS", "k"), .set([bulk("m")]), .list([buffer("m")])),
        (.hasMember("k", "m"), RedisCommand("SISMEMBER", "k", "m"), .integer(0), .number(0)),
        (
            .ranked("k", from: nil, to: 9, skipping: 0, limit: 500),
            RedisCommand("ZRANGEBYSCORE", "k", "-inf", 9, "LIMIT", 0, 500), .array([bulk("m")]), .list([buffer("m")])
        ),
        (
            .ranked("k", from: 3, to: nil, skipping: 10, limit: 5),
            RedisCommand("ZRANGEBYSCORE", "k", 3, "+inf", "LIMIT", 10, 5), .array([]), .list([])
        ),
        (
            .entries("k", from: 3, to: nil, isOldestFirst: true, limit: 2), RedisCommand("XRANGE", "k", "3-0", "+", "COUNT", 2),
            .array([.array([bulk("17-0"), .array([bulk("f"), bulk("v")])])]),
            .entries([StoredEntry(number: 17, fields: [field])])
        ),
        (
            .entries("k", from: nil, to: 9, isOldestFirst: false, limit: 1),
            RedisCommand("XREVRANGE", "k", "9-0", "-", "COUNT", 1),
            .array([]), .entries([])
        ),
    ]

    @Test("CR-70: each question is a command of Redis, and its answer has the form of the question", arguments: table.indices)
    func questions(index: Int) throws {
        let (question, command, value, answer) = Self.table[index]
        #expect(RedisCommand(question).name == command.name)
        #expect(RedisCommand(question).arguments == command.arguments)
        #expect(try question.answer(value) == answer)
    }

    @Test func `CR-70: questions about many entries are scripts that only read, which name their streams`() throws {
        let numbers = StoreRead.entryNumbers("k", from: 3, to: 9, limit: 500)
        #expect(RedisCommand(numbers).name == "EVAL_RO")
        #expect(RedisCommand(numbers).arguments.dropFirst() == [1, "k", "3-0", "9-0", 500])
        #expect(try numbers.answer(.array([Self.bulk("3-0"), Self.bulk("4-0")])) == .numbers([3, 4]))
        let live = StoreRead.liveEntries("k", after: 3, at: "09", limit: 1_000)
        #expect(RedisCommand(live).arguments.dropFirst() == [1, "k", "3-0", 1_000, "09"])
        #expect(
            try live.answer(.array([.integer(1), .integer(2), Self.bulk("5-0")])) == .count(LiveEntries(all: 2, live: 1, last: 5))
        )
        #expect(try live.answer(.array([.integer(0), .integer(0), Self.bulk("")])) == .count(LiveEntries()))
        let counts = StoreRead.entryCounts(["k", "l"])
        #expect(RedisCommand(counts).arguments.dropFirst() == [2, "k", "l"])
        #expect(try counts.answer(.array([.integer(0), .integer(7)])) == .numbers([0, 7]))
    }

    @Test func `CR-70: an answer of another form is an error`() {
        let wrong: [(StoreRead, RedisValue)] = [
            (.length("k"), .null), (.values(["k"]), .integer(1)), (.allFields("k"), .array([])),
            (.page("k", after: nil, count: 1), .array([Self.bulk("0")])),
            (.entries("k", from: nil, to: nil, isOldestFirst: true, limit: 1), .array([.array([Self.bulk("x-0"), .array([])])])),
            (.liveEntries("k", after: 0, at: "", limit: 1), .array([])), (.entryCounts(["k"]), .null),
        ]
        for (question, value) in wrong {
            #expect(throws: StoreFailure.unexpected) { try question.answer(value) }
        }
    }
}
