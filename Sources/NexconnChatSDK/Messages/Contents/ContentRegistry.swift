import Foundation
import Identifiers
import NIOConcurrencyHelpers
import WireCoding

/// Finds the class for each type of content, and decodes contents.
enum ContentRegistry {
    private static let custom = NIOLockedValueBox<[String: MessageContent.Type]>([:])

    /// Decodes a content. A content that cannot be decoded becomes an ``UnknownMessage``, so decoding never fails (rule NH-4).
    static func content(type: String, bytes: [UInt8]) -> MessageContent {
        guard let fields = ContentFields(bytes) else { return UnknownMessage(type: type, bytes: bytes) }
        return builtIn(type, fields) ?? own(type, bytes)
    }

    /// Decodes a content that is part of another content and is already parsed.
    static func content(type: String, value: JSONValue) -> MessageContent {
        guard let fields = ContentFields(value) else { return UnknownMessage(type: type, bytes: Array(value.text.utf8)) }
        return builtIn(type, fields) ?? own(type, fields.bytes)
    }

    private static func own(_ type: String, _ bytes: [UInt8]) -> MessageContent {
        let data = Data(bytes)
        let own: MessageContent? =
            switch custom.withLockedValue({ $0[type] }) {
            case let kind as CustomMessage.Type: try? kind.init(content: data)
            case let kind as CustomMediaMessage.Type: try? kind.init(content: data)
            default: nil
            }
        return own ?? UnknownMessage(type: type, bytes: bytes)
    }

    /// Registers classes for custom types. A type that is registered already gets the new class (rule NH-5).
    static func register(_ classes: [MessageContent.Type]) throws(NCError) {
        for kind in classes {
            guard kind is CustomMessage.Type || kind is CustomMediaMessage.Type else {
                throw NCError(code: 34209, reason: "\(kind) is not a subclass of CustomMessage or CustomMediaMessage.")
            }
            try check(customType: kind.messageType)
        }
        custom.withLockedValue { table in
            for kind in classes { table[kind.messageType] = kind }
        }
    }

    /// Checks a type name of the application: 1 to 32 characters, not beginning with `RC:` (chat-protocol.md, section 5).
    static func check(customType type: String) throws(NCError) {
        guard (1...32).contains(type.unicodeScalars.count) else {
            throw NCError(code: 34209, reason: "The messageType must have 1 to 32 characters.")
        }
        guard !type.hasBytePrefix("RC:") else {
            throw NCError(code: 34209, reason: "The messageType begins with RC:, which is reserved for the service.")
        }
    }

    private static func builtIn(_ type: String, _ fields: ContentFields) -> MessageContent? {
        switch type {
        case MessageType.text: TextMessage(fields)
        case MessageType.image: ImageMessage(fields)
        case MessageType.gif: GIFMessage(fields)
        case MessageType.hdVoice: HDVoiceMessage(fields)
        case MessageType.file: FileMessage(fields)
        case MessageType.shortVideo: ShortVideoMessage(fields)
        case MessageType.reference: ReferenceMessage(fields)
        case MessageType.location: LocationMessage(fields)
        case MessageType.combine, MessageType.combineV2: CombineMessage(fields)
        case MessageType.command: CommandMessage(fields)
        case MessageType.commandNotification: CommandNotificationMessage(fields)
        case MessageType.informationNotification: InformationNotificationMessage(fields)
        case MessageType.groupNotification: GroupNotificationMessage(fields)
        default: nil
        }
    }
}

extension MessageContent {
    /// The type name of this content in the protocol, such as `RC:TxtMsg`.
    var typeName: String { (self as? UnknownMessage)?.type ?? Self.messageType }
}
