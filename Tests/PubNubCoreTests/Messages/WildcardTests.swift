import Identifiers
import PubNubServer
import Testing

@Suite("Wildcards (HB-25)")
struct WildcardTests {
    @Test("One or two parts and an asterisk at the end are a pattern", arguments: ["a.*", "a.b.*", "room-1.sub.*", "ä.*"])
    func valid(name: String) {
        #expect(Wildcard(Identifier(name))?.pattern == Identifier(name))
    }

    @Test(
        "Everything else is not",
        arguments: ["", "*", ".*", "a*", "a.b", "a.b.c.*", "a..*", ".a.*", "*.*", "a.*.*", "a.*.b", "a.*-pnpres", "a.b*"])
    func invalid(name: String) {
        #expect(Wildcard(Identifier(name)) == nil)
    }

    @Test(
        "A pattern matches deeper levels and presence channels",
        arguments: [
            ("a.*", "a.b", true), ("a.*", "a.b.c", true), ("a.*", "a.b-pnpres", true), ("a.*", "a.*-pnpres", true),
            ("a.b.*", "a.b.c", true), ("a.*", "a", false), ("a.*", "a-pnpres", false), ("a.*", "ab.c", false),
            ("a.b.*", "a.bc.d", false), ("a.b.*", "a.c", false),
        ])
    func matching(pattern: String, channel: String, matches: Bool) throws {
        #expect(try #require(Wildcard(Identifier(pattern))).matches(Identifier(channel)) == matches)
        #expect(Wildcard.patterns(matching: Identifier(channel)).contains(Identifier(pattern)) == matches)
    }

    @Test("The patterns of a channel are those that match it, two at most")
    func patterns() {
        #expect(Wildcard.patterns(matching: "plain").isEmpty)
        #expect(Wildcard.patterns(matching: "a.b") == ["a.*"])
        #expect(Wildcard.patterns(matching: "a.b.c.d") == ["a.*", "a.b.*"])
        #expect(Wildcard.patterns(matching: "a.*-pnpres") == ["a.*"])
        #expect(Wildcard.patterns(matching: ".a.b").isEmpty)
        for channel in ["a..b", "a.", ".", "..", "a.b."] as [Identifier] {
            for pattern in Wildcard.patterns(matching: channel) { #expect(Wildcard(pattern)?.matches(channel) == true) }
        }
    }
}
