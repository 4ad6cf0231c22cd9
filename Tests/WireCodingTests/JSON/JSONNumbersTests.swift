import Testing
import WireCoding

@Suite("Whole numbers in JSON")
struct JSONNumbersTests {
    @Test(
        "Numbers are written as Swift writes them",
        arguments: [0, 1, -1, 9, 10, 99, 100, 15_782_703_013_118_714, .max, .min])
    func writing(number: Int) {
        var out: [UInt8] = []
        JSONWriter.append(number, to: &out)
        #expect(String(decoding: out, as: UTF8.self) == String(number))
    }

    @Test("The largest number of 64 bits is written")
    func largest() {
        var out: [UInt8] = []
        JSONWriter.append(UInt64.max, to: &out)
        #expect(String(decoding: out, as: UTF8.self) == String(UInt64.max))
    }

    @Test(
        "Digits are read, everything else is refused",
        arguments: [
            ("0", 0), ("007", 7), ("9999999999999999999", 9_999_999_999_999_999_999), ("18446744073709551615", .max),
            ("18446744073709551616", nil), ("99999999999999999999", nil), ("000000000000000000000001", 1), ("", nil),
            ("12345678", 12_345_678), ("1234567812345678", 1_234_567_812_345_678),
            ("123456781234567890123456", nil), ("1234567/", nil), ("1234567:", nil), ("a2345678", nil),
            ("00000000000000000000000000000005", 5), ("1234\u{B5}678", nil), ("-1", nil), ("1.0", nil), ("1e3", nil), ("1 ", nil),
            ("/", nil), (":", nil),
        ] as [(String, UInt64?)])
    func reading(text: String, expected: UInt64?) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { #expect(JSONScanner($0).wholeNumber(0, $0.count) == expected) }
    }

    @Test("A number ends at its last digit, however many there are and whatever follows", arguments: 1...40)
    func ends(count: Int) throws {
        let digits = String(repeating: "1234567890", count: 4).prefix(count)
        for behind in ["", ",", "}", "/", ":", "\u{B5}", " ", "e1", ".5", "\u{0}"] {
            let bytes = Array((digits + behind + "   ").utf8)
            let end = behind == "e1" || behind == ".5" ? count + 2 : count
            try bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes)
                let token = try scanner.value()
                #expect(token.kind == .number && token.start == 0 && token.end == end && scanner.position == end)
            }
        }
        // Not one byte beyond the end is read.
        let bytes = Array(digits.utf8)
        try bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes)
            let end = try scanner.value().end
            #expect(end == count)
        }
    }
}
