import ChatDatabase
import ChatProtocol
import Identifiers

/// Converts events of the protocol to events for handlers.
struct EventReader {
    /// The signed-in user.
    let user: String

    func read(_ change: ReceivedChange, into events: inout [NCEvent]) {
        switch change {
        case .message(let local):
            events.append(.messageReceived(received(local)))
        case .sent:
            // No event is added for an own message that the server has accepted, because the completion of the send reports the outcome.
            break
        case .recalled(_, let local):
            if let local { events.append(.messageDeleted(MessageDeletedEvent(messages: [message(local)]))) }
        case .edited(let local):
            events.append(.messagesUpdated(MessagesUpdatedEvent(messages: [message(local)])))
        case .metadata(let local, let change):
            read(change, of: message(local), into: &events)
        case .receipts(let channel, let receipts):
            events.append(.messageReceiptResponse(response(receipts, in: channel)))
        case .read(let channel, let time):
            let identifier = ChannelIdentifier(channel)
            events.append(
                .channelUnreadStatus(ChannelUnreadStatusSyncEvent(channelIdentifier: identifier, timestamp: time)))
        case .settings(let settings):
            read(settings, into: &events)
        case .other(let event):
            read(event, into: &events)
        }
    }

    func read(_ event: ChatWireEvent, into events: inout [NCEvent]) {
        switch event {
        case .message(let message): events.append(.messageReceived(received(LocalMessage(message, seenBy: user))))
        case .group(let operation): events.append(.groupOperation(GroupOperationEvent(operation)))
        case .groupInfo(let group, let changed, let who, let time):
            events.append(
                .groupInfoChanged(
                    GroupInfoChangedEvent(
                        operatorInfo: .operator(who), groupInfo: GroupInfo(group),
                        changedProperties: changed.map(GroupInfo.propertyName), operationTime: time)))
        case .groupMember(let group, let who, let member, let time):
            events.append(
                .groupMemberInfoChanged(
                    GroupMemberInfoChangedEvent(
                        groupId: group, operatorInfo: .operator(who), memberInfo: GroupMemberInfo(member),
                        operationTime: time)))
        case .presence(let presence):
            events.append(.subscriptionChanged(SubscriptionChangedEvent(events: presence.map(SubscriptionInfo.init))))
        case .openMembers, .openMetadata, .openMute, .openBan, .openDestroyed, .openSync:
            if let news = OpenChannelNews(event) { events.append(.openChannel(news)) }
        case .recall, .edit, .metadata, .receipt, .read, .settings, .typing, .unknown:
            // No event is added: changes of stored messages arrive through the inbox, and `EventIntake` handles typing notices.
            break
        }
    }

    /// The events for handlers after an open channel was entered, for the first time or after a reconnect.
    func entered(_ entrance: ChatOpenEntrance) -> [NCEvent] {
        var events = entrance.messages.map { NCEvent.messageReceived(received(LocalMessage($0, seenBy: user))) }
        let response = OpenChannelEnterResponseInfo(entrance)
        events.append(.openChannel(.entered(OpenChannelEnteredEvent(channelId: entrance.channel, response: response))))
        events.append(.openChannel(.metadataSynced(OpenChannelMetadataSyncedEvent(channelId: entrance.channel))))
        return events
    }

    private func message(_ local: LocalMessage) -> Message { Message(local, user: user) }

    private func received(_ local: LocalMessage) -> MessageReceivedEvent {
        MessageReceivedEvent(message: message(local), left: 0, offline: false, hasPackage: false)
    }

    private func read(_ change: ChatMetadataChange, of message: Message, into events: inout [NCEvent]) {
        if !change.set.isEmpty {
            events.append(.messageMetadataUpdated(MessageMetadataUpdatedEvent(metadata: change.set, message: message)))
        }
        if !change.deleted.isEmpty {
            events.append(.messageMetadataDeleted(MessageMetadataDeletedEvent(message: message, keys: change.deleted)))
        }
    }

    private func read(_ settings: ChatChannelSettings, into events: inout [NCEvent]) {
        guard let id = settings.id else { return }
        let identifier = ChannelIdentifier(ChatChannel(settings.conversation, id))
        if let isPinned = settings.isPinned {
            events.append(.channelPinned(ChannelPinnedSyncEvent(channelIdentifier: identifier, isPinned: isPinned)))
        }
        if let level = settings.level.flatMap(ChannelNoDisturbLevel.init(rawValue:)) {
            events.append(
                .channelNoDisturbLevel(ChannelNoDisturbLevelSyncEvent(channelIdentifier: identifier, level: level)))
        }
    }

    private func response(_ receipts: ChatReceipts, in channel: ChatChannel) -> MessageReceiptResponseEvent {
        let identifier = ChannelIdentifier(channel)
        let reader = MessageReceiptUser(userId: receipts.from, timestamp: receipts.time)
        return MessageReceiptResponseEvent(
            responses: receipts.items.map { item in
                MessageReceiptResponse(
                    messageId: item.id.description, channelIdentifier: identifier, readCount: item.read,
                    unreadCount: item.unread, totalCount: item.total, users: [reader])
            })
    }
}

extension LocalMessage {
    /// Creates a message that this device does not store; `user` is the signed-in user.
    init(_ message: ChatMessage, seenBy user: String) {
        let isSent = message.from.isExactly(user)
        self.init(
            channel: message.channel(for: user), id: message.id, clientID: message.clientID, sender: message.from,
            isSent: isSent, status: isSent ? .sent : .received, sentTime: message.time,
            receivedTime: isSent ? 0 : ChatDatabase.timeOfDay(), type: message.type, content: message.content,
            options: message.options, edited: message.edited)
    }
}

extension SubscriptionInfo {
    convenience init(_ presence: ChatOnlineStatus) {
        let detail = SubscriptionDetail(eventValue: presence.isOnline ? 1 : 0, changeTime: presence.time, platform: "")
        self.init(userId: presence.user, subscribeType: .onlineStatus, details: [detail])
    }
}
