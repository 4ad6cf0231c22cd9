import Identifiers
import ServerStorage

/// A message in the stream of an application, with an attachment of the front.
///
/// One object, shared by the queues and all deliveries.
package final class StreamEntry<Attachment: Sendable>: Sendable {
    /// The message.
    package let message: StoredMessage
    /// The front's attachment: usually the encoded bytes that all deliveries share.
    package let attachment: Attachment

    init(message: StoredMessage, attachment: Attachment) {
        self.message = message
        self.attachment = attachment
    }

    /// The approximate memory in bytes: the attachment contains payload, metadata and names again.
    var cost: Int { 2 * message.bytes + 400 }
}

/// The subscriptions of a reader.
package struct StreamInterest: Hashable, Sendable {
    /// Single channels.
    package var channels: [Identifier]
    /// Channel groups with their channels.
    package var groups: [StreamGroup]
    /// Wildcard subscriptions.
    package var patterns: [Wildcard]

    /// Makes a value with these properties.
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

    /// Makes a value with these properties.
    package init(name: Identifier, channels: [Identifier]) {
        self.name = name
        self.channels = channels
    }
}

/// The part of the interest that a delivery matched; the numbers are indexes into `groups` and `patterns`.
///
/// If several parts match, a message is delivered once: for its channel before a group, for a group before a pattern (rule HB-26).
package enum StreamSource: Hashable, Sendable {
    /// The channel itself was subscribed.
    case channel
    /// The channel group at this index.
    case group(Int)
    /// The wildcard at this index.
    case pattern(Int)
}

/// A message that is being delivered to a reader.
package struct StreamDelivery<Attachment: Sendable>: Sendable {
    /// The message with its attachment.
    package let entry: StreamEntry<Attachment>
    /// The subscription that the message matches.
    package let source: StreamSource
}

/// The messages for a reader.
package struct StreamPage<Attachment: Sendable>: Sendable {
    /// The deliveries in the order of timetokens.
    package var deliveries: [StreamDelivery<Attachment>] = []
    /// The cursor for the next read: the timetoken of the last delivery, or the newest of the application when there is none. Never
    /// below the cursor that was read from.
    package var cursor: UInt64
    /// Whether there are more messages, because the page has reached its limit.
    package var isCut = false
    /// Whether messages after the reader's cursor may be missing, because there were too many or they are too old.
    package var hasDropped = false
    /// Whether no message after the position that a handshake asks about is missing. False when it asks about none.
    package var isComplete = false

    /// An empty page.
    package init(cursor: UInt64) {
        self.cursor = cursor
    }
}

/// The limits on the messages that a stream keeps for absent readers.
package struct StreamLimits: Hashable, Sendable {
    /// The largest number of messages of a channel.
    package var perChannel: Int
    /// The largest number of messages of a pattern, over all its channels.
    package var perPattern: Int
    /// How long messages are kept, in units of 100 ns.
    package var lifetime: UInt64
    /// The approximate memory limit of all queues of an application, in bytes. The oldest messages that exceed it are dropped.
    package var bytes: Int

    /// Makes a value with these properties.
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
