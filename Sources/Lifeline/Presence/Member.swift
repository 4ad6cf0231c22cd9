/// Somebody who is present in a channel.
public struct Member: Hashable, Sendable, Identifiable {
    /// The user's id. A user who is connected twice is one member.
    public var id: String
    /// What the service knows about the member, as JSON text, or nil.
    public var info: String?

    public init(id: String, info: String? = nil) {
        self.id = id
        self.info = info
    }
}

/// One change of who is present in a channel.
public struct PresenceChange: Hashable, Sendable {
    /// What happened. An open set: switch over it with a `default`.
    public struct Action: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public var description: String { rawValue }

        /// The member is there now.
        public static let join = Action(rawValue: "join")
        /// The member is gone.
        public static let leave = Action(rawValue: "leave")
        /// What is known about the member has changed.
        public static let update = Action(rawValue: "update")
    }

    public var channel: String
    public var action: Action
    public var member: Member
    /// How many members are there after the change.
    public var count: Int

    public init(channel: String, action: Action, member: Member, count: Int) {
        self.channel = channel
        self.action = action
        self.member = member
        self.count = count
    }
}
