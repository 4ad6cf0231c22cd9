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

    /// Whether one of several candidates, such as secrets of which two are valid, is right. All are tried whatever comes of the
    /// first, so that the time does not tell which one it was (rule SO-81).
    public static func anyIsRight<Candidate>(_ candidates: [Candidate], _ isRight: (Candidate) -> Bool) -> Bool {
        var isAnyRight = false
        for candidate in candidates { isAnyRight = isRight(candidate) || isAnyRight }
        return isAnyRight
    }

    @inline(never)
    public static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<left.count { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
