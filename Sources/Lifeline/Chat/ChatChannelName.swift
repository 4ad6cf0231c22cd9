import ChatProtocol

extension ChatChannel {
    /// Parses a service-independent channel name, such as `group:team` (rule NP-23).
    init(name: String) throws(LifelineError) {
        var conversation = ChatConversationKind.open
        var id = name[...]
        if let colon = name.firstIndex(of: ":"), let known = ChatConversationKind(word: String(name[..<colon])) {
            conversation = known
            id = name[name.index(after: colon)...]
        }
        guard ChatProtocolLimits.accepts(id: String(id)) else {
            throw LifelineError(.badRequest, "The channel's id is invalid: it must have 1 to 64 characters.")
        }
        self.init(conversation, String(id))
    }

    /// Whether the channel's messages arrive in the user's inbox: direct, group and system channels. Open channels have no inbox.
    var isInInbox: Bool { conversation != .open }
}
