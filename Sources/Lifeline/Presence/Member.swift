#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user who is present in a channel.
public struct Member: Hashable, Sendable, Identifiable {
    /// The user's id. A user with several connections is one member.
    public var id: String
    /// The service's data about the member, as JSON text; nil when the service has none.
    public var info: String?

    /// Makes a member, such as the client's own user.
    public init(id: String, info: String? = nil) {
        self.id = id
        self.info = info
    }
}

extension Member {
    /// Decodes the service's data about the member.
    ///
    /// - Returns: nil when the service has no data.
    /// - Throws: ``LifelineError/Code/undecodable``. The error names the type, but not the data.
    public func decodeInfo<Value: Decodable>(as type: Value.Type = Value.self) throws(LifelineError) -> Value? {
        guard let info else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(info.utf8))
        } catch {
            throw LifelineError(
                .undecodable, "The member's data cannot be decoded as \(type). Compare the type with the JSON in `info`.")
        }
    }
}

/// A change of a channel's members: a join, a leave or new data.
public struct PresenceChange: Hashable, Sendable {
    /// The kinds of changes. More may be added: switch over an action with a `default`.
    public struct Action: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The action's identifier, such as `join`; it also appears in logs.
        public let rawValue: String

        /// Makes an action from its identifier. An identifier that this version does not define is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The action as text: its ``rawValue``.
        public var description: String { rawValue }

        /// The member joined.
        public static let join = Action(rawValue: "join")
        /// The member left.
        public static let leave = Action(rawValue: "leave")
        /// The member's data changed.
        public static let update = Action(rawValue: "update")
    }

    /// The channel.
    public var channel: String
    /// Whether the member joined, left or changed its data.
    public var action: Action
    /// The member, with the data that the client has after the change.
    public var member: Member
    /// The number of members in the channel after the change.
    public var count: Int

    /// Makes a change, such as for tests of your own code.
    public init(channel: String, action: Action, member: Member, count: Int) {
        self.channel = channel
        self.action = action
        self.member = member
        self.count = count
    }
}
