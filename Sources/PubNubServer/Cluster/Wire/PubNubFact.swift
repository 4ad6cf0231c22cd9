import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// A fact about one keyset that the leader sends to the nodes.
enum PubNubFact: Hashable, Sendable {
    /// Messages that have become visible, in order; changed groups with their complete lists of channels; and users who are no
    /// longer present on some channel.
    case decided(messages: [StoredMessage], groups: [GroupContent], absent: [Identifier])
    /// New entries of the access manager, and the keys of removed ones.
    case access(entries: [AccessEntry], removed: [AccessEntry.Key])

    /// The node's replica of the keyset cannot continue: the node requests the keyset's state.
    case restart
    /// The leader has prepared the keyset's state at this position of the log under this number. Later facts follow it. A complete
    /// state replaces the node's replica, whose messages then begin after `since`; any other state continues from the position that
    /// the node has announced.
    case stateAt(snapshot: UInt64, since: UInt64, isWhole: Bool)

    // A piece of a state. A node requests the pieces one after the other, and they arrive outside the log.
    case stateMessages([StoredMessage])
    case stateGroups([GroupContent])
    case stateAccess([AccessEntry])
    /// Channels without their messages up to these timetokens.
    case stateDropped([DroppedMessages])
    /// The last piece: new readers begin at this timetoken.
    case stateEnds(visible: UInt64)

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
    /// - Parameter messages: the messages of ``decided(messages:groups:absent:)``, encoded already.
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
        case .restart: buffer.begin(.restart, subscribeKey)
        case .stateAt(let snapshot, let since, let isWhole):
            buffer.begin(.stateAt, subscribeKey)
            buffer.writeMultipleIntegers(snapshot, since)
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
        case .stateDropped(let dropped):
            buffer.begin(.stateDropped, subscribeKey)
            buffer.write(list: dropped) { buffer, item in
                buffer.write(name: item.channel)
                buffer.writeInteger(item.timetoken)
            }
        case .stateEnds(let visible):
            buffer.begin(.stateEnds, subscribeKey)
            buffer.writeInteger(visible)
        }
        return buffer
    }

    /// - Returns: the fact and the subscribe key of its keyset.
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
        case .restart: fact = .restart
        case .stateAt:
            fact = .stateAt(snapshot: try buffer.number(), since: try buffer.number(), isWhole: try buffer.flag())
        case .stateMessages: fact = .stateMessages(try buffer.messages())
        case .stateGroups: fact = .stateGroups(try buffer.groups())
        case .stateAccess: fact = .stateAccess(try buffer.accessEntries())
        case .stateDropped:
            fact = .stateDropped(
                try buffer.list { (buffer) throws(ClusterCodingError) in
                    DroppedMessages(channel: try buffer.name(), timetoken: try buffer.number())
                })
        case .stateEnds: fact = .stateEnds(visible: try buffer.number())
        case nil: throw ClusterCodingError()
        }
        try buffer.end()
        return (key, fact)
    }

    /// The first byte of a fact.
    fileprivate enum Tag: UInt8 {
        case decided = 1
        case access = 2
        case stateMessages = 4
        case stateGroups = 5
        case stateAccess = 6
        case restart = 8
        case stateAt = 9
        case stateDropped = 10
        case stateEnds = 11
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
