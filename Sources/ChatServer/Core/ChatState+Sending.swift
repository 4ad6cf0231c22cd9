import Identifiers
import ServerValues

// Checks whether users may send, change and read messages (rules CH-30 to CH-39).

/// The parts of a message that decide whether it may be sent.
package struct ChatDraft: Hashable, Sendable {
    /// The kind of the channel to which the message is sent.
    package var kind: ChatKind
    /// The receiver's id: of a user, a group or an open channel.
    package var to: Identifier
    /// The members of a group who receive the message; nil for all members.
    package var users: [Identifier]?
    /// The size of the content in bytes.
    package var contentBytes: Int
    /// Whether the message is for connected devices only.
    package var isStatus: Bool
    /// Whether the message is stored in the history.
    package var isPersisted: Bool

    package init(
        kind: ChatKind, to: Identifier, users: [Identifier]? = nil, contentBytes: Int, isStatus: Bool = false,
        isPersisted: Bool = true
    ) {
        self.kind = kind
        self.to = to
        self.users = users
        self.contentBytes = contentBytes
        self.isStatus = isStatus
        self.isPersisted = isPersisted
    }
}

/// The users whose inboxes receive an event.
package struct ChatRecipients: Hashable, Sendable {
    /// The users, each once. This is often the group's own array, which is shared and not copied.
    package var users: [Identifier]
    /// A user in `users` who does not receive the event: the sender, when the application does not synchronize devices.
    package var skipped: Identifier?
    /// The number of receivers without the sender.
    package var others: Int

    package init(_ users: [Identifier], skipping skipped: Identifier? = nil, others: Int) {
        self.users = users
        self.skipped = skipped
        self.others = others
    }
}

/// Says how a permitted message is stored and delivered. Its read receipts give `recipients.others` as the total number of possible
/// readers.
package struct ChatAdmission: Hashable, Sendable {
    /// The conversation in whose history the message is stored; nil for none.
    package var conversation: Identifier?
    /// The users who receive the message through their inboxes; empty for an open channel.
    package var recipients: ChatRecipients
    /// The event loops that have sessions in the open channel.
    package var eventLoopIDs = EventLoopSet()
}

/// The part of a conversation that a user may read.
package struct ChatHistoryAccess: Hashable, Sendable {
    /// The conversation.
    package var conversation: Identifier
    /// An id: the user may read only messages with higher ids. Messages up to this id belong to an earlier channel with the same name.
    package var floor: UInt64
}

extension ChatState {
    /// Checks whether a session may send a message, and counts the message against the session's quota.
    ///
    /// The receiver of a direct message need not be registered: the message waits in an inbox for the user's first session (rule CH-31).
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func admit(
        _ draft: ChatDraft, from sender: Identifier, session: UInt64, at now: Int64
    ) throws(ChatRefusal) -> ChatAdmission {
        try spend(.send, session: session, of: sender, at: now)
        guard draft.kind != .system else { throw .badArgument("Only the application's server may send system messages.") }
        let admission = try admission(of: draft, from: sender, checksBlocking: true)
        try checkSpeaking(draft.kind, draft.to, by: sender, at: now)
        if draft.kind == .direct, !draft.isStatus { try takeShare(ofInboxes: CollectionOfOne(draft.to), by: sender) }
        if draft.kind == .open { rooms.noteMessage(in: draft.to, at: now) }
        return admission
    }

