import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes as JSON (rule LL-130): `{"base64":"…"}`, so that a message of bytes is distinguished from a text, and is the same with every
/// service.
enum BinaryPayload {
    static let key = "base64"

    /// The letters of base64 need no escape.
    static func json(of data: Data) -> String { #"{"\#(key)":"\#(data.base64EncodedString())"}"# }

    /// The bytes of a payload; nil for a text that is not such a JSON object. Accepts standard base64 with padding only.
    static func data(in text: String) -> Data? {
        // A text that is not JSON is not a payload of bytes.
        guard let json = try? JSONText(text), json.kind == .object, let encoded = json[key]?.string else { return nil }
        return Data(base64Encoded: encoded)
    }
}

extension Channel {
    /// Publishes bytes. They travel as text, `{"base64":"…"}`, because the messages of all three services are JSON: base64 makes them a
    /// third longer, and the encoded length counts for the service's message limit. Receivers get them with ``Message/decodeData()``.
    ///
    /// Everything else is as with ``publish(_:event:options:)``.
    ///
    /// - Parameters:
    ///   - data: the bytes. The limit is about 7.5 KB for Pusher, 24 KB for PubNub, and 96 KB for chat unless its operator sets another
    ///     one; it is lower for encrypted messages.
    ///   - event: the event's name.
    ///   - options: options of publishing.
    /// - Throws: as ``publish(_:event:options:)``.
    public func publish(
        data: Data, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try core.requireEncryption(of: name)
        return try await core.publish(Publication(channel: name, event: event, data: data, options: options))
    }
}

extension Room {
    /// Publishes bytes. See ``Channel/publish(data:event:options:)``.
    ///
    /// - Throws: as ``Channel/publish(_:event:options:)``.
    public func publish(
        data: Data, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions()
    ) async throws(LifelineError) -> PublishOutcome {
        try await channel.publish(data: data, event: event, options: options)
    }
}

extension Message {
    /// The bytes of a message that was published with ``Channel/publish(data:event:options:)``: the decoded field `base64` of its JSON
    /// object.
    ///
    /// - Throws: ``LifelineError/Code/undecodable`` for any other message. The error does not show the payload.
    public func decodeData() throws(LifelineError) -> Data {
        guard let data = BinaryPayload.data(in: text) else {
            throw LifelineError(
                .undecodable,
                "The payload does not contain bytes: it is not a JSON object whose member \(BinaryPayload.key) is a base64 string."
            )
        }
        return data
    }
}

extension Outbox {
    /// Enqueues bytes. See ``Channel/publish(data:event:options:)`` for their encoding, and ``publish(_:to:event:options:lifetime:)``
    /// for everything else.
    ///
    /// - Throws: as ``publish(_:to:event:options:lifetime:)``.
    @discardableResult
    public func publish(
        data: Data, to channel: String, event: String = Message.defaultEvent, options: PublishOptions = PublishOptions(),
        lifetime: Duration? = nil
    ) throws(LifelineError) -> OutboxReceipt {
        try take(Publication(channel: channel, event: event, data: data, options: options), lifetime: lifetime)
    }
}
