import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// A record of the cluster's log, about one keyset or about the leader, that the leader sends to the nodes.
enum PubNubFact: Hashable, Sendable {
    /// Messages that subscribers can read from now on, in order; changed groups with their complete lists of channels; and users who are no
    /// longer present on at least one channel.
    case decided(messages: [StoredMessage], groups: [GroupContent], absent: [Identifier])
    /// New access manager entries, and the keys of removed ones.
    case access(entries: [AccessEntry], removed: [AccessEntry.Key])

    /// Makes the node start its replica of the keyset anew: the node requests a snapshot.
    case restart
    /// Announces a snapshot of the keyset at this position of the log; later facts follow the snapshot. A complete snapshot replaces the
    /// node's replica, and its messages begin after `since`. A snapshot that is not complete continues from the position that the node has
    /// announced.
    case stateAt(snapshot: UInt64, since: UInt64, isWhole: Bool)

    /// Announces that the leader answers ``PubNubClusterRequest/missed(_:subscribeKey:)`` and
    /// ``PubNubClusterRequest/stateWithoutMessages(subscribeKey:)``. The announcement is for all keysets, so the fact has an empty key.
    /// Nodes of the previous version ignore it.
    case answersMissed

    // A piece of a snapshot. A node requests the pieces one after the other; they are not part of the log.
    case stateMessages([StoredMessage])
    case stateGroups([GroupContent])
    case stateAccess([AccessEntry])
    /// A piece of a snapshot: channels whose messages up to a given timetoken are missing.
    case stateDropped([DroppedMessages])
    /// The last piece of a snapshot. New readers begin at the timetoken `visible`.
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
    /// Encodes ``decided(messages:groups:absent:)``.
    ///
    /// - Parameter messages: the messages in their encoded form.
    static func decided(
        of subscribeKey: String, messages: [ByteBuffer], groups: [GroupContent], absent: [Identifier]
    ) -> ByteBuffer {
        let fact = CodedPubNubFact.Content.decided(messages, groups, absent)
        let size = messages.reduce(subscribeKey.utf8.count + 64) { $0 + $1.readableBytes + 8 }
        return CodedPubNubFact(subscribeKey: subscribeKey, content: fact, expectedLength: size).encoded()
    }

    func encoded(of subscribeKey: String, _ layout: CodingLayout = .written) -> ByteBuffer {
        CodedPubNubFact(subscribeKey: subscribeKey, content: CodedPubNubFact.Content(self, layout)).encoded(layout)
    }

    /// - Returns: the fact and the subscribe key of its keyset.
    static func decode(_ bytes: ByteBuffer) throws(ClusterCodingError) -> (subscribeKey: String, fact: PubNubFact) {
        let coded = try CodedPubNubFact(decoding: bytes)
        return (coded.subscribeKey, try coded.content.fact())
    }
}

/// A fact with its keyset. Its messages are already encoded, because Redis stores the same bytes.
private struct CodedPubNubFact: CodedValue {
    enum Content {
        case decided([ByteBuffer], [PubNubFact.GroupContent], [Identifier])
        case messages([ByteBuffer])
        case other(PubNubFact)
    }

    var subscribeKey: String
    var content: Content
    var expectedLength = 64

    private enum Kind: UInt8 {
        case decided = 1
        case access = 2
        case stateMessages = 4
        case stateGroups = 5
        case stateAccess = 6
        case restart = 8
        case stateAt = 9
        case stateDropped = 10
        case stateEnds = 11
        case answersMissed = 12
    }

    private var kind: Kind {
        switch content {
        case .decided, .other(.decided): .decided
        case .messages, .other(.stateMessages): .stateMessages
        case .other(.access): .access
        case .other(.restart): .restart
        case .other(.stateAt): .stateAt
        case .other(.stateGroups): .stateGroups
        case .other(.stateAccess): .stateAccess
        case .other(.stateDropped): .stateDropped
        case .other(.stateEnds): .stateEnds
        case .other(.answersMissed): .answersMissed
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let kind = try fields.kind(value?.kind)
        let key = try fields.field(1, value?.subscribeKey)
        return Self(subscribeKey: key, content: try content(of: kind, value?.content, &fields))
    }

    private static func content(
        of kind: Kind, _ value: Content?, _ fields: inout FieldCoder
    ) throws(ClusterCodingError) -> Content {
        let fact = value.flatMap { if case .other(let fact) = $0 { fact } else { nil } }
        switch kind {
        case .decided:
            let given = value.flatMap { if case .decided(let all, let groups, let ids) = $0 { (all, groups, ids) } else { nil } }
            return .decided(try fields.list(2, given?.0), try fields.list(3, given?.1), try fields.list(4, given?.2))
        case .stateMessages:
            return .messages(try fields.list(2, value.flatMap { if case .messages(let all) = $0 { all } else { nil } }))
        case .access:
            let given = fact.flatMap { if case .access(let entries, let removed) = $0 { (entries, removed) } else { nil } }
            return .other(.access(entries: try fields.list(2, given?.0), removed: try fields.list(3, given?.1)))
        case .restart: return .other(.restart)
        case .stateAt:
            let given = fact.flatMap {
                if case .stateAt(let number, let since, let isWhole) = $0 { (number, since, isWhole) } else { nil }
            }
            return .other(
                .stateAt(
                    snapshot: try fields.field(2, given?.0), since: try fields.field(3, given?.1),
                    isWhole: try fields.field(4, given?.2)))
        case .stateGroups:
            let given = fact.flatMap { if case .stateGroups(let groups) = $0 { groups } else { nil } }
            return .other(.stateGroups(try fields.list(2, given)))
        case .stateAccess:
            let given = fact.flatMap { if case .stateAccess(let entries) = $0 { entries } else { nil } }
            return .other(.stateAccess(try fields.list(2, given)))
        case .stateDropped:
            let given = fact.flatMap { if case .stateDropped(let dropped) = $0 { dropped } else { nil } }
            return .other(.stateDropped(try fields.list(2, given)))
        case .stateEnds:
            let given = fact.flatMap { if case .stateEnds(let visible) = $0 { visible } else { nil } }
            return .other(.stateEnds(visible: try fields.field(2, given)))
        case .answersMissed: return .other(.answersMissed)
        }
    }
}

extension CodedPubNubFact.Content {
    init(_ fact: PubNubFact, _ layout: CodingLayout) {
        switch fact {
        case .decided(let messages, let groups, let absent):
            self = .decided(messages.map { $0.encoded(layout) }, groups, absent)
        case .stateMessages(let messages): self = .messages(messages.map { $0.encoded(layout) })
        default: self = .other(fact)
        }
    }

    func fact() throws(ClusterCodingError) -> PubNubFact {
        switch self {
        case .decided(let messages, let groups, let absent):
            .decided(messages: try Self.read(messages), groups: groups, absent: absent)
        case .messages(let messages): .stateMessages(try Self.read(messages))
        case .other(let fact): fact
        }
    }

    private static func read(_ messages: [ByteBuffer]) throws(ClusterCodingError) -> [StoredMessage] {
        try messages.map { (bytes) throws(ClusterCodingError) in try StoredMessage(decoding: bytes) }
    }
}

extension PubNubFact.GroupContent: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(name: try fields.field(1, value?.name), channels: try fields.list(2, value?.channels))
    }
}

extension PubNubFact.DroppedMessages: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(channel: try fields.field(1, value?.channel), timetoken: try fields.field(2, value?.timetoken))
    }
}
