import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// The names of chat's collections in the store (rules CC-10 to CC-16).
///
/// The data of events are stored in one part for each hour, by the events' ids, so that old data are removed as whole parts.
struct ChatKeys: Sendable {
    let reader: any ClusterReader

    /// The number of ids in one part: one hour, because ids count units of 100 ns.
    static let span: UInt64 = 36_000_000_000

    static func hour(_ id: UInt64) -> UInt64 { id / span }

    // MARK: Keys that all applications share

    var epoch: StoreKey { reader.key("chat:epoch") }
    /// The highest event id that was assigned.
    var highest: StoreKey { reader.key("chat:highest") }
    /// The end of the range of event ids that was reserved. No higher id was assigned.
    var reserved: StoreKey { reader.key("chat:reserved") }
    /// A map whose fields are the keys of the applications that have stored data.
    var applications: StoreKey { reader.key("chat:apps") }
    /// A map: webhook events that no receiver has accepted, by number.
    var webhooks: StoreKey { reader.key("chat:webhooks") }

    // MARK: Keys of one application

    enum Kind: String {
        /// A map: documents as JSON, by their keys.
        case documents = "docs"
        /// A map: the last position of each inbox, by user.
        case places = "last"
        /// A map: the acknowledged position of each inbox, by user.
        case acknowledged = "ack"
        /// A map whose fields are the conversations that have a history.
        case conversations = "convs"
        /// A map whose fields are the existing parts: the letter of a part's kind, and its hour.
        case parts = "parts"
        /// A stream: messages of the last hour that have a client message id.
        case sent
        /// A map: the signed-in sessions, by session id.
        case sessions
        /// A map: the participants of open channels, with their sessions.
        case seats
        /// A map: the online statuses of users, by user.
        case presence
        /// The number and bytes of the counted messages in histories, if messages are counted.
        case usage
        /// A sorted set: the ids of the counted messages, in the order of their times.
        case order
        /// A map: the bytes and conversations of the counted messages, by id.
        case sizes
        /// A map whose fields are the messages that were rewritten or recalled since they were counted.
        case changed
    }

    func key(_ kind: Kind, _ application: Identifier) -> StoreKey {
        reader.key("chat:\(kind.rawValue):\(application.text)")
    }

    func counted(_ application: Identifier) -> CountedEntries.Keys {
        CountedEntries.Keys(
            totals: key(.usage, application), order: key(.order, application), sizes: key(.sizes, application))
    }

    /// The kinds of parts. A part is a map with the data of one hour.
    enum Part: String, CaseIterable {
        /// Messages of histories: a head, a body, the readers if not all users may read the message, and a mark if it was recalled.
        case history = "e"
        /// Events of one hour that were never in a history: their bodies.
        case loose = "l"
        /// Messages of one hour that users have hidden from their own histories.
        case hidden = "x"
        /// Messages of one hour that have read receipts.
        case receipted = "r"
        /// The conversations that users have hidden from their histories up to a message of this hour.
        case hiddenUpTo = "u"
    }

    func part(_ part: Part, hour: UInt64, of application: Identifier) -> StoreKey {
        reader.key("chat:\(part.rawValue):\(hour):\(application.text)")
    }

    /// A stream of the ids of a conversation's messages.
    func history(_ conversation: Identifier, _ application: Identifier) -> StoreKey {
        reader.key("chat:h:\(Self.sized(application))\(conversation.text)")
    }

    /// A stream with an inbox's entries: the position of each entry, and the id of its event.
    func inbox(_ user: Identifier, _ application: Identifier) -> StoreKey {
        reader.key("chat:in:\(Self.sized(application))\(user.text)")
    }

    /// A map: the times at which a message was read, by reader.
    func receipts(_ id: UInt64, _ application: Identifier) -> StoreKey {
        reader.key("chat:rc:\(id):\(application.text)")
    }

    /// A set of message ids. The conversation is hidden up to the highest of them.
    func hiddenUpTo(in conversation: Identifier, by user: Identifier, of application: Identifier) -> StoreKey {
        reader.key("chat:hu:\(Self.sized(application))\(Self.sized(user))\(conversation.text)")
    }

    /// A name with its length in front, so that the text after it in a key cannot be mistaken for a part of the name.
    private static func sized(_ name: Identifier) -> String { "\(name.utf8.count):\(name.text):" }

    // MARK: Fields

    static func head(_ id: UInt64) -> StoreWord { .text("\(id)") }
    static func body(_ id: UInt64) -> StoreWord { .text("\(id)b") }
    static func readers(_ id: UInt64) -> StoreWord { .text("\(id)u") }
    static func recalled(_ id: UInt64) -> StoreWord { .text("\(id)r") }
    static func hidden(_ id: UInt64, _ user: Identifier) -> StoreWord { .text("\(id)\u{1F}\(user.text)") }
    static func hiddenUpTo(_ id: UInt64, in conversation: Identifier, by user: Identifier) -> StoreWord {
        .text("\(id)\u{1F}\(sized(user))\(conversation.text)")
    }
    static func document(_ key: ChatDocument.Key) -> StoreWord { .text("\(key.kind.rawValue)\u{1F}\(key.name.text)") }
}
