import Foundation

#if canImport(ObjectiveC)
    /// Gets events of open channels. Every method is optional.
    @objc(NCOpenChannelHandler) public protocol OpenChannelHandler: AnyObject {
        @objc optional func onEntering(_ event: OpenChannelEnteringEvent)
        @objc optional func onEntered(_ event: OpenChannelEnteredEvent)
        @objc optional func onEnterFailed(_ event: OpenChannelEnterFailedEvent)
        @objc optional func onReset(_ event: OpenChannelResetEvent)
        @objc optional func onExited(_ event: OpenChannelExitedEvent)
        @objc optional func onChannelDestroyed(_ event: OpenChannelDestroyedEvent)
        @objc optional func onMetadataSynced(_ event: OpenChannelMetadataSyncedEvent)
        @objc optional func onMetadataChanged(_ event: OpenChannelMetadataChangedEvent)
        @objc optional func onParticipantChanged(_ event: OpenChannelParticipantChangedEvent)
        @objc optional func onParticipantMuted(_ event: OpenChannelParticipantMutedEvent)
        @objc optional func onParticipantBanned(_ event: OpenChannelParticipantBannedEvent)
        @objc optional func onMultiLoginSync(_ event: OpenChannelMultiLoginSyncEvent)
    }
#else
    /// Gets events of open channels. Every method is optional.
    ///
    /// Called on the callback queue, in the order of the events (rule NC-20).
    public protocol OpenChannelHandler: AnyObject {
        /// Entering has begun.
        func onEntering(_ event: OpenChannelEnteringEvent)
        /// The user has entered; also called when the SDK has entered again after a loss of the connection.
        func onEntered(_ event: OpenChannelEnteredEvent)
        /// The user could not enter, or could not come back after a loss of the connection.
        func onEnterFailed(_ event: OpenChannelEnterFailedEvent)
        /// After a loss of the connection messages of the channel may be missing.
        func onReset(_ event: OpenChannelResetEvent)
        /// The user has left.
        func onExited(_ event: OpenChannelExitedEvent)
        /// The channel was destroyed.
        func onChannelDestroyed(_ event: OpenChannelDestroyedEvent)
        /// The channel's metadata has arrived for the first time after entering.
        func onMetadataSynced(_ event: OpenChannelMetadataSyncedEvent)
        /// The channel's metadata have changed.
        func onMetadataChanged(_ event: OpenChannelMetadataChangedEvent)
        /// Users entered or left.
        func onParticipantChanged(_ event: OpenChannelParticipantChangedEvent)
        /// The users who may send messages have changed.
        func onParticipantMuted(_ event: OpenChannelParticipantMutedEvent)
        /// Users were banned.
        func onParticipantBanned(_ event: OpenChannelParticipantBannedEvent)
        /// The user entered or left with another device.
        func onMultiLoginSync(_ event: OpenChannelMultiLoginSyncEvent)
    }

    extension OpenChannelHandler {
        public func onEntering(_ event: OpenChannelEnteringEvent) {}
        public func onEntered(_ event: OpenChannelEnteredEvent) {}
        public func onEnterFailed(_ event: OpenChannelEnterFailedEvent) {}
        public func onReset(_ event: OpenChannelResetEvent) {}
        public func onExited(_ event: OpenChannelExitedEvent) {}
        public func onChannelDestroyed(_ event: OpenChannelDestroyedEvent) {}
        public func onMetadataSynced(_ event: OpenChannelMetadataSyncedEvent) {}
        public func onMetadataChanged(_ event: OpenChannelMetadataChangedEvent) {}
        public func onParticipantChanged(_ event: OpenChannelParticipantChangedEvent) {}
        public func onParticipantMuted(_ event: OpenChannelParticipantMutedEvent) {}
        public func onParticipantBanned(_ event: OpenChannelParticipantBannedEvent) {}
        public func onMultiLoginSync(_ event: OpenChannelMultiLoginSyncEvent) {}
    }
#endif
