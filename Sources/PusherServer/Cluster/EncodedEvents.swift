import NIOCore
import PusherProtocol
import ServerCluster

/// Events of the HTTP API that a node has authenticated, checked and encoded, for channels of one partition (rule CP-90).
///
/// The leader reads the channels and options of the events. It copies the encoded messages without reading them.
struct EncodedEvents: Hashable, Sendable {
    var application: String
    /// The number of messages that the leader counts against the application's limit; 0 if they were counted before (rule CP-92).
    var cost: Int
    var events: [EncodedEvent]
}

/// One event for one or several channels.
struct EncodedEvent: Hashable, Sendable {
    /// The distinct channel names, in the order of the request.
    var channels: [String]
    /// The connection that must not receive the event.
    var excluded: SocketID?
    /// The attributes of the channels that the answer to the request must contain.
    var info: ChannelAttributes
    var message: EventMessage
    /// The event in the form that cache channels store; nil if none of the channels is a cache channel.
    var cached: CachedText?

    /// The name and the data of an event.
    struct CachedText: Hashable, Sendable {
        var event: String
        var data: String
    }
}

/// The encoded message of an event in two parts: the text before the channel's name and the text after it.
struct EventMessage: Hashable, Sendable {
    var before: ByteBuffer
    var after: ByteBuffer
}

extension EventMessage {
    init(_ request: PublishRequest) {
        let (before, after) = PusherFrames.event(name: request.event, data: request.data)
        self.init(before: ByteBuffer(bytes: before), after: ByteBuffer(bytes: after))
    }
}

extension EncodedEvent {
    /// Makes the encoded form of one publish request.
    ///
    /// - Parameter message: the encoded message of the request.
    init(_ request: PublishRequest, _ message: EventMessage) {
        let isCached = request.channels.contains { PusherChannelKind(of: $0).isCache }
        self.init(
            channels: request.channels, excluded: request.excluded, info: request.info, message: message,
            cached: isCached ? CachedText(event: request.event, data: request.data) : nil)
    }
}

// MARK: - Coding

extension EncodedEvents: CodedValue {
    var expectedLength: Int { events.reduce(application.utf8.count + 32) { $0 + $1.expectedLength } }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let application = try fields.field(1, value?.application)
        let cost = try fields.field(2, value.map { UInt32(clamping: $0.cost) })
        return Self(application: application, cost: Int(cost), events: try fields.list(3, value?.events))
    }
}

extension EncodedEvent: CodedValue {
    var expectedLength: Int {
        let texts = message.before.readableBytes + message.after.readableBytes
        let cachedLength = cached.map { $0.event.utf8.count + $0.data.utf8.count } ?? 0
        return channels.reduce(texts + cachedLength + 64) { $0 + $1.utf8.count + 8 }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let (channels, excluded) = (try fields.list(1, value?.channels), try fields.optional(2, value?.excluded))
        let info = try fields.field(3, value?.info)
        let message = EventMessage(
            before: try fields.field(4, value?.message.before), after: try fields.field(5, value?.message.after))
        return Self(
            channels: channels, excluded: excluded, info: info, message: message, cached: try fields.optional(6, value?.cached))
    }
}

extension EncodedEvent.CachedText: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(event: try fields.field(1, value?.event), data: try fields.field(2, value?.data))
    }
}
