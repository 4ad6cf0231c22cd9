import Testing
import WireCoding

/// Percent-decoding of URLs and of names in answers (rule PL-26).
@Suite struct PercentDecodingTests {
    private func decoded(_ text: String, plusIsSpace: Bool = false) -> String? {
        Array(text.utf8).withUnsafeBytes { PercentDecoding.decode($0, plusIsSpace: plusIsSpace) }
    }

    @Test(arguments: [("", ""), ("room", "room"), ("a%20b%2f%C3%bc", "a b/ü"), ("%25%2B+", "%++")])
    func `PL-26: escapes are decoded, in both cases of their digits`(encoded: String, text: String) {
        #expect(decoded(encoded) == text)
        #expect(PercentDecoding.decodeOrKeep(encoded) == text)
    }

    @Test func `A plus sign means a space only in queries`() {
        #expect(decoded("a+b%2B", plusIsSpace: true) == "a b+")
        #expect(decoded("a+b%2B") == "a+b+")
    }

    @Test(arguments: ["%", "a%2", "%zz", "%2%30", "%FF", "ü%C3"])
    func `PL-26: a text with a malformed escape, or whose bytes are not UTF-8, stays as it is`(encoded: String) {
        #expect(decoded(encoded) == nil)
        #expect(PercentDecoding.decodeOrKeep(encoded) == encoded)
    }
}
