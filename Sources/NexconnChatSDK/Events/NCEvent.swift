import EngineRuntime

/// The events of all handlers as one type. An addition to the vendor's SDK.
public enum NCEvent: Sendable {
    /// A message was received.
    case messageReceived(MessageReceivedEvent)
    /// Messages were deleted for everybody.
    case messageDeleted(MessageDeletedEvent)
    /// Messages were edited.
    case messagesUpdated(MessagesUpdatedEvent)
    /// Metadata of a message were set.
    case messageMetadataUpdated(MessageMetadataUpdatedEvent)
    /// Metadata of a message were deleted.
    case messageMetadataDeleted(MessageMetadataDeletedEvent)
    /// Receivers have read messages of the signed-in user.
    case messageReceiptResponse(MessageReceiptResponseEvent)
    /// All missed messages have been delivered.
    case offlineMessageSyncCompleted
    /// Messages may be missing: load the history of channels that are shown.
    case messagesMissed(MessagesMissedEvent)
    /// Another device of the user pinned or unpinned a channel.
    case channelPinned(ChannelPinnedSyncEvent)
    /// Another device of the user set the do-not-disturb level of a channel.
    case channelNoDisturbLevel(ChannelNoDisturbLevelSyncEvent)
    /// Another device of the user has read a channel.
    case channelUnreadStatus(ChannelUnreadStatusSyncEvent)
    /// The users who are typing in a channel have changed.
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
    /// A user that was subscribed to changed.
    case subscriptionChanged(SubscriptionChangedEvent)
    /// How many events were dropped here because this consumer was too slow.
    case dropped(Int)
}

/// The events of ``OpenChannelHandler`` as one type.
public enum OpenChannelNews: Sendable {
    /// Entering has begun.
    case entering(OpenChannelEnteringEvent)
    /// The user has entered, also after a reconnect.
    case entered(OpenChannelEnteredEvent)
    /// The user could not enter, or could not come back after a reconnect.
    case enterFailed(OpenChannelEnterFailedEvent)
    /// Messages may be missing after a loss of the connection.
    case reset(OpenChannelResetEvent)
    /// The user has left.
    case exited(OpenChannelExitedEvent)
    /// The channel was destroyed.
    case destroyed(OpenChannelDestroyedEvent)
    /// The channel's metadata arrived for the first time after entering.
    case metadataSynced(OpenChannelMetadataSyncedEvent)
    /// The channel's metadata changed.
    case metadataChanged(OpenChannelMetadataChangedEvent)
    /// Users entered or left.
    case participantChanged(OpenChannelParticipantChangedEvent)
    /// The users who may send messages have changed.
    case participantMuted(OpenChannelParticipantMutedEvent)
    /// Users were banned.
    case participantBanned(OpenChannelParticipantBannedEvent)
    /// The user entered or left with another device.
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

/// All events from now on, as an async sequence for one consumer. Ends when the consuming task is cancelled.
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

    /// Continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    /// Hands out one event after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<NCEvent>.Iterator

        /// The next event, or nil at the end.
        public mutating func next() async -> NCEvent? { await base.next() }
    }
}

extension NCEngine {
    /// All events from now on. Each sequence is for one consumer; each read of the property returns an independent sequence. An
    /// addition to the vendor's SDK.
    public static var events: NCEvents { NCEvents(stream: registry.chat.stream) }
}
