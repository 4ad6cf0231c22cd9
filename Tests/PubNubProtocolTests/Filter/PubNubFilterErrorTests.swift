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
        let long = String(repeating: "a == 1 || ", count: 1600) + "b == 2"
        #expect((try? PubNubFilter(long).matches(metadata: #"{"b":2}"#, data: "1")) == true)
        let sum = String(repeating: "1 + ", count: 4000) + "0 == 4000"
        #expect((try? PubNubFilter(sum).matches(metadata: nil, data: "1")) == true)
        let error = #expect(throws: PubNubFilterError.self) {
            try PubNubFilter("a == '" + String(repeating: "x", count: PubNubFilter.maximumLength) + "'")
        }
        #expect(error?.reason == .tooLong)
    }

    @Test("A hostile pattern costs no more than any other", .timeLimit(.minutes(1)))
    func linearTime() throws {
        let text = String(repeating: "a", count: 32_000)
        let pattern = "*" + String(repeating: "a", count: 7000) + "b*"
        let filter = try PubNubFilter("x LIKE '\(pattern)' || x CONTAINS '\(pattern.dropFirst())'")
        #expect(!filter.matches(metadata: #"{"x":"\#(text)"}"#, data: "1"))
    }
}
