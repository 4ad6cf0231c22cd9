import Identifiers
import Testing

/// Characters are what people see; protocols divide names by bytes. U+0301 joins the Character before it, U+0600 the one behind it.
@Suite("Texts looked at by their bytes (HB-84)")
struct ByteTextTests {
    @Test("A prefix is one whatever follows it")
    func prefixes() {
        #expect("private-\u{301}x".hasBytePrefix("private-") && !"private-\u{301}x".hasPrefix("private-"))
        #expect("#\u{301}x".hasBytePrefix("#") && "".hasBytePrefix("") && "a".hasBytePrefix(""))
        #expect(!"priv".hasBytePrefix("private-") && !"\u{212A}".hasBytePrefix("K") && !"e\u{301}".hasBytePrefix("é"))
        #expect("aprivate-b".dropFirst().hasBytePrefix("private-"))
    }

    @Test("A suffix is one whatever stands before it, and is taken off alone")
    func suffixes() {
        let name = "room\u{600}-pnpres"
        #expect(name.hasByteSuffix("-pnpres") && !name.hasSuffix("-pnpres"))
        #expect(name.droppingByteSuffix("-pnpres").isExactly("room\u{600}"))
        #expect("room".droppingByteSuffix("-pnpres") == "room" && "-pnpres".droppingByteSuffix("-pnpres").isEmpty)
        #expect(!"pnpres".hasByteSuffix("-pnpres") && !"-pnpres\u{301}".hasByteSuffix("-pnpres"))
        #expect("".hasByteSuffix("") && "a".hasByteSuffix("") && !"".hasByteSuffix("a") && "ab".dropLast().hasByteSuffix("a"))
        let long = String(repeating: "name", count: 20)
        #expect((long + "-pnpres").hasByteSuffix("-pnpres") && !(long + "xpnpres").hasByteSuffix("-pnpres"))
        #expect(
            long.hasByteSuffix(long) && !long.hasByteSuffix("x" + long)
                && (long + "-pnpres").droppingByteSuffix("-pnpres") == long)
    }

    @Test("A separator separates whatever is beside it")
    func separators() {
        #expect(
            "a\u{600},b,\u{301}c,,\r\n".split(atByte: UInt8(ascii: ",")).map { Array($0.utf8) }
                == ["a\u{600}", "b", "\u{301}c", "\r\n"].map { Array($0.utf8) })
        #expect("a\r\nb".split(atByte: UInt8(ascii: "\n")) == ["a\r", "b"])
        #expect("a,\u{301}b".hasByte(UInt8(ascii: ",")) && !"a,\u{301}b".contains(","))
        #expect("".split(atByte: UInt8(ascii: ",")).isEmpty)
    }

    @Test("A character is replaced whatever is beside it")
    func replacing() {
        #expect("'\u{301}'\u{600}'".replacing(byte: UInt8(ascii: "'"), with: "\\'").isExactly("\\'\u{301}\\'\u{600}\\'"))
        #expect("é".replacing(byte: UInt8(ascii: "e"), with: "x").isExactly("é"))
    }
}
