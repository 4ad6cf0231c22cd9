/// A text that must never be printed: its description, its debug description and its mirror are `<redacted>`.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself, for signatures only.
    public let revealed: String

    /// A secret with a text.
    public init(_ text: String) {
        revealed = text
    }

    public init(stringLiteral text: String) {
        revealed = text
    }

    /// The secrets that are valid at a time: the current one and, while it is being replaced, the previous one.
    static func valid(_ current: Secret, _ previous: Secret?) -> [Secret] {
        guard let previous, !previous.revealed.utf8.elementsEqual(current.revealed.utf8) else { return [current] }
        return [current, previous]
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension [Secret] {
    /// The texts themselves, for signatures only.
    public var revealed: [String] { map(\.revealed) }
}
