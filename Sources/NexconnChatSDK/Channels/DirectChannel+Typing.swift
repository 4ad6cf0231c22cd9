import NexconnProtocol

extension DirectChannel {
    /// Tells the other user that a message is being written: counts for six seconds there, so say it again about every four seconds,
    /// not with every key. Lost without a connection.
    ///
    /// - Parameter typingMessageType: the type of the message, such as `RC:TxtMsg`.
    public func sendTypingStatus(typingMessageType: String = MessageType.text) {
        engine.client?.typing(to: channelId, type: typingMessageType)
    }
}
