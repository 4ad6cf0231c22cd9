/// A text that must never be printed: its description, its debug description and its mirror say `<redacted>`.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text itself, for signatures only.
    public let revealed: String

    public init(_ text: String) {
        revealed = text
    }

    public init(stringLiteral text: String) {
        revealed = text
    }

    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
