import Identifiers
import ServerStorage

/// A snapshot of a keyset at one position of the log, in pieces that a node requests one after the other. It shares messages and names with
/// the keyset, so it costs little extra memory. Each piece is encoded when it is requested.
struct KeysetSnapshot: Sendable {
    let subscribeKey: String
    private let pieces: [PubNubFact]

    init(
        of subscribeKey: String, messages: [StoredMessage], groups: [PubNubFact.GroupContent], access: [AccessEntry],
        dropped: [PubNubFact.DroppedMessages], visible: UInt64
    ) {
        self.subscribeKey = subscribeKey
        var pieces: [PubNubFact] = []
        Self.divide(messages, bytes: \.bytes) { pieces.append(.stateMessages($0)) }
        Self.divide(groups, bytes: { $0.channels.reduce($0.name.utf8.count + 8) { $0 + $1.utf8.count + 4 } }) {
            pieces.append(.stateGroups($0))
        }
        Self.divide(access, bytes: { $0.key.name.utf8.count + ($0.key.holder?.utf8.count ?? 0) + 40 }) {
            pieces.append(.stateAccess($0))
        }
        Self.divide(dropped, bytes: { $0.channel.utf8.count + 12 }) { pieces.append(.stateDropped($0)) }
        self.pieces = pieces + [.stateEnds(visible: visible)]
    }

    /// The piece of the snapshot with this index; nil after the last piece.
    func piece(_ index: UInt32) -> PubNubFact? {
        let index = Int(index)
        return index < pieces.count ? pieces[index] : nil
    }

    func isLast(_ index: UInt32) -> Bool { Int(index) + 1 >= pieces.count }

    private static func divide<Element>(
        _ elements: [Element], bytes: (Element) -> Int, _ body: ([Element]) -> Void
    ) {
        var left = elements[...]
        while !left.isEmpty {
            let piece = left.prefix(fitting: LeaderMessageStore.pieceBytes, bytes: bytes)
            left = left[piece.endIndex...]
            body(Array(piece))
        }
    }
}

/// The snapshots that nodes are reading: at most one for each node and keyset.
struct KeysetSnapshots: Sendable {
    private struct Reader: Hashable, Sendable {
        var node: UInt64
        var keyset: Identifier
    }

    private var snapshots: [UInt64: (reader: Reader, snapshot: KeysetSnapshot)] = [:]
    private var numbers: [Reader: UInt64] = [:]
    private var last: UInt64

    /// - Parameter generation: the leader's generation. It makes the snapshot numbers of different leaders differ. So a node that asks a
    ///   new leader for a piece of the former leader's snapshot gets nothing (rule CB-66).
    init(generation: UInt64) {
        last = generation &* 1_048_576
    }

    /// Keeps a snapshot for a node. It replaces the node's earlier snapshot of the same keyset.
    ///
    /// - Returns: the number of the snapshot.
    mutating func add(_ snapshot: KeysetSnapshot, for node: UInt64) -> UInt64 {
        let reader = Reader(node: node, keyset: Identifier(snapshot.subscribeKey))
        if let former = numbers[reader] { snapshots[former] = nil }
        last &+= 1
        numbers[reader] = last
        snapshots[last] = (reader, snapshot)
        return last
    }

    /// A piece of a snapshot; nil when the node has no snapshot with this number. The snapshot is removed after its last piece.
    mutating func piece(
        _ index: UInt32, of number: UInt64, for node: UInt64
    ) -> (subscribeKey: String, fact: PubNubFact)? {
        guard let (reader, snapshot) = snapshots[number], reader.node == node, let fact = snapshot.piece(index) else {
            return nil
        }
        if snapshot.isLast(index) {
            snapshots[number] = nil
            numbers[reader] = nil
        }
        return (snapshot.subscribeKey, fact)
    }

    mutating func remove(_ node: UInt64) {
        for (reader, number) in numbers where reader.node == node {
            numbers[reader] = nil
            snapshots[number] = nil
        }
    }
}
