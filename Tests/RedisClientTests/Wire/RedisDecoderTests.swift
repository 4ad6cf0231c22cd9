import NIOCore
import RedisClient
import Testing

/// What a decoder makes of a stream: its values, and the violation that ended it.
struct Decoded: Equatable {
    var values: [RedisValue] = []
    var violation: RedisViolation?

    init(_ pieces: [ArraySlice<UInt8>], limits: RedisLimits = RedisLimits()) {
        var decoder = RedisDecoder(limits: limits)
        for piece in pieces {
            decoder.receive(ByteBuffer(bytes: piece))
            do throws(RedisViolation) {
                while let value = try decoder.next() { values.append(value) }
            } catch {
                violation = error
            }
        }
    }

    init(_ text: String, limits: RedisLimits = RedisLimits()) {
        self.init([ArraySlice(text.utf8)], limits: limits)
    }
}

@Suite struct RedisDecoderTests {
    @Test(arguments: [
        ("+OK\r\n", RedisValue.simple("OK")),
        ("+\r\n", .simple("")),
        ("-ERR no such thing\r\n", .error(RedisErrorReply("ERR no such thing"))),
        ("!10\r\nERR a\r\nb c\r\n", .error(RedisErrorReply("ERR a\r\nb c"))),
        (":-42\r\n", .integer(-42)),
        (":9223372036854775807\r\n", .integer(.max)),
        (",1.25e3\r\n", .double(1250)),
        (",-inf\r\n", .double(-.infinity)),
        ("#t\r\n", .boolean(true)),
        ("#f\r\n", .boolean(false)),
        ("_\r\n", .null),
        ("$-1\r\n", .null),
        ("*-1\r\n", .null),
        ("$0\r\n\r\n", .bulk(ByteBuffer())),
        ("$4\r\na\r\nb\r\n", .bulk(ByteBuffer(string: "a\r\nb"))),
        ("(3492890328409238509324850943850943825024385\r\n", .bigNumber("3492890328409238509324850943850943825024385")),
        ("=8\r\ntxt:abcd\r\n", .verbatim(format: "txt", ByteBuffer(string: "abcd"))),
        ("*0\r\n", .array([])),
        ("*2\r\n:1\r\n*1\r\n_\r\n", .array([.integer(1), .array([.null])])),
        ("~1\r\n+a\r\n", .set([.simple("a")])),
        ("%1\r\n+a\r\n:1\r\n", .map([RedisPair(.simple("a"), .integer(1))])),
        ("%0\r\n", .map([])),
        (">2\r\n+a\r\n%1\r\n_\r\n~0\r\n", .push([.simple("a"), .map([RedisPair(.null, .set([]))])])),
        ("|1\r\n+ttl\r\n:3\r\n+a\r\n", .simple("a")),
        ("*2\r\n:1\r\n|1\r\n+ttl\r\n*1\r\n:3\r\n:2\r\n", .array([.integer(1), .integer(2)])),
    ])
    func `RC-1 Every type of RESP3 is read`(wire: String, value: RedisValue) {
        let decoded = Decoded(wire)
        #expect(decoded.values == [value])
        #expect(decoded.violation == nil)
    }

