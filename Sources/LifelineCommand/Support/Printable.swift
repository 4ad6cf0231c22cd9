extension StringProtocol {
    /// The text, made safe for one line on a terminal: it cannot move the cursor, begin another line or change the direction of writing
    /// (rule CL-21).
    var printable: String {
        guard unicodeScalars.contains(where: Self.isUnprintable) else { return String(self) }
        var out = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" {
                out.append(" ")
            } else if Self.isUnprintable(scalar) {
                // Four hexadecimal digits are enough for all characters that are not printable.
                out.append(
                    contentsOf: ("\\u" + ("000" + String(scalar.value, radix: 16, uppercase: true)).suffix(4)).unicodeScalars)
            } else {
                out.append(scalar)
            }
        }
        return String(out)
    }

    /// Whether a character is a control character, a line or paragraph separator, or overrides the direction of writing.
    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
