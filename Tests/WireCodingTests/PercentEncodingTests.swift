import Testing
import WireCoding

/// Percent-encoding (rule PN-2).
@Suite struct PercentEncodingTests {
    private static let kept = "ABCXYZabcxyz0189-._~"

    @Test func `PN-2: every byte but the unreserved ones is escaped, wherever the bytes come from`() {
        for byte in UInt8.min...UInt8.max {
            let isKept =
                byte < 0x80
                && ("A"..."Z" ~= Character(.init(byte)) || "a"..."z" ~= Character(.init(byte))
                    || "0"..."9" ~= Character(.init(byte)) || "-._~".utf8.contains(byte))
            let hexadecimal = (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            let expected = isKept ? [byte] : Array(hexadecimal.utf8)
            for bytes in [[byte], [byte, byte], Array("a".utf8) + [byte], [byte] + Array("a".utf8)] {
                let whole = bytes.flatMap { $0 == byte ? expected : [$0] }
                var (fromArray, fromSequence): ([UInt8], [UInt8]) = ([], [])
                PercentEncoding.append(bytes, to: &fromArray)
                PercentEncoding.append(AnySequence(bytes), to: &fromSequence)
                #expect(fromArray == whole && fromSequence == whole)
            }
        }
    }

    @Test func `PN-2: texts are escaped in one piece`() {
        #expect(PercentEncoding.encode("") == "")
        #expect(PercentEncoding.encode(Self.kept) == Self.kept)
        #expect(PercentEncoding.encode("a b/ü,%") == "a%20b%2F%C3%BC%2C%25")
    }
}
