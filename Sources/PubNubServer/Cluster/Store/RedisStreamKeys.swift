import Identifiers
import NIOCore
import ServerCluster

/// The Redis keys of the PubNub service.
struct RedisStreamKeys: Sendable {
    let reader: any ClusterReader

    /// The names of all keysets with stored data.
    var keysets: StoreKey { reader.key("pubnub:keysets") }
    /// A reserved timetoken: all assigned timetokens are less than or equal to it.
    var reserved: StoreKey { reader.key("pubnub:reserved") }
    /// The timetoken since which messages are stored in this Redis.
    var began: StoreKey { reader.key("pubnub:began") }
    /// A hash of the webhook events that wait to be sent, by number.
    var webhooks: StoreKey { reader.key("pubnub:webhooks") }

    /// A stream of the messages in a channel's history; the timetokens are the entry numbers.
    func history(_ keyset: Identifier, _ channel: Identifier) -> StoreKey {
        reader.key("pubnub:h:\(Self.escaped(keyset)):\(channel.text)")
    }

    /// The prefix of the keys of all histories.
    var histories: StoreKey { reader.key("pubnub:h:") }

    /// The keyset and the channel in the key of a history.
    ///
    /// - Parameter rest: the key without the prefix ``histories``. The result is nil when it is not the key of a history.
    static func history(_ rest: String) -> (keyset: Identifier, channel: Identifier)? {
        guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (unescaped(rest[..<colon]), Identifier(String(rest[rest.utf8.index(after: colon)...])))
    }

    /// A stream of a keyset's recent messages, with which subscribers may catch up; the timetokens are the entry numbers.
    func recent(_ keyset: Identifier) -> StoreKey { key("q", keyset) }
    /// The timetoken of the newest one among the recent messages that were removed because there were too many.
    func trimmed(_ keyset: Identifier) -> StoreKey { key("trimmed", keyset) }
    /// A hash of the messages that arrived out of order, by timetoken and channel.
    func late(_ keyset: Identifier) -> StoreKey { key("late", keyset) }
    /// A sorted set of the messages in histories that expire, by timetoken and channel; the score is the second of their expiry.
    func expiring(_ keyset: Identifier) -> StoreKey { key("expiring", keyset) }
    /// The keys for the counted messages of histories: the totals, the order of the messages, and their sizes in bytes.
    func counted(_ keyset: Identifier) -> CountedEntries.Keys {
        CountedEntries.Keys(totals: key("usage", keyset), order: key("order", keyset), sizes: key("sizes", keyset))
    }
    func actions(_ keyset: Identifier) -> StoreKey { key("actions", keyset) }
    func groups(_ keyset: Identifier) -> StoreKey { key("groups", keyset) }
    func access(_ keyset: Identifier) -> StoreKey { key("access", keyset) }
    /// The order in which the access manager entries were first stored.
    func accessOrder(_ keyset: Identifier) -> StoreKey { key("access-order", keyset) }
    /// A hash of the keyset's records, by kind and name.
    func records(_ keyset: Identifier) -> StoreKey { key("records", keyset) }
    /// The content of an uploaded file.
    func file(_ keyset: Identifier, _ id: Identifier) -> StoreKey {
        reader.key("pubnub:file:\(Self.escaped(keyset)):\(id.text)")
    }
    func presence(_ keyset: Identifier) -> StoreKey { key("presence", keyset) }

    private func key(_ kind: String, _ keyset: Identifier) -> StoreKey {
        reader.key("pubnub:\(kind):\(Self.escaped(keyset))")
    }

    /// Escapes colons and percent signs, so that two different pairs of keyset and channel never form the same key.
    private static func escaped(_ keyset: Identifier) -> String {
        var bytes: [UInt8] = []
        for byte in keyset.utf8 {
            switch byte {
            case UInt8(ascii: ":"): bytes += "%3A".utf8
            case UInt8(ascii: "%"): bytes += "%25".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ text: Substring) -> Identifier {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            // This program writes only the escapes `%3A` and `%25`. Any other percent sign is not part of an escape and stays as it is.
            if byte == UInt8(ascii: "%"), rest.prefix(2).elementsEqual("3A".utf8) || rest.prefix(2).elementsEqual("25".utf8) {
                bytes.append(rest.first == UInt8(ascii: "3") ? UInt8(ascii: ":") : byte)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return Identifier(String(decoding: bytes, as: UTF8.self))
    }
}

/// Identifies a message of a channel in a hash or sorted set: the timetoken with 20 digits, followed by the channel.
struct RedisMessageField: Hashable, Sendable {
    static let digits = 20

    var timetoken: UInt64
    var channel: Identifier

    var word: StoreWord { .text(Self.digits(of: timetoken) + channel.text) }

    init(timetoken: UInt64, channel: Identifier) {
        self.timetoken = timetoken
        self.channel = channel
    }

    /// Parses the name of a field: 20 digits of the timetoken, then the channel. Nil for any other text.
    init?(_ text: String?) {
        guard let text, text.utf8.count >= Self.digits,
            let timetoken = UInt64(String(decoding: text.utf8.prefix(Self.digits), as: UTF8.self))
        else { return nil }
        self.timetoken = timetoken
        channel = Identifier(String(decoding: text.utf8.dropFirst(Self.digits), as: UTF8.self))
    }

    /// A timetoken padded with zeros to 20 digits, so that texts have the same order as the numbers.
    static func digits(of timetoken: UInt64) -> String {
        let text = String(timetoken)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
