import NexconnProtocol

/// What events of the inbox changed in the local database, in order. Handlers are notified of these changes.
public enum ReceivedChange: Hashable, Sendable {
    /// A message that is new here. Its `localID` is 0 when it is not kept: a status message, or one that is not in history.
    case message(LocalMessage)
    /// An own message whose sending had not been answered here has reached the server.
    case sent(LocalMessage)
    /// A message was recalled. It is gone; the copy is as it was, nil for one that was not here.
    case recalled(NexconnRecall, LocalMessage?)
    /// A message has another content.
    case edited(LocalMessage)
    /// A message has other metadata.
    case metadata(LocalMessage, NexconnMetadataChange)
    /// Own messages were read. Only those that are here, with counts that are new.
    case receipts(NexconnChannel, NexconnReceipts)
    /// Another device of the user has read the channel up to the time (ms).
    case read(NexconnChannel, time: Int64)
    /// Another device of the user changed settings.
    case settings(NexconnChannelSettings)
    /// An event that the database does not store: about groups, or of momentary use only.
    case other(NexconnEvent)
}
