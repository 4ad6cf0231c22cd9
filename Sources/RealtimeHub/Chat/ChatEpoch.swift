/// The epoch of all inboxes of an application, an opaque text for clients. It is a name, followed after a loss of data by `-` and the
/// place after which inboxes continue (rule CH-26).
public struct ChatEpoch: Hashable, Sendable {
    /// The text that clients get.
    public let text: String
    /// No place up to this one is given out any more.
    let base: UInt64

    private var root: Substring { text.prefix { $0 != "-" } }

    /// An epoch with its text.
    public init(_ text: String) {
        self.text = text
        base = text.lastIndex(of: "-").flatMap { UInt64(text[text.index(after: $0)...]) } ?? 0
    }

    /// The epoch after one whose inboxes have lost their latest entries, which may have been delivered.
    ///
    /// - Parameter last: the highest place of any inbox that is still known.
    public func afterLoss(last: UInt64) -> ChatEpoch {
        ChatEpoch("\(root)-\(max(last, base) + Self.leap)")
    }

    /// Whether places of the other epoch are of the same inboxes, up to a loss.
    func continues(_ other: String) -> Bool { root == ChatEpoch(other).root }

    /// More places than can have been given out and lost.
    private static var leap: UInt64 { 1_000_000 }
}
