import ChatProtocol

extension DirectChannel {
    /// Notifies the other user that this user is typing. Receivers show this for six seconds, so repeat the call about every four seconds
    /// while the user types, not with every key. The call has no effect without a connection.
    ///
    /// - Parameter typingMessageType: the type of the message that is being written, such as `RC:TxtMsg`.
    public func sendTypingStatus(typingMessageType: String = MessageType.text) {
        engine.client?.typing(to: channelId, type: typingMessageType)
    }
}
