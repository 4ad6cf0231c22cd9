import Identifiers

/// The kind of channel to which a message belongs (chat-protocol.md, section 5). The numbers are the vendor's; they appear in the server
/// API and in `ChannelType`.
public enum ChatConversationKind: Int, CaseIterable, Hashable, Sendable {
    case direct = 1
    case group = 3
    case open = 4
    case system = 6

    /// The name of the kind in frames.
    public var word: String {
        switch self {
        case .direct: "direct"
        case .group: "group"
        case .open: "open"
        case .system: "system"
        }
    }

    public init?(word: String) {
        guard let known = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = known
    }
}

/// A channel from the view of one user. In a direct conversation, `id` is the other user's id.
public struct ChatChannel: Hashable, Sendable {
    public var conversation: ChatConversationKind
    public var id: String

    public init(_ conversation: ChatConversationKind, _ id: String) {
        self.conversation = conversation
        self.id = id
    }

    /// Compares ids by their bytes (rule HB-11).
    public static func == (left: ChatChannel, right: ChatChannel) -> Bool {
        left.conversation == right.conversation && left.id.isExactly(right.id)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(conversation)
        hasher.combine(Identifier(id))
    }
}

/// The id of a message: a number that grows with time. Frames contain it as text (chat-protocol.md, section 5).
public struct ChatMessageID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id in units of 100 ns since 1970.
    public var rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Parses a decimal number of at most 20 digits; nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= 20, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = UInt64(text) else {
            return nil
        }
        rawValue = value
    }

    /// The time that is contained in the id, in milliseconds since 1970.
    public var time: Int64 { Int64(rawValue / 10_000) }

    public var description: String { String(rawValue) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
