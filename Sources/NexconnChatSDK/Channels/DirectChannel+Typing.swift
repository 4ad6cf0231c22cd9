import ChatProtocol

extension DirectChannel {
    /// Announces to the other user that this user is typing. Receivers show it for six seconds, so repeat the call about every four
    /// seconds while the user types, not with every key. Nothing is sent without a connection.
    ///
    /// - Parameter typingMessageType: the type of the message, such as `RC:TxtMsg`.
    public func sendTypingStatus(typingMessageType: String = MessageType.text) {
        engine.client?.typing(to: channelId, type: typingMessageType)
    }
}
