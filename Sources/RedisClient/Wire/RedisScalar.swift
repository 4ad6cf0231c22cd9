import NIOCore

/// Parses the scalar values of RESP3, each from the rest of its line. Only the forms in the protocol's specification are accepted.
enum RedisScalar {
    static func integer(_ line: ByteBuffer) throws(RedisViolation) -> Int64 {
        let text = Substring(String(buffer: line))
        guard isInteger(text), let number = Int64(text) else { throw .invalidScalar }
        return number
    }

    static func bigNumber(_ line: ByteBuffer) throws(RedisViolation) -> String {
        let text = String(buffer: line)
        guard isInteger(Substring(text)) else { throw .invalidScalar }
        return text
    }

    static func boolean(_ line: ByteBuffer) throws(RedisViolation) -> Bool {
        switch String(buffer: line) {
        case "t": return true
        case "f": return false
        default: throw .invalidScalar
        }
    }

    static func double(_ line: ByteBuffer) throws(RedisViolation) -> Double {
        let text = String(buffer: line)
        switch text {
        case "inf": return .infinity
        case "-inf": return -.infinity
        case "nan", "-nan": return .nan
        default: break
        }
        // The characters are checked, because `Double` would also accept hexadecimal numbers and names such as `nan`.
        guard text.utf8.allSatisfy({ isDigit($0) || "+-.eE".utf8.contains($0) }), let number = Double(text) else {
            throw .invalidScalar
        }
        return number
    }

    /// Parses a length. Nil for -1, which means null in RESP2, if null is permitted here.
    static func length(_ line: ByteBuffer, mayBeNull: Bool) throws(RedisViolation) -> Int? {
        let digits = line.readableBytesView
        guard let first = digits.first, isDigit(first) else {
            if digits.elementsEqual("?".utf8) { throw .streamedValue }
            if mayBeNull, digits.elementsEqual("-1".utf8) { return nil }
            throw .invalidLength
        }
        guard digits.count <= 18, digits.allSatisfy(isDigit) else { throw .invalidLength }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Whether a text is an optional sign, followed by at least one decimal digit.
    private static func isInteger(_ text: Substring) -> Bool {
        let digits = text.utf8.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } == true ? text.dropFirst() : text
        return !digits.isEmpty && digits.utf8.allSatisfy(isDigit)
    }
}