    /// Checks a message that the application's server sends on behalf of a user. Membership and mutes are not checked.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package mutating func admitFromServer(
        _ draft: ChatDraft, from sender: Identifier, checksBlocking: Bool = false, at now: Int64
    ) throws(ChatRefusal) -> ChatAdmission {
        try ChatID.check(sender, "the sender")
        let admission = try admission(of: draft, from: sender, checksBlocking: checksBlocking)
        if draft.kind == .open { rooms.noteMessage(in: draft.to, at: now) }
        return admission
    }

    private func admission(
        of draft: ChatDraft, from sender: Identifier, checksBlocking: Bool
    ) throws(ChatRefusal) -> ChatAdmission {
        guard draft.contentBytes <= application.limits.contentBytes else {
            throw ChatRefusal(
                ChatCode.tooLarge, "The content of a message may have at most \(application.limits.contentBytes) bytes.")
        }
        guard draft.users == nil || draft.kind == .group else {
            throw .badArgument("Only a message to a group may be limited to some members (users).")
        }
        try ChatID.check(draft.to, "the receiver")
        let isKept = draft.isPersisted && !draft.isStatus
        if checksBlocking { try checkReaching(draft.kind, draft.to, by: sender) }
        if draft.kind == .open {
            guard let eventLoopIDs = rooms.eventLoopIDs(of: draft.to) else { throw Self.noSuchOpenChannel }
            return ChatAdmission(
                conversation: isKept ? ChatConversation.key(.open, of: draft.to) : nil,
                recipients: ChatRecipients([], others: rooms.count(of: draft.to)), eventLoopIDs: eventLoopIDs)
        }
        if draft.kind != .group { try checkRoom(forInboxesOf: CollectionOfOne(draft.to)) }
        let recipients = try recipients(draft.kind, draft.to, of: sender, users: draft.users)
        let first = draft.kind == .group ? draft.to : sender
        return ChatAdmission(
            conversation: isKept ? ChatConversation.key(draft.kind, of: first, and: draft.to) : nil, recipients: recipients)
    }

    /// Returns the users who receive changes that `sender` makes in a channel, such as recalls, edits and changes of metadata.
    ///
    /// - Parameters:
    ///   - kind: the kind of channel.
    ///   - channel: the channel's id.
    ///   - sender: the sender's user id.
    ///   - users: the members of a group that a message was meant for; nil for all.
    /// - Throws: ``ChatRefusal``, with the reason.
    package func recipients(
        _ kind: ChatKind, _ channel: Identifier, of sender: Identifier, users: [Identifier]? = nil
    ) throws(ChatRefusal) -> ChatRecipients {
        let syncs = application.syncsDevices
        switch kind {
        case .direct:
            let isOwn = channel == sender
            return ChatRecipients(syncs && !isOwn ? [channel, sender] : [channel], others: isOwn ? 0 : 1)
        case .system:
            return ChatRecipients([channel], others: 1)
        case .open:
            return ChatRecipients([], others: rooms.count(of: channel))
        case .group:
            guard groups[channel] != nil else { throw Self.noSuchGroup }
            let isMember = groups.member(sender, of: channel) != nil
            guard let users else {
                let all = groups.users(of: channel)
                return ChatRecipients(
                    all, skipping: syncs || !isMember ? nil : sender, others: all.count - (isMember ? 1 : 0))
            }
            var chosen: [Identifier] = []
            var seen: Set<Identifier> = [sender]
            for user in users where groups.member(user, of: channel) != nil && seen.insert(user).inserted { chosen.append(user) }
            return ChatRecipients(syncs && isMember ? chosen + [sender] : chosen, others: chosen.count)
        }
    }

    /// Checks whether the other user of a direct conversation accepts messages of `sender`. Throws 405 if that user has blocked the sender.
    private func checkReaching(_ kind: ChatKind, _ channel: Identifier, by sender: Identifier) throws(ChatRefusal) {
        guard kind == .direct, restrictions.contains(.blocked, in: .user(channel), user: sender, at: .min) else { return }
        throw ChatRefusal(ChatCode.blockedByReceiver, "The receiver has blocked the sender.")
    }

    /// Checks whether a user may send messages to a channel, that is, is a member and not muted (rules CH-30, CH-32 and CH-34).
    func checkSpeaking(
        _ kind: ChatKind, _ channel: Identifier, by sender: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        let isMutedEverywhere = restrictions.contains(.muted, in: .all(kind), user: sender, at: now)
        switch kind {
        case .direct, .system:
            guard !isMutedEverywhere else {
                throw ChatRefusal(ChatCode.mutedInDirect, "The sender is muted in all direct conversations.")
            }
        case .group:
            guard let member = groups.member(sender, of: channel) else {
                throw ChatRefusal(ChatCode.notInGroup, "The sender is not a member of the group.")
            }
            let scope = ChatRestrictions.Scope.channel(.group, channel)
            let isSilent =
                groups[channel]?.isMuted == true && member.role == .member
                && !restrictions.contains(.allowed, in: scope, user: sender, at: now)
            guard !isMutedEverywhere, !isSilent, !restrictions.contains(.muted, in: scope, user: sender, at: now) else {
                throw ChatRefusal(ChatCode.mutedInGroup, "The sender is muted in the group.")
            }
        case .open:
            try checkInside(channel, sender, at: now)
            let scope = ChatRestrictions.Scope.channel(.open, channel)
            let isSilent =
                rooms[channel]?.isMuted == true && !restrictions.contains(.allowed, in: scope, user: sender, at: now)
            guard !isMutedEverywhere, !isSilent, !restrictions.contains(.muted, in: scope, user: sender, at: now) else {
                throw ChatRefusal(ChatCode.mutedInOpenChannel, "The sender is muted in the open channel.")
            }
        }
    }

    /// Checks whether a user is in an open channel. Throws 23409 for a banned user, 23410 for an unknown channel and 23406 for a user who
    /// has not entered.
    func checkInside(_ channel: Identifier, _ user: Identifier, at now: Int64) throws(ChatRefusal) {
        guard rooms[channel] != nil else { throw Self.noSuchOpenChannel }
        guard rooms.isInside(channel, user) else {
            guard !restrictions.contains(.barred, in: .channel(.open, channel), user: user, at: now) else { throw Self.barred }
            throw ChatRefusal(ChatCode.notInOpenChannel, "The user is not in the open channel: enter the channel first.")
        }
    }

    // MARK: Later changes

    /// Checks whether `actor` may recall a message of `sender`, and returns the users to notify. Throws 25107 for another user's message if
    /// users may recall only their own.
    ///
    /// Users who are muted or blocked may recall their own messages, because a recall has no content. Recalling another user's message
    /// requires permission to send.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func admitRecall(
        by actor: ChatActor, of sender: Identifier, in kind: ChatKind, _ channel: Identifier, users: [Identifier]? = nil,
        at now: Int64
    ) throws(ChatRefusal) -> ChatRecipients {
        if !actor.isServer {
            try checkTakingPart(by: actor.user, kind, channel, at: now)
            guard actor.user == sender || !application.recallsOwnOnly else {
                throw ChatRefusal(ChatCode.notOwnMessage, "Only the sender may recall a message.")
            }
            if actor.user != sender { try checkChanging(by: actor.user, kind, channel, at: now) }
        }
        return try recipients(kind, channel, of: actor.user, users: users.map { $0 + [sender] })
    }

    /// Checks whether `actor` may edit a message of `sender` that was sent at `sent` (in ms). Throws 25107 for another user's message and
    /// 20114 for a message that is too old.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func admitEdit(
        by actor: ChatActor, of sender: Identifier, sent: Int64, contentBytes: Int, in kind: ChatKind, _ channel: Identifier,
        users: [Identifier]? = nil, at now: Int64
    ) throws(ChatRefusal) -> ChatRecipients {
        guard contentBytes <= application.limits.contentBytes else {
            throw ChatRefusal(
                ChatCode.tooLarge, "The content of a message may have at most \(application.limits.contentBytes) bytes.")
        }
        guard kind != .system else { throw .badArgument("System messages cannot be edited.") }
        if !actor.isServer {
            try checkTakingPart(by: actor.user, kind, channel, at: now)
            guard actor.user == sender else { throw ChatRefusal(ChatCode.notOwnMessage, "Only the sender may edit a message.") }
            guard now - sent <= Int64(application.limits.modifiableMinutes) * 60_000 else {
                throw ChatRefusal(ChatCode.tooLateToEdit, "The message is too old to be edited.")
            }
            try checkChanging(by: actor.user, kind, channel, at: now)
        }
        return try recipients(kind, channel, of: actor.user, users: users)
    }

    /// Checks whether `actor` may change a message's metadata, and returns the users to notify. Only messages of direct conversations and
    /// groups have metadata.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func admitMetadata(
        by actor: ChatActor, of sender: Identifier, in kind: ChatKind, _ channel: Identifier, users: [Identifier]? = nil,
        at now: Int64
    ) throws(ChatRefusal) -> ChatRecipients {
        guard kind == .direct || kind == .group else {
            throw .badArgument("Only messages in direct conversations and groups have metadata.")
        }
        if !actor.isServer {
            try checkTakingPart(by: actor.user, kind, channel, at: now)
            try checkChanging(by: actor.user, kind, channel, at: now)
        }
        return try recipients(kind, channel, of: actor.user, users: users.map { $0 + [sender] })
    }

    /// Checks whether a user may change messages of a channel at all. The check does not depend on the message, so it is made before the
    /// message is read.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func checkChanging(
        _ actor: ChatActor, in kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        guard !actor.isServer else { return }
        try checkTakingPart(by: actor.user, kind, channel, at: now)
        if kind != .system { try checkChanging(by: actor.user, kind, channel, at: now) }
    }

    /// Checks whether a user is a member of a channel. The application's server counts as a member of all channels.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func checkTakingPart(
        _ actor: ChatActor, in kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        if !actor.isServer { try checkTakingPart(by: actor.user, kind, channel, at: now) }
    }

    /// Checks permission to send. A later change of a message requires this permission as well, because other users are notified of the
    /// change (rule CH-102).
    private func checkChanging(
        by user: Identifier, _ kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        try checkReaching(kind, channel, by: user)
        try checkSpeaking(kind, channel, by: user, at: now)
    }

    /// Checks whether `user` may send read receipts. Muted users may send them.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func admitReceipt(
        by user: Identifier, in kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        try checkReceipts(by: user, in: kind, channel, at: now)
        try checkReaching(kind, channel, by: user)
    }

    /// Checks whether `user` may send and request read receipts in a channel. Only direct conversations and groups have receipts.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func checkReceipts(
        by user: Identifier, in kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        guard kind == .direct || kind == .group else {
            throw .badArgument("Only messages in direct conversations and groups have read receipts.")
        }
        try checkTakingPart(by: user, kind, channel, at: now)
    }

    /// The part of a channel's history that `user` may read.
    ///
    /// - Throws: ``ChatRefusal``, with the reason.
    package func admitHistory(
        of kind: ChatKind, _ channel: Identifier, by user: Identifier, at now: Int64
    ) throws(ChatRefusal) -> ChatHistoryAccess {
        try checkTakingPart(by: user, kind, channel, at: now)
        return historyAccess(of: kind, channel, by: user)
    }

    /// The part of a channel's history that the application's server may read, on behalf of `user`.
    package func historyAccess(of kind: ChatKind, _ channel: Identifier, by user: Identifier) -> ChatHistoryAccess {
        switch kind {
        case .direct: ChatHistoryAccess(conversation: ChatConversation.key(.direct, of: user, and: channel), floor: 0)
        case .system: ChatHistoryAccess(conversation: ChatConversation.key(.system, of: channel, and: user), floor: 0)
        case .group:
            ChatHistoryAccess(
                conversation: ChatConversation.key(.group, of: channel), floor: Self.floor(groups[channel]?.created))
        case .open:
            ChatHistoryAccess(conversation: ChatConversation.key(.open, of: channel), floor: Self.floor(rooms[channel]?.created))
        }
    }

    private static func floor(_ created: Int64?) -> UInt64 {
        guard let created, created > 0, created < Int64.max / 10_000 else { return 0 }
        return UInt64(created) * 10_000 - 1
    }

    private func checkTakingPart(
        by user: Identifier, _ kind: ChatKind, _ channel: Identifier, at now: Int64
    ) throws(ChatRefusal) {
        try ChatID.check(channel, "the channel")
        switch kind {
        case .direct, .system: break
        case .group:
            guard groups.member(user, of: channel) != nil else {
                throw ChatRefusal(ChatCode.notInGroup, "The user is not a member of the group.")
            }
        case .open: try checkInside(channel, user, at: now)
        }
    }

    static let noSuchGroup = ChatRefusal(ChatCode.noSuchGroup, "There is no group with this id.")
    static let noSuchOpenChannel = ChatRefusal(ChatCode.noSuchOpenChannel, "There is no open channel with this id.")
    static let barred = ChatRefusal(ChatCode.bannedFromOpenChannel, "The user is banned from the open channel.")
}
