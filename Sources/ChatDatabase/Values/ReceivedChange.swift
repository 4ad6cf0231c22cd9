import ChatProtocol

/// A change that an event of the inbox has made in the local database. Handlers are notified of the changes in order.
public enum ReceivedChange: Hashable, Sendable {
    /// A new message. Its `localID` is 0 if the database does not store the message: a status message, or a message that is not for the
    /// history.
    case message(LocalMessage)
    /// The server has accepted an own message. This event arrived before the server's answer to the sending of the message.
    case sent(LocalMessage)
    /// A message was recalled and deleted. The second value is the deleted message; nil if it was not stored.
    case recalled(ChatRecall, LocalMessage?)
    /// A message has a new content.
    case edited(LocalMessage)
    /// A message has new metadata.
    case metadata(LocalMessage, ChatMetadataChange)
    /// Other users have read messages of this user. The value contains only messages that are stored here and whose counts of readers have
    /// changed.
    case receipts(ChatChannel, ChatReceipts)
    /// Another device of the user has read the channel up to this time (ms).
    case read(ChatChannel, time: Int64)
    /// Another device of the user has changed channel settings.
    case settings(ChatChannelSettings)
    /// An event that the database does not store, such as an event of a group or a typing notification.
    case other(ChatWireEvent)
}
