import Foundation

#if canImport(ObjectiveC)
    /// Receives messages and their changes. Every method is optional.
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
    /// Receives messages and their changes. Every method is optional.
    ///
    /// The methods are called on the callback queue, in the order of the events (rule NC-20). Add handlers before connecting, because
    /// offline messages arrive right after the sign-in.
    public protocol MessageHandler: AnyObject {
        /// A message was received.
        func onMessageReceived(_ event: MessageReceivedEvent)
        /// Messages were deleted for everybody.
        func onMessageDeleted(_ event: MessageDeletedEvent)
        /// Messages were edited.
        func onMessagesUpdated(_ event: MessagesUpdatedEvent)
        /// Metadata of a message was set.
        func onMessageMetadataUpdated(_ event: MessageMetadataUpdatedEvent)
        /// Metadata of a message was deleted.
        func onMessageMetadataDeleted(_ event: MessageMetadataDeletedEvent)
        /// Receivers have read messages of the signed-in user.
        func onMessageReceiptResponse(_ event: MessageReceiptResponseEvent)
        /// All messages that this device missed while it was not connected have been delivered.
        func onOfflineMessageSyncCompleted()
        /// Messages may have been lost, because this device was away for longer than the server keeps them, or because the server lost
        /// them. Load the history of the channels that are shown. An addition to the vendor's SDK.
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
