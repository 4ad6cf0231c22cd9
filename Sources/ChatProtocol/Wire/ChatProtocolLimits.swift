import Identifiers
import WireCoding

/// The limits of the protocol (chat-protocol.md, sections 1 to 9 and 11). Clients check the limits before they send a frame, and servers
/// when they read a frame.
public enum ChatProtocolLimits {
    /// The largest size of a client's frame in bytes.
    public static let frame = 192 * 1024
    /// The highest number of a request: 2^53 - 1, which every language can represent.
    public static let requestNumber: UInt64 = 9_007_199_254_740_991
    /// The range of times in requests, in milliseconds since 1970. Its end is 2^53 - 1, which every language can
    /// represent, even after adding 1.
    public static let time: ClosedRange<Int64> = 0...9_007_199_254_740_991
    /// The range of message ids in requests: signed 64-bit numbers that have a successor.
    public static let messageID: ClosedRange<UInt64> = 0...UInt64(Int64.max - 1)
    /// The largest size of a message's content in bytes.
    public static let content = 128 * 1024
    /// The deepest nesting of a message's content, in levels. It is limited so that every frame around a content can be read.
    public static let contentDepth = 128
    /// The largest number of characters in the id of a user, a group, an open channel or a device, and in a client's id of a message.
    public static let id = 64
    /// The largest number of characters in the name of a message type.
    public static let type = 32
    /// The prefix that names of an application's own message types must not have.
    public static let reservedTypePrefix = "RC:"
    /// The largest number of characters in a key and in a value of a message's metadata.
    public static let metadataKey = 32
    public static let metadataValue = 4096
    /// The largest number of pairs in a message's metadata, in one request and in total.
    public static let metadataPairsAtOnce = 20
    public static let metadataPairs = 300
    /// The largest number of characters in a key and in a value of an open channel's metadata.
    public static let openMetadataKey = 128
    public static let openMetadataValue = 4096
    /// The largest number of pairs in an open channel's metadata, in one request and in total.
    public static let openMetadataPairsAtOnce = 10
    public static let openMetadataPairs = 100
    /// The largest number of characters in `extra` of a request to enter an open channel.
    public static let entryExtra = 128
    /// The number of earlier messages that a request to enter an open channel may ask for.
    public static let entryMessages = 0...50
    /// The number of members that a request for information about an open channel may ask for.
    public static let openInfo = 0...500
    /// The number of elements in a page of history, of groups or of members.
    public static let page = 1...100
    /// The number of message ids in one request.
    public static let messages = 1...100
    /// The number of users in one request.
    public static let users = 1...100
    /// The number of groups in one request.
    public static let groups = 1...20
    /// The number of users in one request about online status.
    public static let subscribed = 1...200
    /// The duration of a subscription to online status, in seconds.
    public static let expiry = 60...2_592_000
    /// The largest number of events in one package of the inbox.
    public static let package = 200
    /// The levels of notification that a channel may have (chat-protocol.md, section 6).
    public static let levels: [Int] = [-1, 0, 1, 2, 4, 5]
    /// The largest number of characters in the name of a device's system and of a client.
    public static let system = 64
    public static let client = 128

    /// Whether an id has 1 to ``id`` characters.
    public static func accepts(id: String) -> Bool {
        accepts(id, upTo: Self.id) && !id.isEmpty
    }

    /// Whether the name of a message type has 1 to ``type`` characters.
    public static func accepts(type: String) -> Bool {
        accepts(type, upTo: Self.type) && !type.isEmpty
    }

    /// Whether an application may use this name for a message type of its own.
    public static func accepts(customType type: String) -> Bool {
        accepts(type: type) && !type.hasBytePrefix(reservedTypePrefix)
    }

    /// Whether a text has at most `length` characters, counted as Unicode scalars.
    public static func accepts(_ text: String, upTo length: Int) -> Bool {
        text.utf8.count <= length || (text.utf8.count <= 4 * length && text.unicodeScalars.count <= length)
    }

    /// Whether a key has 1 to `length` characters, all of them letters, digits, `+`, `=`, `-` or `_`.
    public static func accepts(metadataKey key: String, upTo length: Int = metadataKey) -> Bool {
        !key.isEmpty && key.utf8.count <= length && key.utf8.allSatisfy(isKeyByte)
    }

