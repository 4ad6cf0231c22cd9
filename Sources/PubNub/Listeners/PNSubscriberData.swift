import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol

/// The part that the messages of one answer have in common: the client that received them, and the lock that is held while a message is
/// parsed from its JSON text.
final class MessageBatch: Sendable {
    let context: ResultContext
    let lock = NIOLock()

    init(context: ResultContext) {
        self.context = context
    }
}

/// The data of a message or event that was received on a channel.
///
/// `@unchecked Sendable`, here and in all subclasses: constant, except for what is read lazily under the lock of `batch`.
open class PNSubscriberData: PNServiceData, @unchecked Sendable {
    let raw: PubNubMessage
    let batch: MessageBatch

    init(_ raw: PubNubMessage, batch: MessageBatch) {
        self.raw = raw
        self.batch = batch
        super.init()
    }

    /// The channel's name, without `-pnpres`.
    public final var channel: String { raw.channel.withoutPresenceSuffix }

    /// The group or wildcard by which the message was received; nil when the channel itself is subscribed.
    public final var subscription: String? {
        guard let subscription = raw.subscription?.withoutPresenceSuffix, subscription != channel else { return nil }
        return subscription
    }

    /// The subscribed name: the group or wildcard, or the channel. For applications of the Cocoa SDK before 4.9.
    public final var subscribedChannel: String { subscription ?? channel }

    /// The channel of the message, for applications of the Cocoa SDK before 4.9.
    public final var actualChannel: String { channel }

    /// When the message was published, in units of 100 ns since 1970. Use it as a position for history requests, not as a clock.
    open var timetoken: NSNumber { NSNumber(value: raw.timetoken.rawValue) }

    /// The metadata of the message; nil for none, or when it is not a dictionary.
    public final var userMetadata: [String: Any]? {
        raw.metadata.flatMap { FoundationJSON.value($0) } as? [String: Any]
    }

    /// The type that the publisher gave the message, if any. An addition to the Cocoa SDK.
    public final var customMessageType: String? { raw.customType }
}

extension String {
    var withoutPresenceSuffix: String {
        droppingByteSuffix(PubNubMessage.presenceSuffix)
    }
}

/// A published message.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
open class PNMessageData: PNSubscriberData, @unchecked Sendable {
    private enum Content {
        case unread
        case read(Any?)
    }

    /// Guarded by `batch.lock`, so that accesses never overlap.
    @exclusivity(unchecked) private var content = Content.unread
    /// The message as JSON text, decrypted. An addition to the Cocoa SDK.
    public final let json: String

    /// - Parameter opened: the decrypted payload as JSON text; nil for a payload that is not encrypted.
    init(_ raw: PubNubMessage, batch: MessageBatch, opened: String? = nil) {
        json = opened ?? raw.payload
        super.init(raw, batch: batch)
    }

    /// The user id of the publisher; empty when there is none.
    public final var publisher: String { raw.publisher ?? "" }

    /// The message: a dictionary, an array, a `String`, an `NSNumber` or `NSNull`. Read from its JSON on first use.
    public final var message: Any? {
        batch.lock.withLock {
            if case .read(let value) = content { return value }
            let value = FoundationJSON.value(json)
            content = .read(value)
            return value
        }
    }

    /// The message as a value of a type of your own. An addition to the Cocoa SDK.
    ///
    /// - Throws: `DecodingError`.
    public final func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}

/// A signal.
///
/// `@unchecked Sendable`: every property is constant, or read under the lock of `batch` (see ``PNSubscriberData``).
public final class PNSignalData: PNMessageData, @unchecked Sendable {}
