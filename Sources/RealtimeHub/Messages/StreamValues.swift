import Identifiers

/// A message in the stream of an application, with what a front attached to it.
///
/// One object, shared by the queues and by all deliveries.
public final class StreamEntry<Attachment: Sendable>: Sendable {
    /// The message.
    public let message: StoredMessage
    /// The front's own: as a rule the encoded bytes that all deliveries have in common.
    public let attachment: Attachment

    init(message: StoredMessage, attachment: Attachment) {
        self.message = message
        self.attachment = attachment
    }

    /// Bytes, roughly: the attachment holds payload, metadata and names again.
    var cost: Int { 2 * message.bytes + 400 }
}

/// The subscriptions of a reader.
public struct StreamInterest: Hashable, Sendable {
    /// Single channels.
    public var channels: [Identifier]
    /// Channel groups with their channels.
    public var groups: [StreamGroup]
    /// Wildcard subscriptions.
    public var patterns: [Wildcard]

    /// Makes a value with these properties.
    public init(channels: [Identifier] = [], groups: [StreamGroup] = [], patterns: [Wildcard] = []) {
        self.channels = channels
        self.groups = groups
        self.patterns = patterns
    }
}

/// A channel group with the channels that it has now.
public struct StreamGroup: Hashable, Sendable {
    /// The group's name.
    public var name: Identifier
    /// The group's channels.
    public var channels: [Identifier]

    /// Makes a value with these properties.
    public init(name: Identifier, channels: [Identifier]) {
        self.name = name
        self.channels = channels
    }
}

/// Which part of the interest a delivery matched; the numbers are positions in `groups` and `patterns`.
///
/// When several match, a message is delivered once: for its channel before a group, for a group before a pattern (rule HB-26).
public enum StreamSource: Hashable, Sendable {
    /// The channel itself was subscribed.
    case channel
    /// The channel group at this index.
    case group(Int)
    /// The wildcard at this index.
    case pattern(Int)
}

/// A message that is being delivered to a reader.
public struct StreamDelivery<Attachment: Sendable>: Sendable {
    /// The message with its attachment.
    public let entry: StreamEntry<Attachment>
    /// The subscription that the message matches.
    public let source: StreamSource
}

/// The messages that a reader gets.
public struct StreamPage<Attachment: Sendable>: Sendable {
    /// In the order of timetokens.
    public var deliveries: [StreamDelivery<Attachment>] = []
    /// The position of the next read: the timetoken of the last delivery, or the newest of the application when there is none. Never below the
    /// cursor that was read from.
    public var cursor: UInt64
    /// Whether more is waiting: the page was cut at its limit.
    public var isCut = false
    /// Whether something after the reader's cursor may be missing, because it was too much or too long ago.
    public var hasDropped = false

    /// An empty page.
    public init(cursor: UInt64) {
        self.cursor = cursor
    }
}

/// The limits on the messages that a stream keeps for absent readers.
public struct StreamLimits: Hashable, Sendable {
    /// Messages of a channel.
    public var perChannel: Int
    /// Messages of a pattern, over all its channels.
    public var perPattern: Int
    /// How long, in units of 100 ns.
    public var lifetime: UInt64
    /// Bytes of all queues of an application, roughly. Beyond that the oldest go first.
    public var bytes: Int

    /// Makes a value with these properties.
    public init(
        perChannel: Int = 100, perPattern: Int = 1000, lifetime: UInt64 = 1200 * TimetokenClock.ticksPerSecond,
        bytes: Int = 256 << 20
    ) {
        self.perChannel = max(1, perChannel)
        self.perPattern = max(1, perPattern)
        self.lifetime = lifetime
        self.bytes = bytes
    }
}
