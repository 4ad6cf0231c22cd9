/// A subset of all tokens, so that several clocks can assign tokens without duplicates. Divided by the number of clocks, all tokens of a
/// subset leave the same remainder.
///
/// Clocks with different subsets never assign the same token, even if their times differ.
package struct TimetokenShare: Hashable, Sendable {
    /// Every token.
    package static let all = TimetokenShare(0, of: 1)

    private let remainder: UInt64
    private let count: UInt64

    /// - Parameters:
    ///   - number: the number of the subset, from 0 on. Numbers that differ by a multiple of `count` mean the same subset.
    ///   - count: the number of subsets.
    package init(_ number: Int, of count: Int) {
        self.count = UInt64(max(count, 1))
        remainder = UInt64(max(number, 0)) % self.count
    }

    /// Returns the lowest token of the subset that is not less than `lowest`; the highest token of the subset if there is none.
    package func first(from lowest: UInt64) -> UInt64 {
        // The highest `count` numbers contain one token of each subset, so the sum below cannot overflow.
        let lowest = min(lowest, .max - (count - 1))
        let distance = lowest % count
        return lowest + (remainder >= distance ? remainder - distance : count - distance + remainder)
    }
}
