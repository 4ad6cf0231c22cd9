import Foundation
import PubNubProtocol

/// A stored message of a channel. An addition to the Cocoa SDK.
public struct PNStoredMessage: Hashable, Sendable {
    /// The message's content as JSON text, decrypted.
    public let json: String
    /// The message's position in the channel, in units of 100 ns since 1970.
    public let timetoken: UInt64
    /// The user id of the publisher; nil when the service does not report it.
    public let publisher: String?
    /// The metadata of the message, as JSON text; nil for none.
    public let metadata: String?
    /// The custom type that the publisher gave the message; nil when the service reports none.
    public let customMessageType: String?
    /// The actions that users added to the message. Empty unless the request asked for actions.
    public let actions: [PNStoredAction]
    /// Whether the client has a cipher key that cannot decrypt the message. ``json`` is then the stored text.
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

    /// Decodes ``json`` as a value of a type of your own.
    ///
    /// - Throws: `DecodingError` when the JSON does not fit the type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }
}

/// An action that a user added to a message, such as a reaction. An addition to the Cocoa SDK.
public struct PNStoredAction: Hashable, Sendable {
    /// The type of the action, such as `reaction`.
    public let type: String
    /// The action's value.
    public let value: String
    /// The id of the user who added the action to the message.
    public let user: String
    /// The timetoken of the message that the action belongs to.
    public let messageTimetoken: UInt64
    /// When the action was added, in units of 100 ns since 1970. This and ``messageTimetoken`` identify the action.
    public let timetoken: UInt64

    init(_ action: PubNubMessageAction) {
        type = action.type
        value = action.value
        user = action.publisher
        messageTimetoken = action.messageTimetoken.rawValue
        timetoken = action.timetoken.rawValue
    }
}

/// One page of a channel's stored messages. An addition to the Cocoa SDK.
public struct PNHistoryPage: Hashable, Sendable {
    /// The messages, oldest first.
    public let messages: [PNStoredMessage]
    /// The position of the page with older messages, for `before` of the next request; nil when there are no older messages.
    public let next: UInt64?
}
