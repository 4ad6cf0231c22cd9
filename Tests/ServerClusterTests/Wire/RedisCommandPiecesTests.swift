import RedisClient
import Testing

@testable import ServerCluster

@Suite struct RedisCommandPiecesTests {
    private func words(_ count: Int) -> [RedisArgument] { (0..<count).map { .integer(Int64($0)) } }

    @Test("CR-25 A command that Lua can hand over stays as it is", arguments: ["HSET", "HDEL", "UNLINK", "XADD"])
    func short(name: String) {
        let command = RedisCommand(name, words(RedisCommand.longestInScript - 1))
        #expect(command.pieces == [command])
    }

    @Test(
        "CR-25 A longer command becomes several with the same key, and no field is parted from its value",
        arguments: [
            ("HSET", 1, 2), ("HDEL", 1, 1), ("SADD", 1, 1), ("SREM", 1, 1), ("XDEL", 1, 1), ("ZREM", 1, 1), ("UNLINK", 0, 1),
        ])
    func long(name: String, fixed: Int, width: Int) {
        for count in [6_999, 7_001, 14_001, 20_001] {
            let arguments = words(fixed + count / width * width)
            let pieces = RedisCommand(name, arguments).pieces
            #expect(pieces.allSatisfy { $0.name == name && $0.arguments.count < RedisCommand.longestInScript })
            #expect(pieces.allSatisfy { $0.arguments.prefix(fixed) == arguments.prefix(fixed) })
            #expect(pieces.allSatisfy { ($0.arguments.count - fixed) % width == 0 && $0.arguments.count > fixed })
            #expect(pieces.flatMap { $0.arguments.dropFirst(fixed) } == Array(arguments.dropFirst(fixed)))
        }
    }
}
