import ConnectionEngine
import PubNubProtocol
import Testing

@Suite("Patterns of grants (rules PC-37 to PC-39)")
struct PubNubAccessPatternTests {
    @Test(
        "Patterns fit whole names",
        arguments: [
            ("room", ["room"], ["rooms", "aroom", "roo", "", "ROOM"]),
            ("^room-[0-9]+$", ["room-1", "room-42"], ["room-", "xroom-1", "room-1x"]),
            (#"^channel-\S*$"#, ["channel-", "channel-é"], ["channel- x"]), (".*", ["", "anything", "日本"], ["a\nb"]),
            ("a|b|cd", ["a", "b", "cd"], ["ab", "c", ""]), ("(a|b)*c", ["c", "abbac"], ["abd", "ab"]),
            ("a{2,3}", ["aa", "aaa"], ["a", "aaaa"]), ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aa", "aaaaa"], ["a"]),
            ("(?:ab)?c", ["c", "abc"], ["ac"]), ("[^a-c.]x", ["dx", "-x"], ["ax", ".x"]), ("[]a-]+", ["]a-"], ["b"]),
            (#"[\w.-]+"#, ["a_1.b-c"], ["a b"]), (#"[\D]"#, ["a"], ["1"]), (#"a\.b"#, ["a.b"], ["axb"]),
            (#"\*\\"#, ["*\\"], ["a"]),
            ("a*?b+?", ["aab", "b"], ["a"]), ("(a*)*", ["", "aaa"], ["b"]), ("()*x", ["x"], [""]), ("a|", ["a", ""], ["b"]),
            ("^$", [""], ["a"]), ("a^b", [], ["ab"]), ("x$y", [], ["xy"]), ("((a|b){2}){2}", ["abba"], ["abb"]),
            ("", [""], ["a"]),
        ] as [(String, [String], [String])])
    func matching(pattern: String, fitting: [String], others: [String]) throws {
        let pattern = try PubNubAccessPattern(pattern)
        for name in fitting { #expect(pattern.matches(name), "\(name)") }
        for name in others { #expect(!pattern.matches(name), "\(name)") }
    }

    @Test(
        "What is not understood is refused and says where",
        arguments: [
            ("*a", 0), ("a(b", 3), ("a)", 1), ("[a", 2), (#"a\"#, 2), (#"\b"#, 1), ("(?=a)", 2), ("(?i)a", 2), ("a{3,2}", 5),
            ("a{x}", 2), ("a**", 2), ("[z-a]", 4), (#"[\d-z]"#, 5), ("a{1001}", 6), ("a]", 1), (#"\1"#, 1), ("(a{100}){100}", 13),
        ])
    func refusals(text: String, position: Int) {
        let error = #expect(throws: PubNubAccessPatternError.self) { try PubNubAccessPattern(text) }
        #expect(error?.position == position)
    }

    @Test("Patterns that ruin engines with backtracking take no time here", .timeLimit(.minutes(5)))
    func linearTime() throws {
        let name = String(repeating: "a", count: 10_000) + "!"
        for text in ["(a+)+$", "(a|aa)+", "(a|a)*b", "(.*)*x", "(a*a*a*a*a*)*b"] {
            #expect(try !PubNubAccessPattern(text).matches(name))
        }
        let nested = String(repeating: "(", count: 200) + String(repeating: ")", count: 200)
        #expect(throws: PubNubAccessPatternError.self) { try PubNubAccessPattern(nested) }
        #expect(throws: PubNubAccessPatternError.self) { try PubNubAccessPattern(String(repeating: "a", count: 513)) }
    }

    @Test("50,000 random patterns are understood as the standard library does, or refused", .timeLimit(.minutes(2)))
    func agreement() throws {
        let pieces = ["a", "b", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{1,2}", "^", "$", "\\w", "(?:", "x"]
        var random = SeededRandom(seed: 77)
        var compared = 0
        for round in 0..<50_000 {
            let text = (0..<Int.random(in: 1...7, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                .joined()
            guard let ours = try? PubNubAccessPattern(text), round % 25 == 0, let theirs = try? Regex(text) else { continue }
            for name in ["", "a", "b", "ab", "ba", "aab", "axb", "bb"] {
                let wanted = try theirs.wholeMatch(in: name) != nil
                #expect(ours.matches(name) == wanted, "\(text) and \(name)")
                compared += 1
            }
        }
        #expect(compared > 1000)
    }
}
