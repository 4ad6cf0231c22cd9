import Foundation

#if canImport(ObjectiveC)
    /// Hears about messages. Every method is optional.
    @objc(NCMessageHandler) public protocol MessageHandler: AnyObject {
        @objc optional func onMessageReceived(_ event: MessageReceivedEvent)
        @objc optional func onMessageDeleted(_ event: MessageDeletedEvent)
        @objc optional func onMessagesUpdated(_ event: MessagesUpdatedEvent)
        @objc optional func onMessageMetadataUpdated(_ event: MessageMetadataUpdatedEvent)
        @objc optional func onMessageMetadataDeleted(_ event: MessageMetadataDeletedEvent)
        @objc optional func onMessageReceiptResponse(_ event: MessageReceiptResponseEvent)
        @objc optional func onOfflineMessageSyncCompleted()
        @objc optional func onMessagesMissed(_ event: MessagesMissedEvent)
    }
#else
    /// Hears about messages. Every method is optional.
    ///
    /// Called on the library's callback queue, in the order in which things happened (rule NC-20). Add handlers before connecting, or
    /// what had been missed comes unheard.
    public protocol MessageHandler: AnyObject {
        /// A message has come.
        func onMessageReceived(_ event: MessageReceivedEvent)
        /// Messages were deleted for all.
        func onMessageDeleted(_ event: MessageDeletedEvent)
        /// Messages were edited.
        func onMessagesUpdated(_ event: MessagesUpdatedEvent)
        /// Metadata of a message were set.
        func onMessageMetadataUpdated(_ event: MessageMetadataUpdatedEvent)
        /// Metadata of a message were deleted.
        func onMessageMetadataDeleted(_ event: MessageMetadataDeletedEvent)
        /// Somebody has read messages that this user sent.
        func onMessageReceiptResponse(_ event: MessageReceiptResponseEvent)
        /// All that had been missed has come.
        func onOfflineMessageSyncCompleted()
        /// Messages may be missing: this device was away for longer than the server keeps them, or the server lost them. Load the
        /// history of channels that are shown. An addition to the vendor's SDK.
        func onMessagesMissed(_ event: MessagesMissedEvent)
    }

    extension MessageHandler {
        public func onMessageReceived(_ event: MessageReceivedEvent) {}
        public func onMessageDeleted(_ event: MessageDeletedEvent) {}
        public func onMessagesUpdated(_ event: MessagesUpdatedEvent) {}
        public func onMessageMetadataUpdated(_ event: MessageMetadataUpdatedEvent) {}
        public func onMessageMetadataDeleted(_ event: MessageMetadataDeletedEvent) {}
        public func onMessageReceiptResponse(_ event: MessageReceiptResponseEvent) {}
        public func onOfflineMessageSyncCompleted() {}
        public func onMessagesMissed(_ event: MessagesMissedEvent) {}
    }
#endif
