import ConnectionEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user's reaction to a message, such as a thumb or a heart. A user has each reaction to a message at most once.
public struct Reaction: Hashable, Sendable {
    /// The reaction, such as `👍`, exactly as it was given.
    public var name: String
    /// The ``Message/id`` of the message.
    public var messageID: String
    /// The id of the user, as the service verified it.
    public var user: String
    /// When the service accepted it, by the service's clock; for display only.
    public var addedAt: Date?

    /// A reaction, such as for tests of your own code.
    public init(_ name: String, messageID: String, user: String, addedAt: Date? = nil) {
        self.name = name
        self.messageID = messageID
        self.user = user
        self.addedAt = addedAt
    }
}

/// A change of the reactions to a channel's messages.
public enum ReactionChange: Hashable, Sendable {
    /// A user, who may be this client's own, has reacted to a message.
    case added(Reaction)
    /// A user has removed a reaction.
    case removed(Reaction)
    /// Changes may be missing here: ask for the reactions of the messages that you show with ``Channel/reactions(to:)``.
    case missed(Gap)
}
