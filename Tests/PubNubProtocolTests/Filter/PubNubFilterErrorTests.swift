import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Malformed filters (rules PF-14 and PF-15)")
struct PubNubFilterErrorTests {
    @Test(
        "An expression that cannot be understood is refused with the reason and the place",
        arguments: [
            ("", .empty, 0), ("  ", .empty, 0), ("a ==", .expectedOperand, 4), ("== 1", .expectedOperand, 0),
            ("a == 1 b", .expectedOperator, 7), ("a == 1 == 2", .expectedOperator, 7),
            ("(a == 1", .expectedClosingParenthesis, 7),
            ("a = 1", .unexpectedCharacter, 2), ("a & b", .unexpectedCharacter, 2), ("a == 'x", .unterminatedString, 5),
            (#"a == 'x\'"#, .unterminatedString, 5), ("a == 1x", .invalidNumber, 5), ("a. == 1", .expectedName, 3),
            ("a[x] == 1", .invalidIndex, 2), ("a[1 == 1", .invalidIndex, 4), ("a[1.5] == 1", .invalidIndex, 2),
            ("a[-1] == 1", .invalidIndex, 2), ("('a', b) contains c", .invalidListElement, 6),
            ("(b, 'a') contains c", .invalidListElement, 1), ("a && ", .expectedOperand, 5), ("a || || b", .expectedOperand, 5),
            ("a == 1e999", .invalidNumber, 5), ("a == .5", .expectedOperand, 5), (")", .expectedOperand, 0),
            ("a == 'b' 'c'", .expectedOperator, 9), ("a = = b", .unexpectedCharacter, 2), ("(,)", .expectedOperand, 1),
        ] as [(String, PubNubFilterError.Reason, Int)])
    func reasons(text: String, reason: PubNubFilterError.Reason, position: Int) {
        let error = #expect(throws: PubNubFilterError.self) { try PubNubFilter(text) }
        #expect(error?.reason == reason)
        #expect(error?.position == position)
    }

    @Test("The reason never repeats the expression")
    func description() {
        let error = #expect(throws: PubNubFilterError.self) { try PubNubFilter("token == 'secret' nonsense") }
        #expect(error.map { "\($0)" } == "An operator or the end is expected at byte 18")
    }

    @Test("Nesting and length have limits, with room below them")
    func limits() {
        func nested(_ opening: String, _ closing: String, _ count: Int) -> String {
            String(repeating: opening, count: count) + "a" + String(repeating: closing, count: count)
        }
        for (opening, closing) in [("(", ")"), ("!", ""), ("-", ""), ("!(", ")")] {
            #expect(throws: Never.self) { try PubNubFilter(nested(opening, closing, 30)) }
            let error = #expect(throws: PubNubFilterError.self) { try PubNubFilter(nested(opening, closing, 5000)) }
            #expect(error?.reason == .tooDeep)
        }
        let error = #expect(throws: PubNubFilterError.self) {
            try PubNubFilter("a == '" + String(repeating: "x", count: PubNubFilter.maximumLength) + "'")
        }
        #expect(error?.reason == .tooLong)
    }

    @Test("64 joined comparisons are allowed, and the first operator beyond 128 is named (rule PF-30)")
    func operators() throws {
        let comparisons = String(repeating: "a == 1 || ", count: 63) + "b == 2"
        #expect(try PubNubFilter(comparisons).matches(metadata: #"{"b":2}"#, data: "1"))
        let sum = String(repeating: "1 + ", count: 127) + "0 == 127"
        #expect(try PubNubFilter(sum).matches(metadata: nil, data: "1"))
        for text in [
            comparisons + " || c == 3", "1 + " + sum, String(repeating: "a || ", count: 128) + "a && a",
            String(repeating: "!a || ", count: 64) + "!a", String(repeating: "-a + ", count: 64) + "-a",
            String(repeating: "a contains 'x' || ", count: 629) + "a contains 'x'",
            String(repeating: "a like 'x' || ", count: 64) + "a like 'x'",
        ] {
            let error = #expect(throws: PubNubFilterError.self, "\(text)") { try PubNubFilter(text) }
            #expect(error?.reason == .tooManyOperators)
            #expect(error.map { $0.position > 0 && $0.position < text.utf8.count } == true)
        }
        let error = #expect(throws: PubNubFilterError.self) { try PubNubFilter(comparisons + " || c == 3") }
        #expect(error?.position == comparisons.utf8.count + 6)
        #expect(error.map { "\($0)" } == "The filter has more than 128 operators at byte \(comparisons.utf8.count + 6)")
    }

    @Test("Lists have 1024 elements together, paths 64 steps (rule PF-30)")
    func elements() throws {
        let list = "(" + (0..<1024).map { "-\($0 + 1)" }.joined(separator: ",") + ") contains a"
        #expect(try PubNubFilter(list).matches(metadata: #"{"a":-1024}"#, data: "1"))
        let longer = "(1," + list.dropFirst()
        #expect(#expect(throws: PubNubFilterError.self) { try PubNubFilter(longer) }?.reason == .tooManyElements)
        let path = "data" + String(repeating: ".a", count: 64)
        #expect(throws: Never.self) { try PubNubFilter(path) }
        #expect(#expect(throws: PubNubFilterError.self) { try PubNubFilter(path + "[0]") }?.reason == .tooDeep)
    }

    @Test("A hostile pattern costs no more than any other", .timeLimit(.minutes(5)))
    func linearTime() throws {
        let text = String(repeating: "a", count: 32_000)
        let pattern = "*" + String(repeating: "a", count: 7000) + "b*"
        let filter = try PubNubFilter("x LIKE '\(pattern)' || x CONTAINS '\(pattern.dropFirst())'")
        #expect(!filter.matches(metadata: #"{"x":"\#(text)"}"#, data: "1"))
    }
}
