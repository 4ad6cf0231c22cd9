/// A text that must never be printed: its description, its debug description and its mirror are `<redacted>`.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret in plain text. Use it for signatures only.
    public let revealed: String

    /// Makes a secret from a plain text.
    public init(_ text: String) {
        revealed = text
    }

    public init(stringLiteral text: String) {
        revealed = text
    }

    /// Returns the valid secrets: the current one and, while it is being replaced, the previous one.
    static func valid(_ current: Secret, _ previous: Secret?) -> [Secret] {
        guard let previous, !previous.revealed.utf8.elementsEqual(current.revealed.utf8) else { return [current] }
        return [current, previous]
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension [Secret] {
    /// The secrets in plain text. Use them for signatures only.
    public var revealed: [String] { map(\.revealed) }
}
