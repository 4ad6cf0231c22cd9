import Foundation
import PusherProtocol

/// An event of a channel or of the connection.
///
/// One object is made per event and shared by all callbacks. `@unchecked Sendable`: immutable.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherEvent: NSObject, NSCopying, @unchecked Sendable {
    /// The name that callbacks are bound to.
    public let eventName: String
    /// The channel of the event, or nil.
    public var channelName: String? { message.channel }
    /// The published data: a text, or another value as JSON text; nil when there is none or when it is `null`. Encrypted data is
    /// decrypted.
    public var data: String? {
        message.dataIsString || message.data != "null" ? message.data : nil
    }
    /// The id of the user who triggered a client event on a presence channel; nil for other events.
    public var userId: String? { message.userID }

    /// The message as it arrived, for `property(withKey:)`.
    private let message: PusherEnvelope

    init(_ message: PusherEnvelope, named eventName: String? = nil) {
        self.eventName = eventName ?? message.event
        self.message = message
    }

    /// A property of the message as it arrived, or nil when it has none of that name.
    ///
    /// The values are those of `JSONSerialization`. `data` of an encrypted event is the ciphertext. Every call parses the message, so
    /// keep the result when you need it again.
    public func property(withKey key: String) -> Any? {
        switch key {
        case "event": return message.event
        case "channel": return message.channel
        case "user_id": return message.userID
        case "data":
            guard let text = message.ciphertext ?? message.data else { return nil }
            return message.dataIsString ? text : AnyJSON.parse(text) ?? text
        default:
            if key == "position", let position = message.position { return position }
            guard let extras = message.extras, let object = AnyJSON.parse(extras) as? [String: Any] else { return nil }
            return object[key]
        }
    }

    /// The event itself, since it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any {
        self
    }

    /// `data` as a JSON value, or nil when it is not JSON.
    func dataToJSONObject() -> Any? {
        data.flatMap(AnyJSON.parse)
    }
}
