import ChatProtocol
import ConnectionEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Events of channels.
extension ChatEventTranslation {
    /// Handles events of the user's inbox. After the first inbox channel has been requested, all events are acknowledged at once, and
    /// events of channels that were not requested are dropped (rule NP-26).
    mutating func receive(_ items: [ChatInboxItem], at now: Moment, into report: inout Report) {
        guard wantsInbox else {
            unclaimedSince = unclaimedSince ?? now
            unclaimed += items
            if unclaimed.count > Self.heldLimit {
                unclaimed.removeFirst(unclaimed.count - Self.heldLimit)
                hasDroppedUnclaimed = true
            }
            return
        }
        for item in items { take(item.event, at: now, into: &report) }
        guard let epoch, let last = items.last?.sequence else { return }
        report.tasks.append(.acknowledge(ChatPlace(epoch: epoch, sequence: last)))
    }

    /// Called with the first subscription to an inbox channel: delivers the inbox events that arrived before it.
    mutating func claimInbox(at now: Moment, into report: inout Report) {
        guard !wantsInbox else { return }
        wantsInbox = true
        let items = unclaimed
        // The server never repeats acknowledged events, and the acknowledgement that follows also covers the events that were dropped here.
        // The dropped events are therefore reported as gaps (rule NP-31).
        if hasDroppedUnclaimed { for channel in order where channel.isInInbox { gap(channel, unclaimedSince, into: &report) } }
        (unclaimed, unclaimedSince, hasDroppedUnclaimed) = ([], nil, false)
        if !items.isEmpty { receive(items, at: now, into: &report) }
    }

    mutating func take(_ event: ChatWireEvent, at now: Moment, into report: inout Report) {
        switch event {
        case .message(let message): take(message, at: now, into: &report)
        case .group(let operation): take(operation, into: &report)
        case .openMembers(let channel, let actions, _, _): take(actions, in: ChatChannel(.open, channel), into: &report)
        case .openDestroyed(let channel, _, _):
            let error = LifelineError(
                .refused, ChatErrorCode.noSuchOpenChannel.sentence, number: ChatErrorCode.noSuchOpenChannel.rawValue)
            fail(ChatChannel(.open, channel), error, into: &report)
        case .openBan(let channel, let users, _, _):
            guard let user, users.contains(user) else { return }
            let code = ChatErrorCode.bannedFromOpenChannel
            fail(
                ChatChannel(.open, channel), LifelineError(.accessDenied, code.sentence, number: code.rawValue), into: &report)
        case .typing(let from, _, _, _):
            guard from != user else { return }
            for name in wanted[ChatChannel(.direct, from)]?.names ?? [] {
                report.events.append(.typing(channel: name, user: from, isTyping: true))
            }
        // The service-independent API has no counterpart for the remaining events.
        default: return
        }
    }

    /// Reports an accepted message to this client's own rooms, because the server does not echo a message to its sending device (rule
    /// LL-27).
    mutating func sent(_ draft: ChatMessageDraft, _ sent: ChatSentMessage, at now: Moment) -> Report {
        var report = Report()
        let channel = ChatChannel(draft.conversation, draft.to)
        guard let user, wanted[channel]?.isConfirmed == true, own.insert(sent.id) else { return report }
        let message = ChatMessage(
            id: sent.id, conversation: draft.conversation, from: user, to: draft.to, type: draft.type, content: draft.content)
        tell(message, of: channel, at: now, into: &report)
        return report
    }

    mutating func take(_ message: ChatMessage, at now: Moment, into report: inout Report) {
        // With device sync, the server also sends the user's own messages; ids that were reported already are skipped.
        if message.from == user, !own.insert(message.id) { return }
        let channel = message.channel(for: user ?? "")
        guard let want = wanted[channel] else { return }
        if want.isConfirmed { return tell(message, of: channel, at: now, into: &report) }
        if want.held.count < Self.heldLimit {
            wanted[channel]?.held.append(message)
        } else {
            wanted[channel]?.gap = want.gap ?? now
        }
    }

    func tell(_ message: ChatMessage, of channel: ChatChannel, at now: Moment, into report: inout Report) {
        for name in wanted[channel]?.names ?? [] {
            report.events.append(.message(Message(message, in: name, at: now)))
        }
    }

    /// Ends the subscription of a group when the user leaves the group or is removed from it, or when the group is dissolved.
    private mutating func take(_ operation: ChatGroupOperation, into report: inout Report) {
        let isOver =
            switch operation.kind {
            case .dismiss: true
            case .kick, .quit: operation.members.contains { $0.user == user }
            default: false
            }
        guard isOver else { return }
        let code = operation.kind == .dismiss ? ChatErrorCode.noSuchGroup : .notInGroup
        let error = LifelineError(.accessDenied, code.sentence, number: code.rawValue)
        fail(ChatChannel(.group, operation.group.id), error, into: &report)
    }

    private mutating func take(_ actions: [ChatWireOpenAction], in channel: ChatChannel, into report: inout Report) {
        guard tracksPresence, var want = wanted[channel] else { return }
        for action in actions {
            if action.isJoin {
                let member = want.roster.joined(action.user, info: nil)
                report.events += want.names.map { .joined(channel: $0, member) }
            } else {
                want.roster.left(action.user)
                report.events += want.names.map { .left(channel: $0, memberID: action.user) }
            }
        }
        wanted[channel] = want
    }
}

extension Message {
    init(_ message: ChatMessage, in channel: String, at now: Moment) {
        self.init(
            channel: channel, event: message.type == ChatAdapterSettings.textType ? Message.defaultEvent : message.type,
            text: String(decoding: message.content, as: UTF8.self),
            id: message.id.description, user: message.from,
            publishedAt: Date(timeIntervalSince1970: Double(message.id.rawValue) / 10_000_000), receivedAt: now)
    }
}
