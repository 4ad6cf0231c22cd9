import NexconnProtocol

extension DirectChannel {
    /// Tells the other user that the user is typing. It is shown for six seconds, so repeat it about every four seconds while the
    /// user types, not with every key. Nothing is sent without a connection.
    ///
    /// - Parameter typingMessageType: the type of the message, such as `RC:TxtMsg`.
    public func sendTypingStatus(typingMessageType: String = MessageType.text) {
        engine.client?.typing(to: channelId, type: typingMessageType)
    }
}
