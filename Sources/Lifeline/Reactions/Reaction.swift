import ConnectionEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user's reaction to a message, such as a thumb or a heart. A user has each reaction to a message at most once.
public struct Reaction: Hashable, Sendable {
    /// The name of the reaction, such as `👍`, exactly as it was added.
    public var name: String
    /// The ``Message/id`` of the message to which the user has reacted.
    public var messageID: String
    /// The id of the user who has reacted, as the service verified it.
    public var user: String
    /// When the service accepted the reaction, by the service's clock; for display only. Nil when the service does not send the time.
    public var addedAt: Date?

    /// Makes a reaction, such as for tests of your own code.
    public init(_ name: String, messageID: String, user: String, addedAt: Date? = nil) {
        self.name = name
        self.messageID = messageID
        self.user = user
        self.addedAt = addedAt
    }
}

/// A change of the reactions to a channel's messages: added, removed, or possibly missed.
public enum ReactionChange: Hashable, Sendable {
    /// A user has added a reaction to a message. The user may be this client's own.
    case added(Reaction)
    /// A user has removed a reaction from a message.
    case removed(Reaction)
    /// Changes may be missing here: load the reactions to the messages that you show with ``Channel/reactions(to:)``.
    case missed(Gap)
}
