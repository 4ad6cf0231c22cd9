/// The epoch of all inboxes of an application, an opaque text for clients. It is a name, followed after a loss of data by `-` and
/// the position after which inboxes continue (rule CH-26).
package struct ChatEpoch: Hashable, Sendable {
    /// The text that clients get.
    package let text: String
    /// No position up to this one is assigned again.
    let base: UInt64

    private var root: Substring { text.prefix { $0 != "-" } }

    /// Parses the text of an epoch.
    package init(_ text: String) {
        self.text = text
        base = text.lastIndex(of: "-").flatMap { UInt64(text[text.index(after: $0)...]) } ?? 0
    }

    /// The next epoch after inboxes have lost their latest entries, which may have been delivered.
    ///
    /// - Parameter last: the highest position of any inbox that is still known.
    package func afterLoss(last: UInt64) -> ChatEpoch {
        ChatEpoch("\(root)-\(max(last, base) + Self.leap)")
    }

    /// Whether positions of the other epoch belong to the same inboxes, up to a loss.
    func continues(_ other: String) -> Bool { root == ChatEpoch(other).root }

    /// More positions than can have been assigned and lost.
    private static var leap: UInt64 { 1_000_000 }
}
