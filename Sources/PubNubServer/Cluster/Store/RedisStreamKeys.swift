import Identifiers
import NIOCore
import ServerCluster

/// The names of a keyset's collections in the store.
struct RedisStreamKeys: Sendable {
    let reader: any ClusterReader

    /// The names of all keysets with stored data.
    var keysets: StoreKey { reader.key("pubnub:keysets") }
    /// All assigned timetokens are less than or equal to this one.
    var reserved: StoreKey { reader.key("pubnub:reserved") }
    /// The timetoken from which messages are stored here.
    var began: StoreKey { reader.key("pubnub:began") }
    /// Webhook events that wait to be sent, a map by number.
    var webhooks: StoreKey { reader.key("pubnub:webhooks") }

    /// Messages of a channel's history, a stream with timetokens as numbers.
    func history(_ keyset: Identifier, _ channel: Identifier) -> StoreKey {
        reader.key("pubnub:h:\(Self.escaped(keyset)):\(channel.text)")
    }

    /// The names that all histories begin with.
    var histories: StoreKey { reader.key("pubnub:h:") }

    /// The keyset and the channel of a history.
    ///
    /// - Parameter rest: the name of the history's key, without that of ``histories``; nil is returned when it is none.
    static func history(_ rest: String) -> (keyset: Identifier, channel: Identifier)? {
        guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (unescaped(rest[..<colon]), Identifier(String(rest[rest.utf8.index(after: colon)...])))
    }

    /// Messages of all channels that subscribers may still catch up with, also a stream with timetokens as numbers.
    func recent(_ keyset: Identifier) -> StoreKey { key("q", keyset) }
    /// The newest timetoken of the recent messages that were trimmed because there were too many.
    func trimmed(_ keyset: Identifier) -> StoreKey { key("trimmed", keyset) }
    /// Messages whose timetokens were out of order, by timetoken and channel.
    func late(_ keyset: Identifier) -> StoreKey { key("late", keyset) }
    /// Messages of histories that expire, by timetoken and channel, with the second of their expiry.
    func expiring(_ keyset: Identifier) -> StoreKey { key("expiring", keyset) }
    /// The counted messages of histories: the totals, the messages by timetoken and channel, and their bytes by the same names.
    func counted(_ keyset: Identifier) -> CountedEntries.Keys {
        CountedEntries.Keys(totals: key("usage", keyset), order: key("order", keyset), sizes: key("sizes", keyset))
    }
    func actions(_ keyset: Identifier) -> StoreKey { key("actions", keyset) }
    func groups(_ keyset: Identifier) -> StoreKey { key("groups", keyset) }
    func access(_ keyset: Identifier) -> StoreKey { key("access", keyset) }
    /// The order in which the entries of the access manager were first stored.
    func accessOrder(_ keyset: Identifier) -> StoreKey { key("access-order", keyset) }
    /// Records by kind and name, a map.
    func records(_ keyset: Identifier) -> StoreKey { key("records", keyset) }
    /// The content of a file.
    func file(_ keyset: Identifier, _ id: Identifier) -> StoreKey {
        reader.key("pubnub:file:\(Self.escaped(keyset)):\(id.text)")
    }
    func presence(_ keyset: Identifier) -> StoreKey { key("presence", keyset) }

    private func key(_ kind: String, _ keyset: Identifier) -> StoreKey {
        reader.key("pubnub:\(kind):\(Self.escaped(keyset))")
    }

    /// Escapes colons, so that the names of a keyset and a channel never form the same key as another keyset and channel.
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
            // Only these two are ever escaped, so any other sign of percent is not one of this program.
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

/// A message of a channel as the field of a map or the member of a sorted set: the timetoken with all its digits and the channel.
struct RedisMessageField: Hashable, Sendable {
    static let digits = 20

    var timetoken: UInt64
    var channel: Identifier

    var word: StoreWord { .text(Self.digits(of: timetoken) + channel.text) }

    init(timetoken: UInt64, channel: Identifier) {
        self.timetoken = timetoken
        self.channel = channel
    }

    /// Nil for a text that is not such a field.
    init?(_ text: String?) {
        guard let text, text.utf8.count >= Self.digits,
            let timetoken = UInt64(String(decoding: text.utf8.prefix(Self.digits), as: UTF8.self))
        else { return nil }
        self.timetoken = timetoken
        channel = Identifier(String(decoding: text.utf8.dropFirst(Self.digits), as: UTF8.self))
    }

    /// A timetoken padded with zeros to all its digits, so that the order of the texts is the order of the numbers.
    static func digits(of timetoken: UInt64) -> String {
        let text = String(timetoken)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
