/// The base class of requests that publish a message or a message about a file.
open class PNBasePublishRequest: PNRequest {
    /// Additional query parameters of the request, by name.
    public final var arbitraryQueryParameters: [AnyHashable: Any]?
    /// Whether the service stores the message in the channel's history; true by default.
    public final var shouldStore = true
    /// Metadata of the message. Subscribers' filter expressions can test it. It is never encrypted.
    public final var metadata: [AnyHashable: Any]?
    /// The name of the channel to publish to.
    public final let channel: String
    /// The message to publish: a dictionary, an array, a string, a number or a boolean.
    public final var message: Any?
    /// How many hours the history keeps the message; 0, the default, for the keyset's setting.
    public final var ttl: UInt = 0
    /// This property has no effect and exists for source compatibility: a retry always sends the same message with the same sequence
    /// number.
    public final var retried = false
    /// The custom type that receivers of the message see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public final var customMessageType: String?

    init(baseChannel channel: String) {
        self.channel = channel
        super.init()
    }
}

/// A request that publishes a message to subscribers.
public final class PNPublishRequest: PNBasePublishRequest {
    /// Whether the service copies the message to its other data centres; true by default.
    public var shouldReplicate = true
    /// Whether the message is compressed and sent in the body of a POST request; false by default.
    public var shouldCompress = false
    /// Payloads for push notifications, by the vendor's key, such as `aps`.
    public var payloads: [AnyHashable: Any]?

    /// A request that publishes to `channel`. Set the message and its options as properties.
    public init(channel: String) {
        super.init(baseChannel: channel)
    }

    var draft: PublishDraft {
        PublishDraft(
            channel: channel, message: message, metadata: metadata, payloads: payloads, isStored: shouldStore, ttl: ttl,
            isCompressed: shouldCompress, isReplicated: shouldReplicate, customType: customMessageType,
            query: arbitraryQueryParameters)
    }
}
