/// What travels: one line of chat.
public struct Line: Codable, Hashable, Sendable {
    public var from: String
    public var text: String

    public init(from: String, text: String) {
        self.from = from
        self.text = text
    }
}

/// One row of the list that the app shows.
public struct Row: Hashable, Sendable, Identifiable {
    /// What a row says.
    public enum Content: Hashable, Sendable {
        case line(Line)
        /// Messages may be missing here. The app cannot know, and says so.
        case gap
        /// Something came that is no line of chat.
        case unreadable
    }

    public let id: Int
    public var content: Content
}

/// A line that the user has written.
public struct OutgoingLine: Hashable, Sendable, Identifiable {
    /// What became of it.
    public enum State: Hashable, Sendable {
        case sending
        /// The service has it.
        case accepted
        /// Nobody will see it; the reason is for the user.
        case refused(String)
        /// Nobody knows: it may be there or not. Sending it again may double it.
        case unknown
    }

    public let id: Int
    public var text: String
    public var state: State
}
