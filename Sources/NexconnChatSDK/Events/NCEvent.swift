import EngineRuntime

/// Everything that the handlers are told, as one sequence of values. An addition to the vendor's SDK.
public enum NCEvent: Sendable {
    case messageReceived(MessageReceivedEvent)
    case messageDeleted(MessageDeletedEvent)
    case messagesUpdated(MessagesUpdatedEvent)
    case messageMetadataUpdated(MessageMetadataUpdatedEvent)
    case messageMetadataDeleted(MessageMetadataDeletedEvent)
    case messageReceiptResponse(MessageReceiptResponseEvent)
    /// All that had been missed has come.
    case offlineMessageSyncCompleted
    /// Messages may be missing: load the history of channels that are shown.
    case messagesMissed(MessagesMissedEvent)
    case channelPinned(ChannelPinnedSyncEvent)
    case channelNoDisturbLevel(ChannelNoDisturbLevelSyncEvent)
    case channelUnreadStatus(ChannelUnreadStatusSyncEvent)
    case typing(TypingStatusChangedEvent)
    case remoteChannelsSyncCompleted(RemoteChannelsSyncCompletedEvent)
    case groupOperation(GroupOperationEvent)
    case groupInfoChanged(GroupInfoChangedEvent)
    case groupMemberInfoChanged(GroupMemberInfoChangedEvent)
    case openChannel(OpenChannelNews)
    case subscriptionChanged(SubscriptionChangedEvent)
    /// So many events were left out, because this consumer was too slow.
    case dropped(Int)
}

/// What ``OpenChannelHandler`` is told.
public enum OpenChannelNews: Sendable {
    case entering(OpenChannelEnteringEvent)
    case entered(OpenChannelEnteredEvent)
    case enterFailed(OpenChannelEnterFailedEvent)
    case reset(OpenChannelResetEvent)
    case exited(OpenChannelExitedEvent)
    case destroyed(OpenChannelDestroyedEvent)
    case metadataSynced(OpenChannelMetadataSyncedEvent)
    case metadataChanged(OpenChannelMetadataChangedEvent)
    case participantChanged(OpenChannelParticipantChangedEvent)
    case participantMuted(OpenChannelParticipantMutedEvent)
    case participantBanned(OpenChannelParticipantBannedEvent)
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

/// What happens from now on, for one consumer: an async sequence. Ends when the consuming task is cancelled.
///
/// ```swift
/// for await event in NCEngine.events {
///     if case .messageReceived(let event) = event { show(event.message) }
/// }
/// ```
public struct NCEvents: AsyncSequence, Sendable {
    public typealias Element = NCEvent
    public typealias Failure = Never

    let stream: EventStream<NCEvent>

    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<NCEvent>.Iterator

        /// The next event, or nil at the end.
        public mutating func next() async -> NCEvent? { await base.next() }
    }
}

extension NCEngine {
    /// What happens from now on, for one consumer; ask again for another. An addition to the vendor's SDK.
    public static var events: NCEvents { NCEvents(stream: registry.chat.stream) }
}
