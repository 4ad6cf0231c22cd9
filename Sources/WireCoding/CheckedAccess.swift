// Access to elements, slices and sums that cannot trap. Bounds that are computed from received bytes have to use these functions (rule
// SV-85); `test_sources.py` reports code that does not.

extension RandomAccessCollection where Index == Int {
    /// The element at `index`; nil when the index is out of bounds.
    @inlinable
    package func element(at index: Int) -> Element? {
        index >= startIndex && index < endIndex ? self[index] : nil
    }

    /// The elements from `lower` up to, not including, `upper`. Both are clamped to the indices of the collection, and the result is
    /// empty when `upper` is not above `lower`.
    @inlinable
    package func clamped(from lower: Int, to upper: Int = .max) -> SubSequence {
        let start = Swift.min(Swift.max(lower, startIndex), endIndex)
        return self[start..<Swift.min(Swift.max(upper, start), endIndex)]
    }

    /// The elements from `lower` up to, not including, `upper`; nil when a bound is outside the collection or when `upper` is below
    /// `lower`.
    @inlinable
    package func slice(from lower: Int, to upper: Int) -> SubSequence? {
        lower >= startIndex && lower <= upper && upper <= endIndex ? self[lower..<upper] : nil
    }

    /// Whether the elements from `index` on begin with the elements of `other`.
    @inlinable
    package func has(_ other: some Collection<Element>, at index: Int) -> Bool where Element: Equatable {
        clamped(from: index).starts(with: other) && index >= startIndex
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes from `lower` up to, not including, `upper`; both are clamped to the buffer's size. They are clamped here because a
    /// subscript of a buffer does not check its bounds in release builds.
    @inlinable
    package func clampedBytes(from lower: Int, to upper: Int = .max) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: clamped(from: lower, to: upper))
    }
}

extension FixedWidthInteger {
    /// The sum of this number and `other`, clamped to the range of the type.
    @inlinable
    package func clampedAdding(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// This number minus `other`, clamped to the range of the type.
    @inlinable
    package func clampedSubtracting(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The product of this number and `other`, clamped to the range of the type.
    @inlinable
    package func clampedMultiplying(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
