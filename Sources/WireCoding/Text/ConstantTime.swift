/// Comparing secrets. The only place that does (rule PE-1).
public enum ConstantTime {
    /// Whether two texts are equal, in a time that depends on their lengths only.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether two stretches of bytes are equal, in a time that depends on their lengths only.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { areEqual(left, $0) } }
    }

    @inline(never)
    public static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<left.count { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
