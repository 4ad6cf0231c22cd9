import Identifiers

/// The kind of a conversation. The raw values are used in the protocol and in stored documents.
package enum ChatKind: String, Codable, CaseIterable, Hashable, Sendable {
    /// The kinds: direct conversations of two users, groups, open channels, and system messages.
    case direct, group, open, system

    /// The text by which stored documents refer to a channel of this kind, such as `group:` and the group's id. With nil as `id`, it refers
    /// to all channels of the kind.
    func scope(_ id: Identifier?) -> Identifier {
        Identifier(id.map { "\(rawValue):\($0.text)" } ?? rawValue)
    }

    /// The reverse of ``scope(_:)``. It divides the text at the byte of `:`, not at the character, because an accent at the beginning of
    /// the id combines with `:` to another character.
    static func target(ofScope scope: Identifier) -> (kind: ChatKind, id: Identifier?)? {
        let bytes = scope.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        guard let kind = ChatKind(rawValue: String(decoding: bytes[..<(colon ?? bytes.endIndex)], as: UTF8.self)) else {
            return nil
        }
        return (kind, colon.map { Identifier(String(decoding: bytes[bytes.index(after: $0)...], as: UTF8.self)) })
    }
}

/// Makes the keys of conversations, under which stores keep their histories.
package enum ChatConversation {
    /// The key of a conversation.
    ///
    /// The key of a direct conversation has its two users `a` and `b`, in any order. For groups and open channels, `a` is the channel. For
    /// system messages, `a` is the sender and `b` the receiver. Two conversations never share a key, whatever characters except control
    /// characters their ids contain (rule CH-2).
    package static func key(_ kind: ChatKind, of a: Identifier, and b: Identifier = "") -> Identifier {
        switch kind {
        case .direct:
            Identifier(a < b ? "direct:\(a.text)\u{1F}\(b.text)" : "direct:\(b.text)\u{1F}\(a.text)")
        case .group: Identifier("group:\(a.text)")
        case .open: Identifier("open:\(a.text)")
        case .system: Identifier("system:\(a.text)\u{1F}\(b.text)")
        }
    }
}

/// The format of ids of users, devices, groups and open channels.
package enum ChatID {
    /// The maximum length of an id in characters.
    package static let maximumLength = 64

    /// Whether a text has 1 … 64 characters, none of them a control character (rule CH-1).
    package static func isValid(_ id: Identifier) -> Bool {
        guard !id.isEmpty, id.utf8.count <= maximumLength || id.text.unicodeScalars.count <= maximumLength else { return false }
        return id.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    static func check(_ id: Identifier, _ what: String) throws(ChatRefusal) {
        guard isValid(id) else {
            throw .badArgument("The id of \(what) must have 1 to 64 characters, and no control characters.")
        }
    }

    static func check(_ ids: [Identifier], _ what: String, limit: Int = 100) throws(ChatRefusal) {
        guard (1...limit).contains(ids.count) else { throw .badArgument("1 to \(limit) ids may be given at a time.") }
        for id in ids { try check(id, what) }
    }
}

/// The id of a signed-in user's connection.
package struct ChatSessionID: Hashable, Sendable {
    /// The number of the session, unique within a process.
    package var id: UInt64
    /// The number of the connection's event loop, for ``EventLoopSet``.
    package var eventLoopID: Int

    package init(id: UInt64, eventLoopID: Int) {
        self.id = id
        self.eventLoopID = eventLoopID
    }
}

/// The author of a request: a user, or the application's own server, which has all rights.
package struct ChatActor: Hashable, Sendable {
    /// The acting user, or the user on whose behalf the server acts.
    package var user: Identifier
    /// Whether the application's server makes the request. It has more rights than a user.
    package var isServer: Bool

    /// The author of a user's own request.
    package static func user(_ user: Identifier) -> ChatActor { ChatActor(user: user, isServer: false) }
    /// The author of a request that the application's server makes on behalf of a user, or of no user.
    package static func server(as user: Identifier = "") -> ChatActor { ChatActor(user: user, isServer: true) }
}
