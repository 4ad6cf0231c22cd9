/// The epoch of all inboxes of an application: an opaque text for clients. It consists of a name. After a loss of data, the name is
/// followed by `-` and the position after which the inboxes assign new positions (rule CH-26).
package struct ChatEpoch: Hashable, Sendable {
    /// The text of the epoch, which clients get with each inbox position.
    package let text: String
    /// The position after which inboxes assign new positions; 0 unless data was lost.
    let base: UInt64

    private var root: Substring { text.prefix { $0 != "-" } }

    /// Parses the text of an epoch.
    package init(_ text: String) {
        self.text = text
        base = text.lastIndex(of: "-").flatMap { UInt64(text[text.index(after: $0)...]) } ?? 0
    }

    /// The next epoch, after inboxes have lost their latest entries, although devices may already have received these entries.
    ///
    /// - Parameter last: the highest position of any inbox that the store still has.
    package func afterLoss(last: UInt64) -> ChatEpoch {
        ChatEpoch("\(root)-\(max(last, base) + Self.leap)")
    }

    /// Whether this epoch and the other one have the same name, so that positions of the other epoch are still meaningful, also after a
    /// loss of data.
    func continues(_ other: String) -> Bool { root == ChatEpoch(other).root }

    /// The number of positions to skip after a loss of data: more than can have been assigned and lost.
    private static var leap: UInt64 { 1_000_000 }
}
