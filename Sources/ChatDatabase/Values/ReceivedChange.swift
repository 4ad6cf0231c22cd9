import ChatProtocol

/// The changes that events of the inbox made in the local database, in order. Handlers are notified of these changes.
public enum ReceivedChange: Hashable, Sendable {
    /// A new message. Its `localID` is 0 when it is not stored: a status message, or one that is not in the history.
    case message(LocalMessage)
    /// The server has accepted an own message whose sending was not answered yet.
    case sent(LocalMessage)
    /// A message was recalled and deleted. The copy is the former message; nil for one that was not stored.
    case recalled(ChatRecall, LocalMessage?)
    /// A message has a new content.
    case edited(LocalMessage)
    /// A message has new metadata.
    case metadata(LocalMessage, ChatMetadataChange)
    /// Own messages were read. Contains only stored messages with changed counts.
    case receipts(ChatChannel, ChatReceipts)
    /// Another device of the user has read the channel up to this time (ms).
    case read(ChatChannel, time: Int64)
    /// Another device of the user changed settings.
    case settings(ChatChannelSettings)
    /// An event that the database does not store: an event of a group, or one that is only relevant at the moment.
    case other(ChatWireEvent)
}
