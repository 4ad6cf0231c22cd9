/// Compares secrets in constant time. All comparisons of secrets have to use these functions (rule PE-1).
public enum ConstantTime {
    /// Whether two texts are equal. The time depends only on their lengths.
    public static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// Whether two byte arrays are equal. The time depends only on their lengths.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { areEqual(left, $0) } }
    }

    /// Whether `isRight` accepts one of several candidates, such as one of two valid secrets. All candidates are tried even after a match,
    /// so that the time does not reveal which one matched (rule SO-81).
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
