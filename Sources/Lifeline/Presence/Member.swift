/// Somebody who is present in a channel.
public struct Member: Hashable, Sendable, Identifiable {
    /// The user's id. A user who is connected twice is one member.
    public var id: String
    /// What the service knows about the member, as JSON text, or nil.
    public var info: String?

    /// A member. For a client itself: who it is.
    public init(id: String, info: String? = nil) {
        self.id = id
        self.info = info
    }
}

/// One change of who is present in a channel.
public struct PresenceChange: Hashable, Sendable {
    /// What happened. An open set: switch over it with a `default`.
    public struct Action: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word for it, as in logs.
        public let rawValue: String

        /// One that this version may not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
        public var description: String { rawValue }

        /// The member is there now.
        public static let join = Action(rawValue: "join")
        /// The member is gone.
        public static let leave = Action(rawValue: "leave")
        /// What is known about the member has changed.
        public static let update = Action(rawValue: "update")
    }

    /// Where it happened.
    public var channel: String
    /// What happened.
    public var action: Action
    /// Who it is about, as known after the change.
    public var member: Member
    /// How many members are there after the change.
    public var count: Int

    /// A change, such as for tests of your own code.
    public init(channel: String, action: Action, member: Member, count: Int) {
        self.channel = channel
        self.action = action
        self.member = member
        self.count = count
    }
}
