// Calls the methods of handlers. On Apple platforms the methods are optional.
#if canImport(ObjectiveC)
    extension MessageHandler {
        func tell(_ event: MessageReceivedEvent) { onMessageReceived?(event) }
        func tell(_ event: MessageDeletedEvent) { onMessageDeleted?(event) }
        func tell(_ event: MessagesUpdatedEvent) { onMessagesUpdated?(event) }
        func tell(_ event: MessageMetadataUpdatedEvent) { onMessageMetadataUpdated?(event) }
        func tell(_ event: MessageMetadataDeletedEvent) { onMessageMetadataDeleted?(event) }
        func tell(_ event: MessageReceiptResponseEvent) { onMessageReceiptResponse?(event) }
        func tellOfflineMessageSyncCompleted() { onOfflineMessageSyncCompleted?() }
        func tell(_ event: MessagesMissedEvent) { onMessagesMissed?(event) }
    }

    extension ChannelHandler {
        func tell(_ event: ChannelPinnedSyncEvent) { onChannelPinnedSync?(event) }
        func tell(_ event: ChannelNoDisturbLevelSyncEvent) { onChannelNoDisturbLevelSync?(event) }
        func tell(_ event: ChannelUnreadStatusSyncEvent) { onChannelUnreadStatusSync?(event) }
        func tell(_ event: TypingStatusChangedEvent) { onTypingStatusChanged?(event) }
        func tell(_ event: RemoteChannelsSyncCompletedEvent) { onRemoteChannelsSyncCompleted?(event) }
    }

    extension GroupChannelHandler {
        func tell(_ event: GroupOperationEvent) { onGroupOperation?(event) }
        func tell(_ event: GroupInfoChangedEvent) { onGroupInfoChanged?(event) }
        func tell(_ event: GroupMemberInfoChangedEvent) { onGroupMemberInfoChanged?(event) }
    }

    extension OpenChannelHandler {
        func tell(_ event: OpenChannelEnteringEvent) { onEntering?(event) }
        func tell(_ event: OpenChannelEnteredEvent) { onEntered?(event) }
        func tell(_ event: OpenChannelEnterFailedEvent) { onEnterFailed?(event) }
        func tell(_ event: OpenChannelResetEvent) { onReset?(event) }
        func tell(_ event: OpenChannelExitedEvent) { onExited?(event) }
        func tell(_ event: OpenChannelDestroyedEvent) { onChannelDestroyed?(event) }
        func tell(_ event: OpenChannelMetadataSyncedEvent) { onMetadataSynced?(event) }
        func tell(_ event: OpenChannelMetadataChangedEvent) { onMetadataChanged?(event) }
        func tell(_ event: OpenChannelParticipantChangedEvent) { onParticipantChanged?(event) }
        func tell(_ event: OpenChannelParticipantMutedEvent) { onParticipantMuted?(event) }
        func tell(_ event: OpenChannelParticipantBannedEvent) { onParticipantBanned?(event) }
        func tell(_ event: OpenChannelMultiLoginSyncEvent) { onMultiLoginSync?(event) }
    }

    extension UserHandler {
        func tell(_ event: SubscriptionChangedEvent) { onSubscriptionChanged?(event) }
    }
#else
    extension MessageHandler {
        func tell(_ event: MessageReceivedEvent) { onMessageReceived(event) }
        func tell(_ event: MessageDeletedEvent) { onMessageDeleted(event) }
        func tell(_ event: MessagesUpdatedEvent) { onMessagesUpdated(event) }
        func tell(_ event: MessageMetadataUpdatedEvent) { onMessageMetadataUpdated(event) }
        func tell(_ event: MessageMetadataDeletedEvent) { onMessageMetadataDeleted(event) }
        func tell(_ event: MessageReceiptResponseEvent) { onMessageReceiptResponse(event) }
        func tellOfflineMessageSyncCompleted() { onOfflineMessageSyncCompleted() }
        func tell(_ event: MessagesMissedEvent) { onMessagesMissed(event) }
    }

    extension ChannelHandler {
        func tell(_ event: ChannelPinnedSyncEvent) { onChannelPinnedSync(event) }
        func tell(_ event: ChannelNoDisturbLevelSyncEvent) { onChannelNoDisturbLevelSync(event) }
        func tell(_ event: ChannelUnreadStatusSyncEvent) { onChannelUnreadStatusSync(event) }
        func tell(_ event: TypingStatusChangedEvent) { onTypingStatusChanged(event) }
        func tell(_ event: RemoteChannelsSyncCompletedEvent) { onRemoteChannelsSyncCompleted(event) }
    }

    extension GroupChannelHandler {
        func tell(_ event: GroupOperationEvent) { onGroupOperation(event) }
        func tell(_ event: GroupInfoChangedEvent) { onGroupInfoChanged(event) }
        func tell(_ event: GroupMemberInfoChangedEvent) { onGroupMemberInfoChanged(event) }
    }

    extension OpenChannelHandler {
        func tell(_ event: OpenChannelEnteringEvent) { onEntering(event) }
        func tell(_ event: OpenChannelEnteredEvent) { onEntered(event) }
        func tell(_ event: OpenChannelEnterFailedEvent) { onEnterFailed(event) }
        func tell(_ event: OpenChannelResetEvent) { onReset(event) }
        func tell(_ event: OpenChannelExitedEvent) { onExited(event) }
        func tell(_ event: OpenChannelDestroyedEvent) { onChannelDestroyed(event) }
        func tell(_ event: OpenChannelMetadataSyncedEvent) { onMetadataSynced(event) }
        func tell(_ event: OpenChannelMetadataChangedEvent) { onMetadataChanged(event) }
        func tell(_ event: OpenChannelParticipantChangedEvent) { onParticipantChanged(event) }
        func tell(_ event: OpenChannelParticipantMutedEvent) { onParticipantMuted(event) }
        func tell(_ event: OpenChannelParticipantBannedEvent) { onParticipantBanned(event) }
        func tell(_ event: OpenChannelMultiLoginSyncEvent) { onMultiLoginSync(event) }
    }

    extension UserHandler {
        func tell(_ event: SubscriptionChangedEvent) { onSubscriptionChanged(event) }
    }
#endif
