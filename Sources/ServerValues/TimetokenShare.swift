/// The tokens that one of several clocks may give out: those with its remainder when divided by the number of shares.
///
/// Clocks with different shares of one number never give out the same token, whatever their times are.
package struct TimetokenShare: Hashable, Sendable {
    /// Every token.
    package static let all = TimetokenShare(0, of: 1)

    private let remainder: UInt64
    private let count: UInt64

    /// - Parameters:
    ///   - number: the number of the share, from 0 on. Numbers that differ by a multiple of `count` mean the same share.
    ///   - count: the number of shares.
    package init(_ number: Int, of count: Int) {
        self.count = UInt64(max(count, 1))
        remainder = UInt64(max(number, 0)) % self.count
    }

    /// The first token of the share that is not less than `lowest`, or its last one where there is none.
    package func first(from lowest: UInt64) -> UInt64 {
        // The last `count` numbers have one token of each share, so no sum is beyond them.
        let lowest = min(lowest, .max - (count - 1))
        let distance = lowest % count
        return lowest + (remainder >= distance ? remainder - distance : count - distance + remainder)
    }
}
