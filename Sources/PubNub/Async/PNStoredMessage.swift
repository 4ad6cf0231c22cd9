import Foundation
import PubNubProtocol

/// A message of the history. An addition to the Cocoa SDK.
public struct PNStoredMessage: Hashable, Sendable {
    /// Its content as JSON text, decrypted.
    public let json: String
    /// Its place in the channel, in units of 100 ns since 1970.
    public let timetoken: UInt64
    /// The user id of the publisher; nil when the service does not report it.
    public let publisher: String?
    /// The metadata of the message, as JSON text; nil for none.
    public let metadata: String?
    /// The type that the publisher gave the message.
    public let customMessageType: String?
    /// The actions that users added to the message. Empty unless the request asked for actions.
    public let actions: [PNStoredAction]
    /// Whether the client has a cipher key that does not open the message. ``json`` is what was stored then.
    public let isUndecryptable: Bool

    init(_ message: PubNubStoredMessage, cipher: PubNubCipher?) {
        let plain = cipher.map { cipher in try? cipher.decrypt(message: message.payload.text) }
        json = (plain ?? nil) ?? message.payload.text
        if case .some(.none) = plain { isUndecryptable = true } else { isUndecryptable = false }
        timetoken = message.timetoken?.rawValue ?? 0
        publisher = message.publisher
        metadata = message.metadata?.text
        customMessageType = message.customType
        actions = (message.actions ?? []).map { PNStoredAction($0) }
    }

    /// The content as a value of a type of your own.
    ///
    /// - Throws: `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}

/// Something that a user added to a message. An addition to the Cocoa SDK.
public struct PNStoredAction: Hashable, Sendable {
    /// The type of the action, such as `reaction`.
    public let type: String
    /// The action's value.
    public let value: String
    /// Who added it.
    public let user: String
    /// Which message it belongs to.
    public let messageTimetoken: UInt64
    /// When it was added; with the message's timetoken it names the action.
    public let timetoken: UInt64

    init(_ action: PubNubMessageAction) {
        type = action.type
        value = action.value
        user = action.publisher
        messageTimetoken = action.messageTimetoken.rawValue
        timetoken = action.timetoken.rawValue
    }
}

/// One answer of the history: messages, oldest first. An addition to the Cocoa SDK.
public struct PNHistoryPage: Hashable, Sendable {
    /// The messages, oldest first.
    public let messages: [PNStoredMessage]
    /// The position of the page with older messages; nil when there are none.
    public let next: UInt64?
}
