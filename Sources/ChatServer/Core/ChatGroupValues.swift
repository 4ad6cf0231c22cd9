import ChatProtocol
import Identifiers
import ServerStorage

/// A change of a group's members or owner, as it is sent to the members.
package struct ChatGroupChange: Hashable, Sendable {
    /// The kind of operation that caused the change.
    package var operation: ChatGroupOperation.Kind
    /// The group after the change; a dismissed group as it was before.
    package var group: ChatDocument.Group
    /// The number of members after the change.
    package var memberCount: Int
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// The affected members.
    package var members: [ChatDocument.Member]
    /// The time of the change, in milliseconds since 1970.
    package var time: Int64
    /// All members, and former members that the change removed. They receive the event.
    package var recipients: ChatRecipients
}

/// A change of a group's properties.
package struct ChatGroupInfoChange: Hashable, Sendable {
    /// The group after the change.
    package var group: ChatDocument.Group
    /// The group's number of members.
    package var memberCount: Int
    /// The protocol names of the changed properties, in alphabetical order.
    package var changed: [String]
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// The time of the change, in milliseconds since 1970.
    package var time: Int64
    /// The users who receive the event.
    package var recipients: ChatRecipients
}

/// A change of a member's profile in a group.
package struct ChatMemberChange: Hashable, Sendable {
    /// The member after the change.
    package var member: ChatDocument.Member
    /// The user who made the change; empty for the application's server.
    package var `operator`: Identifier
    /// The time of the change, in milliseconds since 1970.
    package var time: Int64
    /// The users who receive the event.
    package var recipients: ChatRecipients
}

/// A group with its number of members.
package struct ChatGroupInfo: Hashable, Sendable {
    /// The group.
    package var group: ChatDocument.Group
    /// The group's number of members.
    package var memberCount: Int
}
