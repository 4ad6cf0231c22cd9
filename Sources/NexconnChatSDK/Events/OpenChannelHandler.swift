import Foundation

#if canImport(ObjectiveC)
    /// Receives events of open channels. Every method is optional.
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
    /// Receives events of open channels. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20).
    public protocol OpenChannelHandler: AnyObject {
        /// Entering has begun.
        func onEntering(_ event: OpenChannelEnteringEvent)
        /// The user has entered an open channel, for the first time or after a loss of the connection.
        func onEntered(_ event: OpenChannelEnteredEvent)
        /// The user could not enter an open channel, or could not enter it again after a loss of the connection.
        func onEnterFailed(_ event: OpenChannelEnterFailedEvent)
        /// Messages of an open channel may have been lost together with the connection.
        func onReset(_ event: OpenChannelResetEvent)
        /// The user has left an open channel.
        func onExited(_ event: OpenChannelExitedEvent)
        /// An open channel was destroyed.
        func onChannelDestroyed(_ event: OpenChannelDestroyedEvent)
        /// The metadata of an open channel arrived, after the user had entered it.
        func onMetadataSynced(_ event: OpenChannelMetadataSyncedEvent)
        /// The metadata of an open channel changed.
        func onMetadataChanged(_ event: OpenChannelMetadataChangedEvent)
        /// Users entered or left an open channel.
        func onParticipantChanged(_ event: OpenChannelParticipantChangedEvent)
        /// Users of an open channel were muted or unmuted.
        func onParticipantMuted(_ event: OpenChannelParticipantMutedEvent)
        /// Users were banned.
        func onParticipantBanned(_ event: OpenChannelParticipantBannedEvent)
        /// The user entered or left an open channel with another device.
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
