/// The base of publishing a message and a file.
open class PNBasePublishRequest: PNRequest {
    /// Further parameters of the request.
    public final var arbitraryQueryParameters: [AnyHashable: Any]?
    /// Whether the message is kept in the history; true by default.
    public final var shouldStore = true
    /// Metadata that subscribers' filters can use. Never encrypted.
    public final var metadata: [AnyHashable: Any]?
    /// The channel to publish to.
    public final let channel: String
    /// The message: a dictionary, an array, a string, a number or a boolean.
    public final var message: Any?
    /// How many hours the message is kept; 0, the default, for the keyset's setting.
    public final var ttl: UInt = 0
    /// Kept for source compatibility, without effect: a retry always sends the same message with the same number.
    public final var retried = false
    /// The type that receivers see, 3 to 50 characters. An addition to the Cocoa SDK 4.17.
    public final var customMessageType: String?

    init(baseChannel channel: String) {
        self.channel = channel
        super.init()
    }
}

/// Describes a message to publish.
public final class PNPublishRequest: PNBasePublishRequest {
    /// Whether other data centres get the message; true by default.
    public var shouldReplicate = true
    /// Whether to compress the message; false by default.
    public var shouldCompress = false
    /// Payloads for push notifications by vendor.
    public var payloads: [AnyHashable: Any]?

    /// Publishes to a channel; set the message and options as properties.
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
