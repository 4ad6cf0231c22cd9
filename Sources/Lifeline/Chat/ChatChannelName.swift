import ChatProtocol

extension ChatChannel {
    /// Reads a neutral channel name (rule NP-23).
    init(name: String) throws(LifelineError) {
        var conversation = ChatConversationKind.open
        var id = name[...]
        if let colon = name.firstIndex(of: ":"), let known = ChatConversationKind(word: String(name[..<colon])) {
            conversation = known
            id = name[name.index(after: colon)...]
        }
        guard ChatProtocolLimits.accepts(id: String(id)) else {
            throw LifelineError(.badRequest, "The channel's name cannot be used: its id must have 1 to 64 characters.")
        }
        self.init(conversation, String(id))
    }

    /// Whether the channel's messages arrive in the user's inbox.
    var isInInbox: Bool { conversation != .open }
}
