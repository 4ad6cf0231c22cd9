import ChatDatabase
import ChatProtocol
import ConnectionEngine
import Dispatch

/// Stores arriving events in the local database, and converts them to events for handlers (rules NH-40 to NH-45).
struct EventIntake: ChatIntake {
    func received(
        _ items: [ChatInboxItem], place: ChatPlace, isOffline: Bool, hasMore: Bool, client: ChatClient
    ) throws {
        let user = client.user ?? ""
        // Without a database, messages are delivered but not stored (rule NC-6).
        let changes =
            try client.database?.receive(items, place: place)
            ?? items.map { item in
                if case .message(let message) = item.event { return .message(LocalMessage(message, seenBy: user)) }
                return .other(item.event)
            }
        var left = changes.count { if case .message = $0 { true } else { false } }
        var events: [NCEvent] = []
        events.reserveCapacity(changes.count)
        for change in changes {
            guard case .message(let local) = change else {
                EventReader(user: user).read(change, into: &events)
                continue
            }
            left -= 1
            stopTyping(of: local, client, into: &events)
            events.append(
                .messageReceived(
                    MessageReceivedEvent(
                        message: Message(local, user: user, isOffline: isOffline), left: isOffline ? left : 0,
                        offline: isOffline, hasPackage: hasMore)))
        }
        tell(events, client)
    }

    func caughtUp(client: ChatClient) {
        tell([.offlineMessageSyncCompleted], client)
        client.registry.chat.reads.flush(client)
    }

    func received(_ event: ChatWireEvent, client: ChatClient) {
        var events: [NCEvent] = []
        if case .typing(let from, _, let type, let time) = event {
            let channel = ChatChannel(.direct, from)
            let status = UserTypingStatus(userId: from, contentType: type, sentTime: time)
            let present = client.registry.chat.typing.withValue(of: client) { $0.note(status, in: channel, now: now) }
            if let present { events.append(typing(present, channel)) }
            expireTypingLater(client)
        } else {
            EventReader(user: client.user ?? "").read(event, into: &events)
        }
        tell(events, client)
    }

    func missed(since: Moment?, client: ChatClient) {
        tell([.messagesMissed(MessagesMissedEvent(channelIdentifier: nil))], client)
    }

    func missed(in openChannel: String, since: Moment?, client: ChatClient) {
        let channel = ChannelIdentifier(ChatChannel(.open, openChannel))
        tell(
            [
                .openChannel(.reset(OpenChannelResetEvent(channelId: openChannel))),
                .messagesMissed(MessagesMissedEvent(channelIdentifier: channel)),
            ], client)
    }

    func reentered(_ entrance: ChatOpenEntrance, client: ChatClient) {
        tell(EventReader(user: client.user ?? "").entered(entrance), client)
    }

    func entryFailed(_ openChannel: String, _ error: NCError, client: ChatClient) {
        tell([.openChannel(.enterFailed(OpenChannelEnterFailedEvent(channelId: openChannel, error: error)))], client)
    }

    private func tell(_ events: [NCEvent], _ client: ChatClient) {
        client.registry.chat.tell(events, of: client)
    }

    // MARK: Typing notices (rule NH-42)

    private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    private func typing(_ present: [UserTypingStatus], _ channel: ChatChannel) -> NCEvent {
        .typing(TypingStatusChangedEvent(channelIdentifier: ChannelIdentifier(channel), userTypingStatus: present))
    }

    /// Records that the sender of a received message has stopped typing, and adds the typing event for handlers if the user was typing.
    private func stopTyping(of message: LocalMessage, _ client: ChatClient, into events: inout [NCEvent]) {
        guard message.channel.conversation == .direct, !message.isSent else { return }
        let present = client.registry.chat.typing.withValue(of: client) { $0.stop(message.sender, in: message.channel) }
        if let present { events.append(typing(present, message.channel)) }
    }

    private func expireTyping(_ client: ChatClient) {
        let changed = client.registry.chat.typing.withValue(of: client) { $0.expire(now: now) }
        tell(changed.map { typing($0.present, $0.channel) }, client)
        expireTypingLater(client)
    }

    /// Starts the timer that removes expired typing notices, unless it is running. One timer serves all typing users.
    private func expireTypingLater(_ client: ChatClient) {
        guard let next = client.registry.chat.typing.withValue(of: client, { $0.takeTimer() }) else { return }
        client.work.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: next) + .milliseconds(1)) { [weak client] in
            if let client { expireTyping(client) }
        }
    }
}
