import Identifiers
import ServerStorage

/// A message in the stream of an application, with an attachment, usually its encoded form.
///
/// The queues and all deliveries share one object for each message.
package final class StreamEntry<Attachment: Sendable>: Sendable {
    /// The message as it is stored.
    package let message: StoredMessage
    /// Usually the encoded bytes of the message, which all deliveries share.
    package let attachment: Attachment

    init(message: StoredMessage, attachment: Attachment) {
        self.message = message
        self.attachment = attachment
    }

    /// The approximate memory in bytes. The message counts twice, because the attachment contains the same payload, metadata and names.
    var cost: Int { 2 * message.bytes + 400 }
}

/// The subscriptions of a reader: channels, groups and wildcards.
package struct StreamInterest: Hashable, Sendable {
    /// The channels that the reader subscribes to by name.
    package var channels: [Identifier]
    /// The channel groups that the reader subscribes to, with their current channels.
    package var groups: [StreamGroup]
    /// The wildcard subscriptions, such as `a.*`.
    package var patterns: [Wildcard]

    package init(channels: [Identifier] = [], groups: [StreamGroup] = [], patterns: [Wildcard] = []) {
        self.channels = channels
        self.groups = groups
        self.patterns = patterns
    }
}

/// A channel group with its current channels.
package struct StreamGroup: Hashable, Sendable {
    /// The group's name.
    package var name: Identifier
    /// The group's channels.
    package var channels: [Identifier]

    package init(name: Identifier, channels: [Identifier]) {
        self.name = name
        self.channels = channels
    }
}

/// The subscription through which a reader gets a message. A number is the index in `groups` or `patterns` of the ``StreamInterest``.
///
/// If several subscriptions match, a message is delivered once: for its channel before a group, for a group before a pattern (rule HB-26).
package enum StreamSource: Hashable, Sendable {
    /// The reader subscribes to the channel itself.
    case channel
    /// The reader subscribes to the channel group at this index.
    case group(Int)
    /// The reader subscribes to the wildcard at this index.
    case pattern(Int)
}

/// A message in a page for a reader, with the subscription that it matches.
package struct StreamDelivery<Attachment: Sendable>: Sendable {
    /// The delivered message with its attachment.
    package let entry: StreamEntry<Attachment>
    /// The subscription that the message matches.
    package let source: StreamSource
}

/// One page of messages for a reader.
package struct StreamPage<Attachment: Sendable>: Sendable {
    /// The messages of the page, in the order of timetokens.
    package var deliveries: [StreamDelivery<Attachment>] = []
    /// The cursor for the next read: the timetoken of the last delivery, or the application's newest timetoken when there is no delivery.
    /// It is never below the cursor that was passed to this read.
    package var cursor: UInt64
    /// Whether more messages can be read, because the page has reached its limit.
    package var isCut = false
    /// Whether messages after the reader's cursor may be missing, because they were dropped when a limit of number, size or age was
    /// exceeded.
    package var hasDropped = false
    /// In the answer to a handshake that names a position: true when no message after this position is missing. In all other answers false.
    package var isComplete = false

    /// An empty page.
    package init(cursor: UInt64) {
        self.cursor = cursor
    }
}

/// The limits of the messages that are kept so that readers can catch up.
package struct StreamLimits: Hashable, Sendable {
    /// The largest number of messages of a channel.
    package var perChannel: Int
    /// The largest number of messages of a pattern, over all its channels.
    package var perPattern: Int
    /// How long messages are kept, in units of 100 ns.
    package var lifetime: UInt64
    /// The approximate memory limit of all queues of an application, in bytes. When it is exceeded, the oldest messages are dropped.
    package var bytes: Int

    package init(
        perChannel: Int = 100, perPattern: Int = 1000, lifetime: UInt64 = 1200 * TimetokenClock.ticksPerSecond,
        bytes: Int = 256 << 20
    ) {
        self.perChannel = max(1, perChannel)
        self.perPattern = max(1, perPattern)
        self.lifetime = lifetime
        self.bytes = bytes
    }
}