    @Test func `RC-1 A value that is not a number is a double`() throws {
        let value = try #require(Decoded(",nan\r\n").values.first)
        guard case .double(let number) = value else { return #expect(Bool(false), "\(value)") }
        #expect(number.isNaN)
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", RedisViolation.unknownType(UInt8(ascii: "H"))),
        ("\r\n", .unknownType(0x0D)),
        ("$?\r\n", .streamedValue),
        ("*?\r\n", .streamedValue),
        ("+a\nb\r\n", .brokenLine),
        ("+a\rb\r\n", .brokenLine),
        ("+a\n", .brokenLine),
        ("$\r\n", .invalidLength),
        ("$-2\r\n", .invalidLength),
        ("$+1\r\n", .invalidLength),
        ("$1x\r\n", .invalidLength),
        ("%-1\r\n", .invalidLength),
        ("$9999999999999999999999\r\n", .invalidLength),
        ("*999999999999999999\r\n", .tooManyElements),
        ("%999999999999999999\r\n", .tooManyElements),
        ("$999999999999999999\r\n", .tooManyBytes),
        (":\r\n", .invalidScalar),
        (":-\r\n", .invalidScalar),
        (":9223372036854775808\r\n", .invalidScalar),
        (",0x1p3\r\n", .invalidScalar),
        (",\r\n", .invalidScalar),
        ("(12a\r\n", .invalidScalar),
        ("#x\r\n", .invalidScalar),
        ("_x\r\n", .invalidScalar),
        ("$1\r\nabc\r\n", .unterminatedBulk),
        ("=2\r\nab\r\n", .invalidVerbatim),
        ("=4\r\ntxtx\r\n", .invalidVerbatim),
        ("*1\r\n>1\r\n+a\r\n", .nestedPush),
    ])
    func `RC-2 What breaks RESP3 ends the stream`(wire: String, violation: RedisViolation) {
        let decoded = Decoded("+before\r\n" + wire + "+after\r\n")
        #expect(decoded.values == [.simple("before")])
        #expect(decoded.violation == violation)
    }

    @Test(arguments: [
        ("+12345678\r\n", "+123456789\r\n", RedisViolation.lineTooLong),
        ("$10\r\n0123456789\r\n", "$11\r\n", .tooManyBytes),
        ("*2\r\n$5\r\n01234\r\n$5\r\n56789\r\n", "*2\r\n$5\r\n01234\r\n$6\r\n", .tooManyBytes),
        ("*4\r\n_\r\n_\r\n_\r\n_\r\n", "*5\r\n", .tooManyElements),
        ("%2\r\n_\r\n_\r\n_\r\n_\r\n", "%3\r\n", .tooManyElements),
        ("*2\r\n*2\r\n_\r\n_\r\n_\r\n", "*2\r\n*3\r\n", .tooManyElements),
        ("*1\r\n*1\r\n*1\r\n_\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n", .tooDeep),
    ])
    func `RC-3 A limit is refused as soon as it is announced`(allowed: String, refused: String, violation: RedisViolation) {
        let limits = RedisLimits(line: 8, bytes: 10, elements: 4, depth: 3)
        // Twice, because what one value used up must not count for the next.
        #expect(Decoded(allowed + allowed, limits: limits).values.count == 2)
        #expect(Decoded(refused, limits: limits).violation == violation)
    }

    @Test func `RC-3 A line without an end is refused at the limit`() {
        let limits = RedisLimits(line: 8)
        #expect(Decoded("+12345678", limits: limits).violation == nil)
        #expect(Decoded("+123456789", limits: limits).violation == .lineTooLong)
    }

    @Test func `RC-2 After a violation nothing is read any more`() {
        var decoder = RedisDecoder()
        decoder.receive(ByteBuffer(string: "?\r\n"))
        #expect(throws: RedisViolation.unknownType(UInt8(ascii: "?"))) { try decoder.next() }
        decoder.receive(ByteBuffer(string: "+OK\r\n"))
        #expect(throws: RedisViolation.unknownType(UInt8(ascii: "?"))) { try decoder.next() }
    }

    @Test func `Values are read as texts, bytes and numbers`() {
        #expect(RedisValue.bulk(ByteBuffer(string: "12")).number == 12)
        #expect(RedisValue.simple("x").number == nil)
        #expect(RedisValue.verbatim(format: "txt", ByteBuffer(string: "a")).text == "a")
        #expect(RedisValue.integer(1).text == nil)
        #expect(RedisValue.map([RedisPair(.simple("a"), .integer(1))])["a"] == .integer(1))
        #expect(RedisValue.map([])["a"] == nil)
    }
}
