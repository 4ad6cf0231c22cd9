import Foundation
import PusherProtocol

/// An event of a channel or of the connection.
///
/// All callbacks for an event share one object. `@unchecked Sendable`: immutable.
#if canImport(ObjectiveC)
    @objcMembers
#endif
open class PusherEvent: NSObject, NSCopying, @unchecked Sendable {
    /// The event's name, to which callbacks are bound.
    public let eventName: String
    /// The name of the event's channel; nil for an event of the connection.
    public var channelName: String? { message.channel }
    /// The published data: a string as it is, any other value as JSON text; nil when there is none or when it is `null`. Encrypted data has
    /// been decrypted.
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

    /// A property of the message as it arrived; nil when the message has no property of this name.
    ///
    /// The value is one of `JSONSerialization`. The `data` of an encrypted event is the ciphertext. Every call parses the message, so store
    /// the result if you need it more than once.
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

    /// Returns the event itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any {
        self
    }

    /// `data` as a JSON value; nil when `data` is nil or not JSON.
    func dataToJSONObject() -> Any? {
        data.flatMap(AnyJSON.parse)
    }
}
