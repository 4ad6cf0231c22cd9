import EngineRuntime

/// The events of all kinds of handlers as one type. An addition to the vendor's SDK.
public enum NCEvent: Sendable {
    /// A message was received.
    case messageReceived(MessageReceivedEvent)
    /// Messages were deleted for everybody.
    case messageDeleted(MessageDeletedEvent)
    /// Messages were edited.
    case messagesUpdated(MessagesUpdatedEvent)
    /// Metadata of a message was set.
    case messageMetadataUpdated(MessageMetadataUpdatedEvent)
    /// Metadata of a message was deleted.
    case messageMetadataDeleted(MessageMetadataDeletedEvent)
    /// Receivers have read messages of the signed-in user.
    case messageReceiptResponse(MessageReceiptResponseEvent)
    /// All messages that this device missed while it was not connected have been delivered.
    case offlineMessageSyncCompleted
    /// Messages may have been lost. Load the history of the channels that are shown.
    case messagesMissed(MessagesMissedEvent)
    /// Another device of the user pinned or unpinned a channel.
    case channelPinned(ChannelPinnedSyncEvent)
    /// Another device of the user set the do-not-disturb level of a channel.
    case channelNoDisturbLevel(ChannelNoDisturbLevelSyncEvent)
    /// Another device of the user has marked the messages of a channel as read.
    case channelUnreadStatus(ChannelUnreadStatusSyncEvent)
    /// A user has begun or stopped typing in a channel.
    case typing(TypingStatusChangedEvent)
    /// The settings of channels were fetched from the server, or could not be fetched.
    case remoteChannelsSyncCompleted(RemoteChannelsSyncCompletedEvent)
    /// A user joined or left a group, or the group's owner or managers changed.
    case groupOperation(GroupOperationEvent)
    /// The data of a group changed.
    case groupInfoChanged(GroupInfoChangedEvent)
    /// The data of a group's member changed.
    case groupMemberInfoChanged(GroupMemberInfoChangedEvent)
    /// An event of an open channel.
    case openChannel(OpenChannelNews)
    /// A user whose status this user has subscribed to came online or went offline.
    case subscriptionChanged(SubscriptionChangedEvent)
    /// This number of events was dropped at this point of the sequence, because the consumer was too slow.
    case dropped(Int)
}

/// The events of ``OpenChannelHandler`` as one type.
public enum OpenChannelNews: Sendable {
    /// Entering has begun.
    case entering(OpenChannelEnteringEvent)
    /// The user has entered an open channel, for the first time or after a reconnect.
    case entered(OpenChannelEnteredEvent)
    /// The user could not enter an open channel, or could not enter it again after a reconnect.
    case enterFailed(OpenChannelEnterFailedEvent)
    /// Messages of an open channel may have been lost together with the connection.
    case reset(OpenChannelResetEvent)
    /// The user has left an open channel.
    case exited(OpenChannelExitedEvent)
    /// An open channel was destroyed.
    case destroyed(OpenChannelDestroyedEvent)
    /// The metadata of an open channel arrived, after the user had entered it.
    case metadataSynced(OpenChannelMetadataSyncedEvent)
    /// The metadata of an open channel changed.
    case metadataChanged(OpenChannelMetadataChangedEvent)
    /// Users entered or left an open channel.
    case participantChanged(OpenChannelParticipantChangedEvent)
    /// Users of an open channel were muted or unmuted.
    case participantMuted(OpenChannelParticipantMutedEvent)
    /// Users were banned.
    case participantBanned(OpenChannelParticipantBannedEvent)
    /// The user entered or left an open channel with another device.
    case multiLoginSync(OpenChannelMultiLoginSyncEvent)

    func tell(_ handler: any OpenChannelHandler) {
        switch self {
        case .entering(let event): handler.tell(event)
        case .entered(let event): handler.tell(event)
        case .enterFailed(let event): handler.tell(event)
        case .reset(let event): handler.tell(event)
        case .exited(let event): handler.tell(event)
        case .destroyed(let event): handler.tell(event)
        case .metadataSynced(let event): handler.tell(event)
        case .metadataChanged(let event): handler.tell(event)
        case .participantChanged(let event): handler.tell(event)
        case .participantMuted(let event): handler.tell(event)
        case .participantBanned(let event): handler.tell(event)
        case .multiLoginSync(let event): handler.tell(event)
        }
    }
}

/// All later events, as an async sequence for one consumer. The sequence ends when the consuming task is cancelled.
///
/// ```swift
/// for await event in NCEngine.events {
///     if case .messageReceived(let event) = event { show(event.message) }
/// }
/// ```
public struct NCEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = NCEvent
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<NCEvent>

    /// Returns an iterator, which continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// Iterates over the events. An iterator is for one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<NCEvent>.Iterator

        /// Waits for the next event; nil when the sequence has ended.
        public mutating func next() async -> NCEvent? { await base.next() }
    }
}

extension NCEngine {
    /// All later events of all kinds. Each sequence is for one consumer; each read of the property returns an independent sequence. An
    /// addition to the vendor's SDK.
    public static var events: NCEvents { NCEvents(stream: registry.chat.stream) }
}
