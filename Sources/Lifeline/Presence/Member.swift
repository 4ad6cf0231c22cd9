#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A user who is present in a channel.
public struct Member: Hashable, Sendable, Identifiable {
    /// The user's id. A user who is connected twice is one member.
    public var id: String
    /// The service's data about the member, as JSON text, or nil.
    public var info: String?

    /// A member, such as the client's own user.
    public init(id: String, info: String? = nil) {
        self.id = id
        self.info = info
    }
}

extension Member {
    /// The service's data about the member, as a value.
    ///
    /// - Returns: nil when the service has no data.
    /// - Throws: ``LifelineError/Code/undecodable``. The error names the type, but not the data.
    public func decodeInfo<Value: Decodable>(as type: Value.Type = Value.self) throws(LifelineError) -> Value? {
        guard let info else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(info.utf8))
        } catch {
            throw LifelineError(.undecodable, "The member's data cannot be decoded as \(type).")
        }
    }
}

/// One change of a channel's members.
public struct PresenceChange: Hashable, Sendable {
    /// The kinds of changes. More may be added: switch over it with a `default`.
    public struct Action: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The action as a word, as in logs.
        public let rawValue: String

        /// An action by its word, also one that this version does not know.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same as ``rawValue``.
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
    /// The kind of change.
    public var action: Action
    /// The member, as known after the change.
    public var member: Member
    /// How many members are present after the change.
    public var count: Int

    /// A change, such as for tests of your own code.
    public init(channel: String, action: Action, member: Member, count: Int) {
        self.channel = channel
        self.action = action
        self.member = member
        self.count = count
    }
}
