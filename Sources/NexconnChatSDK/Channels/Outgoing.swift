import ChatDatabase
import ChatProtocol
import Foundation
import Identifiers
import NIOConcurrencyHelpers

/// A message to be sent, copied from the caller's objects, so that later changes of these objects have no effect.
struct Outgoing: Sendable {
    var channel: ChatChannel
    /// The caller's content object. A content with a file is a copy, because the file's address is set later.
    var content: MessageContent
    /// The encoded content for the server; nil while the address of its file is unknown.
    private var encoded: [UInt8]?
    var type: String
    /// The encoded content for the local database, which includes the local path of its file.
    var kept: [UInt8]
    var options: ChatMessageOptions
    /// The id by which the server recognises a message that is sent again.
    var clientID: String

    /// The largest content, in bytes (chat-protocol.md, section 1).
    static let largestContent = 131_072

    /// Creates a message, and checks all arguments that can be checked without the server (rule NH-10).
    init(_ content: MessageContent, _ params: MessageParams, to channel: ChatChannel, clientID: String) throws(NCError) {
        self.channel = channel
        self.content = content
        self.clientID = clientID
        type = content.typeName
        options = params.options(content.policy)
        guard channel.conversation != .system else {
            throw NCError(code: 20109, reason: "Users cannot send messages to a system channel.")
        }
        if !type.hasBytePrefix("RC:") { try ContentRegistry.check(customType: type) }
        if let metadata = params.metadata { try MessageMetadata.check(metadata, in: channel.conversation) }
        let isMedia = content is MediaMessageContent
        kept = try content.encoded(isLocal: isMedia)
        // The content is copied, because the caller may change the object as soon as the call has returned (rule NH-2).
        if isMedia, let copy = ContentRegistry.content(type: type, bytes: kept) as? MediaMessageContent {
            self.content = copy
        } else {
            // A content with a file is encoded again without the fields that only this device needs, such as the local path.
            encoded = isMedia ? try content.encoded() : kept
        }
    }

    /// Creates a message from a stored message that failed and is sent again.
    init(again local: LocalMessage) {
        channel = local.channel
        content = ContentRegistry.content(type: local.type, bytes: local.content)
        type = local.type
        kept = local.content
        options = local.options
        clientID = local.clientID ?? UUID().uuidString
    }

    /// The message for the session. Called when the message is sent, because the address of its file is unknown before.
    func draft() throws(NCError) -> ChatMessageDraft {
        let content = if let encoded { encoded } else { try content.encoded() }
        guard content.count <= Self.largestContent else {
            throw NCError(.tooLarge, reason: "The content has \(content.count) bytes; the limit is \(Self.largestContent).")
        }
        return ChatMessageDraft(
            clientID: clientID, conversation: channel.conversation, to: channel.id, type: type, content: content,
            options: options)
    }

    /// Whether this device stores the message. Messages of open channels, status messages and messages that are not persisted are not
    /// stored.
    var isKept: Bool { options.isPersisted && !options.isStatus && channel.conversation != .open }

    func local(from user: String, at time: Int64) -> LocalMessage {
        LocalMessage(
            channel: channel, clientID: clientID, sender: user, isSent: true, status: .sending, sentTime: time, type: type,
            content: kept, options: options)
    }
}

extension MessageContent {
    var policy: MessagePersistencePolicy {
        // A content of an unknown type is counted as unread, like most messages.
        self is UnknownMessage ? .counted : Self.persistencePolicy
    }
}

/// Checks the metadata of messages.
enum MessageMetadata {
    /// Checks metadata to be set: only in direct and group channels; keys of at most 32 letters, digits, `+`, `=`, `-`, `_`; values of at
    /// most 4096 characters (rule NH-11).
    static func check(_ pairs: [String: String], in conversation: ChatConversationKind) throws(NCError) {
        guard conversation == .direct || conversation == .group else {
            throw NCError(code: 34008, reason: "Only messages of direct and group channels have metadata.")
        }
        for (key, value) in pairs {
            guard (1...32).contains(key.utf8.count), key.utf8.allSatisfy(isAllowed) else {
                throw NCError(
                    .badArgument, reason: "A metadata key must have 1 to 32 characters: letters, digits, +, =, - or _.")
            }
            guard value.count <= 4096 else {
                throw NCError(code: 34010, reason: "A metadata value must have at most 4096 characters.")
            }
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "+=-_".utf8.contains(byte)
        }
    }
}

/// Numbers for messages that this device does not store. They are negative, so that they differ from the numbers in the database.
enum TransientNumber {
    private static let last = NIOLockedValueBox<Int64>(0)

    static func next() -> Int64 {
        last.withLockedValue { last in
            last -= 1
            return last
        }
    }
}
