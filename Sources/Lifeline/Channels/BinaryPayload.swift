import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON encoding of a binary payload (rule LL-130): `{"base64":"…"}`. It distinguishes bytes from text and is the same for every
/// service.
enum BinaryPayload {
    static let key = "base64"

    /// Base64 text is inserted without escaping, because its characters need no escape in JSON.
    static func json(of data: Data) -> String { #"{"\#(key)":"\#(data.base64EncodedString())"}"# }

    /// The bytes of a payload; nil when `text` is not a JSON object with a base64 string. Accepts standard base64 with padding only.
    static func data(in text: String) -> Data? {
        // Text that is not valid JSON cannot contain a binary payload, so the result is nil.
        guard let json = try? JSONText(text), json.kind == .object, let encoded = json[key]?.string else { return nil }
        return Data(base64Encoded: encoded)
    }
}

extension Channel {
    /// Publishes bytes. They travel as text, `{"base64":"…"}`, because the messages of all three services are JSON: base64 makes them a
    /// third longer, and the encoded length counts for the service's message limit. Receivers get them with ``Message/decodeData()``.
    ///
    /// Waiting, outcome and delivery are described at ``publish(_:event:options:)``.
    ///
    /// - Parameters:
    ///   - data: the bytes. The limit is about 7.5 KB for Pusher, 24 KB for PubNub, and 96 KB for chat unless the chat server's operator
    ///     sets another limit. The limit is lower for encrypted messages.
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
    /// The bytes that were published with ``Channel/publish(data:event:options:)``: the decoded field `base64` of the payload's JSON
    /// object.
    ///
    /// - Throws: ``LifelineError/Code/undecodable`` when the payload has no such field. The error does not contain the payload.
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
    /// Enqueues bytes, which are encoded as described at ``Channel/publish(data:event:options:)``. The order of sending, the lifetime and
    /// the outcome are described at ``publish(_:to:event:options:lifetime:)``.
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
