import Identifiers
import Testing

@Suite("Identifiers are compared by their bytes (HB-11)")
struct IdentifierTests {
    /// Pairs that `String` takes for equal.
    static let pairs = [("K", "\u{212A}"), ("jos\u{E9}", "jose\u{301}"), ("a\u{E9}e\u{301}", "ae\u{301}\u{E9}")]

    @Test("Canonically equivalent texts are different identifiers with different hash values", arguments: pairs)
    func equality(one: String, other: String) {
        #expect(one == other)
        #expect(Identifier(one) != Identifier(other))
        #expect(Identifier(one) == Identifier(String(decoding: Array(one.utf8), as: UTF8.self)))
        #expect(Identifier(one).hashValue != Identifier(other).hashValue)
        #expect(Set([one, other].identifiers).count == 2)
        #expect([one, other, one].uniqueByBytes().count == 2)
        #expect(!one.isExactly(other) && one.isExactly(one) && !one.isExactly(one + "x") && "".isExactly(""))
    }

    @Test("Identifiers are ordered by their bytes", arguments: pairs)
    func order(one: String, other: String) {
        #expect((Identifier(one) < Identifier(other)) != (Identifier(other) < Identifier(one)))
        #expect(Identifier("a") < "b" && Identifier("a") < "aa" && Identifier("z") < "\u{E9}" && !(Identifier("a") < "a"))
    }

    @Test("A pair of identifiers hashes differently from the same bytes divided elsewhere")
    func dividedElsewhere() {
        #expect(Set([["ab", "c"], ["a", "bc"]].map { $0.identifiers }).count == 2)
        #expect([Identifier("ab"), "c"].hashValue != [Identifier("a"), "bc"].hashValue)
    }

    @Test("An identifier keeps its text")
    func text() {
        #expect(["x", "y"].identifiers.texts == ["x", "y"])
        #expect(Identifier("abc".dropFirst()).text == "bc" && Identifier("").isEmpty && "\(Identifier("k"))" == "k")
    }
}
