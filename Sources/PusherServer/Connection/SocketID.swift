/// The public id of a connection: two numbers with a dot between them.
///
/// An application signs subscriptions for a socket id, so nobody may be able to guess the id of another connection. An id has 79 random
/// bits from the system's generator (rule SP-2).
package struct SocketID: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    /// The exclusive upper bound of each number. Numbers below it are exact in clients that parse them as floating-point.
    private static let bound: UInt64 = 1_000_000_000_000

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A placeholder for an unknown connection; no connection has this id.
    static let unnamed = SocketID(high: 0, low: 0)

    package init(using random: inout some RandomNumberGenerator) {
        high = UInt64.random(in: 1..<Self.bound, using: &random)
        low = UInt64.random(in: 1..<Self.bound, using: &random)
    }

    /// Parses the result of `description`. Other spellings of the numbers, such as leading zeros, are refused.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let high = UInt64(parts[0]), let low = UInt64(parts[1]) else { return nil }
        self.init(high: high, low: low)
        guard description == text else { return nil }
    }

    package var description: String { "\(high).\(low)" }
}
