import Identifiers
import NIOCore
import RealtimeHub
import ServerCluster

/// What the leader tells nodes of one keyset.
enum PubNubFact: Hashable, Sendable {
    /// Messages that have become visible, in their order; groups with all channels that they have from here on; and users who are not on
    /// some channel any more.
    case decided(messages: [StoredMessage], groups: [GroupContent], absent: [Identifier])
    /// Entries of the access manager, and keys of those that are gone.
    case access(entries: [AccessEntry], removed: [AccessEntry.Key])

    /// The state of the keyset begins. A node that has not everything up to `since` begins anew, which a whole state has it do anyway;
    /// one that has gets only what followed.
    case stateBegins(since: UInt64, isWhole: Bool)
    case stateMessages([StoredMessage])
    case stateGroups([GroupContent])
    case stateAccess([AccessEntry])
    /// The state ends: readers begin at `visible`, and channels lack messages up to the timetokens in `dropped`.
    case stateEnds(visible: UInt64, dropped: [DroppedMessages])

    struct GroupContent: Hashable, Sendable {
        var name: Identifier
        var channels: [Identifier]
    }

    struct DroppedMessages: Hashable, Sendable {
        var channel: Identifier
        var timetoken: UInt64
    }
}

extension PubNubFact {
    /// - Parameter messages: of ``decided(messages:groups:absent:)``, encoded already.
    static func decided(
        of subscribeKey: String, messages: [ByteBuffer], groups: [GroupContent], absent: [Identifier]
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(messages.reduce(subscribeKey.utf8.count + 64) { $0 + $1.readableBytes + 4 })
        buffer.begin(.decided, subscribeKey)
        buffer.write(list: messages) { $0.write(buffer: $1) }
        buffer.write(groups: groups)
        buffer.write(names: absent)
        return buffer
    }

    func encoded(of subscribeKey: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        switch self {
        case .decided(let messages, let groups, let absent):
            return Self.decided(
                of: subscribeKey, messages: messages.map { ByteBuffer(message: $0) }, groups: groups, absent: absent)
        case .access(let entries, let removed):
            buffer.begin(.access, subscribeKey)
            buffer.write(list: entries) { $0.write(access: $1) }
            buffer.write(list: removed) { $0.write(accessKey: $1) }
        case .stateBegins(let since, let isWhole):
            buffer.begin(.stateBegins, subscribeKey)
            buffer.writeInteger(since)
            buffer.write(flag: isWhole)
        case .stateMessages(let messages):
            buffer.begin(.stateMessages, subscribeKey)
            buffer.write(list: messages) { $0.write(buffer: ByteBuffer(message: $1)) }
        case .stateGroups(let groups):
            buffer.begin(.stateGroups, subscribeKey)
            buffer.write(groups: groups)
        case .stateAccess(let entries):
            buffer.begin(.stateAccess, subscribeKey)
            buffer.write(list: entries) { $0.write(access: $1) }
        case .stateEnds(let visible, let dropped):
            buffer.begin(.stateEnds, subscribeKey)
            buffer.writeInteger(visible)
            buffer.write(list: dropped) { buffer, item in
                buffer.write(name: item.channel)
                buffer.writeInteger(item.timetoken)
            }
        }
        return buffer
    }

    /// - Returns: also the keyset, by its subscribe key.
    static func decode(_ bytes: ByteBuffer) throws(ClusterCodingError) -> (subscribeKey: String, fact: PubNubFact) {
        var buffer = bytes
        let tag = Tag(rawValue: try buffer.number(UInt8.self))
        let key = try buffer.text()
        let fact: PubNubFact
        switch tag {
        case .decided: fact = .decided(messages: try buffer.messages(), groups: try buffer.groups(), absent: try buffer.names())
        case .access:
            fact = .access(
                entries: try buffer.accessEntries(),
                removed: try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.accessKey() })
        case .stateBegins: fact = .stateBegins(since: try buffer.number(), isWhole: try buffer.flag())
        case .stateMessages: fact = .stateMessages(try buffer.messages())
        case .stateGroups: fact = .stateGroups(try buffer.groups())
        case .stateAccess: fact = .stateAccess(try buffer.accessEntries())
        case .stateEnds:
            fact = .stateEnds(
                visible: try buffer.number(),
                dropped: try buffer.list { (buffer) throws(ClusterCodingError) in
                    DroppedMessages(channel: try buffer.name(), timetoken: try buffer.number())
                })
        case nil: throw ClusterCodingError()
        }
        try buffer.end()
        return (key, fact)
    }

    /// The first byte of a fact.
    fileprivate enum Tag: UInt8 {
        case decided = 1
        case access = 2
        case stateBegins = 3
        case stateMessages = 4
        case stateGroups = 5
        case stateAccess = 6
        case stateEnds = 7
    }
}

extension ByteBuffer {
    fileprivate mutating func begin(_ tag: PubNubFact.Tag, _ subscribeKey: String) {
        writeInteger(tag.rawValue)
        write(text: subscribeKey)
    }

    fileprivate mutating func messages() throws(ClusterCodingError) -> [StoredMessage] {
        try list { (buffer) throws(ClusterCodingError) in
            var message = try buffer.buffer()
            return try message.message()
        }
    }

    fileprivate mutating func write(groups: [PubNubFact.GroupContent]) {
        write(list: groups) { buffer, group in
            buffer.write(name: group.name)
            buffer.write(names: group.channels)
        }
    }

    fileprivate mutating func groups() throws(ClusterCodingError) -> [PubNubFact.GroupContent] {
        try list { (buffer) throws(ClusterCodingError) in
            PubNubFact.GroupContent(name: try buffer.name(), channels: try buffer.names())
        }
    }

    fileprivate mutating func accessEntries() throws(ClusterCodingError) -> [AccessEntry] {
        try list { (buffer) throws(ClusterCodingError) in try buffer.access() }
    }
}
