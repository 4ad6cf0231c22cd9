import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol

/// The values that the messages of one answer share: user and key of the client that received them, and the lock for parsing a message's
/// JSON text.
final class MessageBatch: Sendable {
    let context: ResultContext
    let lock = NIOLock()

    init(context: ResultContext) {
        self.context = context
    }
}

/// The data of a message or event that was received on a channel.
///
/// `@unchecked Sendable`, here and in all subclasses: every property is constant, or parsed on first use under the lock of `batch`.
open class PNSubscriberData: PNServiceData, @unchecked Sendable {
    let raw: PubNubMessage
    let batch: MessageBatch

    init(_ raw: PubNubMessage, batch: MessageBatch) {
        self.raw = raw
        self.batch = batch
        super.init()
    }

    /// The channel's name, without the presence suffix `-pnpres`.
    public final var channel: String { raw.channel.withoutPresenceSuffix }

    /// The subscribed group or wildcard that delivered the message; nil when the channel itself is subscribed.
    public final var subscription: String? {
        guard let subscription = raw.subscription?.withoutPresenceSuffix, subscription != channel else { return nil }
        return subscription
    }

    /// The subscribed name that delivered the message: a group, a wildcard or the channel. For applications of the Cocoa SDK before 4.9.
    public final var subscribedChannel: String { subscription ?? channel }

    /// The channel of the message, for applications of the Cocoa SDK before 4.9.
    public final var actualChannel: String { channel }

    /// When the message was published, in units of 100 ns since 1970. Use it as a position in the history, not as a clock.
    open var timetoken: NSNumber { NSNumber(value: raw.timetoken.rawValue) }

    /// The metadata of the message; nil when there is none or when it is not a dictionary.
    public final var userMetadata: [String: Any]? {
        raw.metadata.flatMap { FoundationJSON.value($0) } as? [String: Any]
    }

    /// The custom type that the publisher gave the message; nil for none. An addition to the Cocoa SDK.
    public final var customMessageType: String? { raw.customType }
}

extension String {
    var withoutPresenceSuffix: String {
        droppingByteSuffix(PubNubMessage.presenceSuffix)
    }
}

/// A published message, with its channel, timetoken and publisher.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
open class PNMessageData: PNSubscriberData, @unchecked Sendable {
    private enum Content {
        case unread
        case read(Any?)
    }

    /// The parsed message. It is accessed only under `batch.lock`, so the compiler's check for overlapping accesses is not needed.
    @exclusivity(unchecked) private var content = Content.unread
    /// The message as JSON text, decrypted. An addition to the Cocoa SDK.
    public final let json: String

    /// - Parameter opened: the decrypted payload as JSON text; nil for a payload that is not encrypted.
    init(_ raw: PubNubMessage, batch: MessageBatch, opened: String? = nil) {
        json = opened ?? raw.payload
        super.init(raw, batch: batch)
    }

    /// The user id of the publisher; empty when the service reports none.
    public final var publisher: String { raw.publisher ?? "" }

    /// The message: a dictionary, an array, a `String`, an `NSNumber` or `NSNull`. It is parsed from ``json`` at the first use.
    public final var message: Any? {
        batch.lock.withLock {
            if case .read(let value) = content { return value }
            let value = FoundationJSON.value(json)
            content = .read(value)
            return value
        }
    }

    /// Decodes ``json`` as a value of a type of your own. An addition to the Cocoa SDK.
    ///
    /// - Throws: `DecodingError` when the JSON does not fit the type.
    public final func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}

/// A signal that was received on a channel.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNSignalData: PNMessageData, @unchecked Sendable {}