    /// The reason to refuse a content that is known to be a JSON object; nil when it may be sent.
    public static func problem(ofContent content: [UInt8]) -> ChatRequestRefusal? {
        if content.count > Self.content {
            return ChatRequestRefusal(.tooLarge, "The content of the message has more than 128 KiB.")
        }
        if !hasDepth(content, upTo: contentDepth) {
            return ChatRequestRefusal(.badArgument, "The content of the message is nested more deeply than 128 levels.")
        }
        return nil
    }

    /// The reason to refuse entries of a message's metadata; nil when they may be set.
    public static func problem(ofMetadata pairs: [String: String]) -> ChatRequestRefusal? {
        if pairs.count > metadataPairsAtOnce {
            return ChatRequestRefusal(.metadataTooLarge, "At most 20 pairs of metadata can be set at once.")
        }
        return problem(pairs, key: metadataKey, value: metadataValue)
    }

    /// The reason to refuse entries of an open channel's metadata; nil when they may be set.
    public static func problem(ofOpenMetadata pairs: [String: String]) -> ChatRequestRefusal? {
        if pairs.isEmpty { return ChatRequestRefusal(.badArgument, "The request has no metadata entries to set.") }
        if pairs.count > openMetadataPairsAtOnce {
            return ChatRequestRefusal(.tooManyOpenMetadataAtOnce, "At most 10 metadata entries can be set at once.")
        }
        return problem(pairs, key: openMetadataKey, value: openMetadataValue)
    }

    /// The reason to refuse a message before it is sent; nil when a server would accept it.
    public static func problem(of draft: ChatMessageDraft) -> ChatRequestRefusal? {
        if !accepts(id: draft.clientID) {
            return ChatRequestRefusal(.badArgument, "The client's id of the message must have 1 to 64 characters.")
        }
        if !accepts(id: draft.to) { return ChatRequestRefusal(.badArgument, "The channel id must have 1 to 64 characters.") }
        if !accepts(type: draft.type) {
            return ChatRequestRefusal(.badArgument, "The type of the message must have 1 to 32 characters.")
        }
        if draft.conversation == .system { return ChatRequestRefusal(.badArgument, "Clients cannot send to system channels.") }
        if let users = draft.options.users, users.count > self.users.upperBound {
            return ChatRequestRefusal(.badArgument, "A message can be limited to at most 100 members of a group.")
        }
        if let push = draft.options.push, !hasDepth(push, upTo: contentDepth) {
            return ChatRequestRefusal(.badArgument, "The push settings are nested more deeply than 128 levels.")
        }
        return problem(ofContent: draft.content) ?? problem(ofMetadata: draft.options.metadata)
    }

    private static func problem(_ pairs: [String: String], key: Int, value: Int) -> ChatRequestRefusal? {
        for pair in pairs {
            guard accepts(metadataKey: pair.key, upTo: key) else {
                return ChatRequestRefusal(
                    .badArgument, "A metadata key must have 1 to \(key) characters: letters, digits, +, =, - or _.")
            }
            guard accepts(pair.value, upTo: value) else {
                return ChatRequestRefusal(.metadataTooLarge, "A metadata value must have at most \(value) characters.")
            }
        }
        return nil
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether valid JSON text has at most `limit` levels of nesting.
    static func hasDepth(_ json: [UInt8], upTo limit: Int) -> Bool {
        // A level of nesting takes at least two bytes, so shorter texts need no count.
        if json.count <= 2 * limit { return true }
        return json.withUnsafeBytes { bytes in
            var depth = 0
            var offset = 0
            while offset < bytes.count {
                switch bytes[offset] {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    if depth > limit { return false }
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                case JSONBytes.quote: offset = endOfString(bytes, from: offset + 1)
                default: break
                }
                offset += 1
            }
            return true
        }
    }

    /// The offset of the quote that ends a string.
    private static func endOfString(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = JSONBytes.firstSpecial(bytes, from: start)
        while offset < bytes.count, bytes[offset] != JSONBytes.quote {
            // The character after a backslash is part of the escape.
            offset = JSONBytes.firstSpecial(bytes, from: min(offset + 2, bytes.count))
        }
        return offset
    }
}
