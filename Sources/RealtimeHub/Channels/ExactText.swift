/// A text that equals another one only when both have the same bytes, for names that others choose (rule HB-11).
///
/// Swift takes canonically equivalent texts for equal: a K and the Kelvin sign, an é and an e with an accent behind it. Whoever
/// gives out user ids compares bytes, and takes them for two users.
public struct ExactText: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    // What has the same bytes has the same hash too.
    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }
}

extension String {
    /// Whether both texts have the same bytes.
    public func isExactly(_ other: String) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.count == $0.count && bytes.elementsEqual($0) }
        }
        return (isEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
