import NIOCore
import RedisClient
import Testing

@Suite struct RedisCommandTests {
    @Test func `RC-4 A command is an array of strings whatever its arguments hold`() {
        var buffer = ByteBuffer()
        let command = RedisCommand("SET", "k€", .bytes(ByteBuffer(bytes: [0, 0x0D, 0x0A])), -12)
        command.write(to: &buffer)
        #expect(buffer == ByteBuffer(string: "*4\r\n$3\r\nSET\r\n$4\r\nk€\r\n$3\r\n\0\r\n\r\n$3\r\n-12\r\n"))
        #expect(command.cost >= buffer.readableBytes)
        // What is written can be read back, so no argument can end a command early.
        #expect(
            Decoded([ArraySlice(buffer.readableBytesView)]).values == [
                .array(["SET", "k€", "\0\r\n", "-12"].map { .bulk(ByteBuffer(string: $0)) })
            ])
    }

    @Test func `RC-5 Descriptions of a command never show its arguments`() {
        let command = RedisCommand("AUTH", "admin", "hunter2")
        var dumped = ""
        dump(command, to: &dumped)
        for text in ["\(command)", String(reflecting: command), dumped] { #expect(!text.contains("hunter2")) }
    }

    @Test(arguments: [
        ("NOSCRIPT No matching script.", RedisErrorReply.Remedy.loadScript),
        ("READONLY You can't write against a read only replica.", .connectAnew),
        ("MASTERDOWN Link with MASTER is down", .connectAnew),
        ("LOADING Redis is loading the dataset in memory", .wait),
        ("BUSY Redis is busy running a script.", .wait),
        ("BUSYGROUP Consumer Group name already exists", .fail),
        ("OOM command not allowed when used memory > 'maxmemory'.", .refuseWrites),
        ("MISCONF Redis is configured to save RDB snapshots", .refuseWrites),
        ("NOREPLICAS Not enough good replicas to write.", .refuseWrites),
        ("WRONGPASS invalid username-password pair", .stop),
        ("NOPERM this user has no permissions", .stop),
        ("NOAUTH Authentication required.", .stop),
        ("ERR unknown command", .fail),
        ("", .fail),
    ])
    func `RC-6 An error says what has to be done`(line: String, remedy: RedisErrorReply.Remedy) {
        let reply = RedisErrorReply(line)
        #expect(reply.remedy == remedy)
        #expect(reply.description == line)
    }

    @Test func `RC-6 Of a long error 300 characters are kept`() {
        let long = String(repeating: "x", count: 10_000)
        #expect(RedisErrorReply("ERR \(long)").message.count == 300)
        #expect(RedisErrorReply(long).code.count == 300)
    }
}
