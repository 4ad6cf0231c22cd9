import Identifiers
import WireCoding

/// The protocol's limits (chat-protocol.md, sections 1 to 9 and 11). Clients check before they send, servers when they read.
public enum ChatProtocolLimits {
    /// The most bytes of a client's frame.
    public static let frame = 192 * 1024
    /// The greatest number of a request: 2^53 - 1, which every language can represent.
    public static let requestNumber: UInt64 = 9_007_199_254_740_991
    /// Times in requests, milliseconds since 1970: up to 2^53 - 1, which every language can represent, also after adding one.
    public static let time: ClosedRange<Int64> = 0...9_007_199_254_740_991
    /// Ids of messages in requests: a signed 64-bit number that has a successor.
    public static let messageID: ClosedRange<UInt64> = 0...UInt64(Int64.max - 1)
    /// The most bytes of a message's content.
    public static let content = 128 * 1024
    /// The deepest nesting of a content, so that every frame around it can be read.
    public static let contentDepth = 128
    /// The most characters of the id of a user, a group, an open channel or a device, and of a client's own id of a message.
    public static let id = 64
    /// The most characters of the name of a content's type.
    public static let type = 32
    /// The prefix that names of an application's own message types must not have.
    public static let reservedTypePrefix = "RC:"
    /// The most characters of a key and of a value of a message's metadata.
    public static let metadataKey = 32
    public static let metadataValue = 4096
    /// The most pairs of a message's metadata, in one request and in total.
    public static let metadataPairsAtOnce = 20
    public static let metadataPairs = 300
    /// The most characters of a key and of a value of an open channel's metadata.
    public static let openMetadataKey = 128
    public static let openMetadataValue = 4096
    /// The most pairs of an open channel's metadata, in one request and in total.
    public static let openMetadataPairsAtOnce = 10
    public static let openMetadataPairs = 100
    /// The most characters of `extra` in an entry into an open channel.
    public static let entryExtra = 128
    /// How many earlier messages an entry into an open channel may request.
    public static let entryMessages = 0...50
    /// How many members the information about an open channel may list.
    public static let openInfo = 0...500
    /// Lengths of a page of history, of groups or of members.
    public static let page = 1...100
    /// The number of message ids of one request.
    public static let messages = 1...100
    /// The number of users of one request.
    public static let users = 1...100
    /// The number of groups of one request.
    public static let groups = 1...20
    /// The number of users of one request about online status.
    public static let subscribed = 1...200
    /// Seconds that a subscription to online status may last.
    public static let expiry = 60...2_592_000
    /// The most events of one package of the inbox.
    public static let package = 200
    /// The levels of notification that a channel may have (chat-protocol.md, section 6).
    public static let levels: [Int] = [-1, 0, 1, 2, 4, 5]
    /// The most characters of the name of a device's system and of a client.
    public static let system = 64
    public static let client = 128

    /// Whether an id has an acceptable length.
    public static func accepts(id: String) -> Bool {
        accepts(id, upTo: Self.id) && !id.isEmpty
    }

    /// Whether the name of a type has an acceptable length.
    public static func accepts(type: String) -> Bool {
        accepts(type, upTo: Self.type) && !type.isEmpty
    }

    /// Whether an application may use the name for its own message type.
    public static func accepts(customType type: String) -> Bool {
        accepts(type: type) && !type.hasBytePrefix(reservedTypePrefix)
    }

    /// Whether a text has at most that many characters; characters are Unicode scalars.
    public static func accepts(_ text: String, upTo length: Int) -> Bool {
        text.utf8.count <= length || (text.utf8.count <= 4 * length && text.unicodeScalars.count <= length)
    }

    /// Whether a key consists of letters, digits and `+`, `=`, `-`, `_`.
    public static func accepts(metadataKey key: String, upTo length: Int = metadataKey) -> Bool {
        !key.isEmpty && key.utf8.count <= length && key.utf8.allSatisfy(isKeyByte)
    }

    /// The error of a content that is known to be a JSON object; nil when it may be sent.
    public static func problem(ofContent content: [UInt8]) -> ChatRequestRefusal? {
        if content.count > Self.content { return ChatRequestRefusal(.tooLarge, "The content has more than 128 KiB.") }
        if !hasDepth(content, upTo: contentDepth) {
            return ChatRequestRefusal(.badArgument, "The content is nested more deeply than 128 levels.")
        }
        return nil
    }

    /// The error of entries for a message's metadata; nil when they may be set.
    public static func problem(ofMetadata pairs: [String: String]) -> ChatRequestRefusal? {
        if pairs.count > metadataPairsAtOnce {
            return ChatRequestRefusal(.metadataTooLarge, "At most 20 pairs of metadata can be set at once.")
        }
        return problem(pairs, key: metadataKey, value: metadataValue)
    }

    /// The error of entries for an open channel's metadata; nil when they may be set.
    public static func problem(ofOpenMetadata pairs: [String: String]) -> ChatRequestRefusal? {
        if pairs.isEmpty { return ChatRequestRefusal(.badArgument, "There is no metadata entry to set.") }
        if pairs.count > openMetadataPairsAtOnce {
            return ChatRequestRefusal(.tooManyOpenMetadataAtOnce, "At most 10 metadata entries can be set at once.")
        }
        return problem(pairs, key: openMetadataKey, value: openMetadataValue)
    }

    /// The error of a message before it is sent; nil when a server would accept it.
    public static func problem(of draft: ChatMessageDraft) -> ChatRequestRefusal? {
        if !accepts(id: draft.clientID) { return ChatRequestRefusal(.badArgument, "The client id must have 1 to 64 characters.") }
        if !accepts(id: draft.to) { return ChatRequestRefusal(.badArgument, "The channel id must have 1 to 64 characters.") }
        if !accepts(type: draft.type) { return ChatRequestRefusal(.badArgument, "The type must have 1 to 32 characters.") }
        if draft.conversation == .system { return ChatRequestRefusal(.badArgument, "Clients cannot send to system channels.") }
        if let users = draft.options.users, users.count > self.users.upperBound {
            return ChatRequestRefusal(.badArgument, "A message can be directed at 100 members at most.")
        }
        if let push = draft.options.push, !hasDepth(push, upTo: contentDepth) {
            return ChatRequestRefusal(.badArgument, "The push settings are nested too deeply.")
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

    /// Whether valid JSON text is nested no more deeply than `limit`.
    static func hasDepth(_ json: [UInt8], upTo limit: Int) -> Bool {
        // Each level of nesting takes at least two bytes.
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
