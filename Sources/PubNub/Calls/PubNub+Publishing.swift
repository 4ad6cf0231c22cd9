import Foundation
import PubNubProtocol

// Methods that publish messages. Each returns at once; `block` is called on the callback queue when the service has answered.
//
// A message is a dictionary, an array, a string, a number or a boolean. With a cipher key the message is encrypted. Metadata, signals and
// payloads for push notifications are never encrypted.
extension PubNub {
    /// Publishes a message.
    public func publish(_ message: Any, toChannel channel: String, withCompletion block: PNPublishCompletionBlock? = nil) {
        publish(PublishDraft(channel: channel, message: message), block)
    }

    /// Publishes a message with metadata that filter expressions can use.
    public func publish(
        _ message: Any, toChannel channel: String, withMetadata metadata: [String: Any]?,
        completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, metadata: metadata), block)
    }

    /// Publishes a message, optionally compressed.
    public func publish(
        _ message: Any, toChannel channel: String, compressed: Bool, withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, isCompressed: compressed), block)
    }

    /// Publishes a message with metadata, optionally compressed.
    public func publish(
        _ message: Any, toChannel channel: String, compressed: Bool, withMetadata metadata: [String: Any]?,
        completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, metadata: metadata, isCompressed: compressed), block)
    }

    /// Publishes a message, optionally kept in the history.
    public func publish(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool,
        withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, isStored: shouldStore), block)
    }

    /// Publishes a message with metadata, optionally kept in the history.
    public func publish(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool, withMetadata metadata: [String: Any]?,
        completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, metadata: metadata, isStored: shouldStore), block)
    }

    /// Publishes a message, optionally kept in the history and optionally compressed.
    public func publish(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool, compressed: Bool,
        withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, isStored: shouldStore, isCompressed: compressed), block)
    }

    /// Publishes a message with metadata, optionally kept in the history and optionally compressed.
    public func publish(
        _ message: Any, toChannel channel: String, storeInHistory shouldStore: Bool, compressed: Bool,
        withMetadata metadata: [String: Any]?, completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(
            PublishDraft(
                channel: channel, message: message, metadata: metadata, isStored: shouldStore, isCompressed: compressed), block)
    }

    /// Publishes the message that `request` describes.
    public func publish(with request: PNPublishRequest, completion block: PNPublishCompletionBlock? = nil) {
        publish(request.draft, block)
    }

    /// The implementation that all methods for publishing share.
    func publish(_ draft: PublishDraft, _ block: PNPublishCompletionBlock?) {
        start(.publishOperation, extras: draft.extras) { () throws(PubNubProblem) in
            try draft.call(cipher, sequence: nextSequenceNumber())
        } then: { outcome in
            block?(PNPublishStatus(outcome))
        }
    }
}

// Methods that publish a message with push notifications.
extension PubNub {
    /// Publishes a message together with payloads for push notifications by vendor, such as `["aps": ["alert": "Hi"]]`. The message or the
    /// payloads may be nil, but not both.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, payloads: payloads), block)
    }

    /// Publishes a message with metadata, together with payloads for push notifications.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        withMetadata metadata: [String: Any]?, completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, metadata: metadata, payloads: payloads), block)
    }

    /// Publishes a message together with payloads for push notifications, optionally compressed.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?, compressed: Bool,
        withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, payloads: payloads, isCompressed: compressed), block)
    }

    /// Publishes a message with metadata, together with payloads for push notifications, optionally compressed.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?, compressed: Bool,
        withMetadata metadata: [String: Any]?, completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(
            PublishDraft(
                channel: channel, message: message, metadata: metadata, payloads: payloads, isCompressed: compressed), block)
    }

    /// Publishes a message together with payloads for push notifications, optionally kept in the history.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        storeInHistory shouldStore: Bool, withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(PublishDraft(channel: channel, message: message, payloads: payloads, isStored: shouldStore), block)
    }

    /// Publishes a message with metadata, together with payloads for push notifications, optionally kept in the history.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        storeInHistory shouldStore: Bool, withMetadata metadata: [String: Any]?,
        completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(
            PublishDraft(channel: channel, message: message, metadata: metadata, payloads: payloads, isStored: shouldStore),
            block)
    }

    /// Publishes a message together with payloads for push notifications, optionally kept in the history and optionally compressed.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        storeInHistory shouldStore: Bool, compressed: Bool, withCompletion block: PNPublishCompletionBlock? = nil
    ) {
        publish(
            PublishDraft(
                channel: channel, message: message, payloads: payloads, isStored: shouldStore, isCompressed: compressed), block)
    }

    /// Publishes a message with metadata, together with payloads for push notifications, optionally kept in the history and optionally
    /// compressed.
    public func publish(
        _ message: Any?, toChannel channel: String, mobilePushPayload payloads: [String: Any]?,
        storeInHistory shouldStore: Bool, compressed: Bool, withMetadata metadata: [String: Any]?,
        completion block: PNPublishCompletionBlock? = nil
    ) {
        publish(
            PublishDraft(
                channel: channel, message: message, metadata: metadata, payloads: payloads, isStored: shouldStore,
                isCompressed: compressed), block)
    }
}
