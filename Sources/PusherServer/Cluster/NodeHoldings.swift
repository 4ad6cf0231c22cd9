import Identifiers
import ServerCluster

/// The subscriptions and signed-in users of every node's connections, in the leader's memory. A value without locks.
struct NodeHoldings: Sendable {
    private struct Key: Hashable, Sendable {
        var channel: ChannelID
        var user: Identifier?

        init(_ channel: ChannelID, _ user: String?) {
            self.channel = channel
            self.user = user.map { Identifier($0) }
        }
    }

    /// The subscriptions of one node to a channel; on a presence channel, those of one user. Kept small, because a leader has an entry for
    /// each channel of each node.
    private struct Held: Sendable {
        var since: UInt64
        var count: Int32
        /// The application's information about the member.
        var info: String?

        init(_ holding: KeptHolding) {
            since = holding.since
            count = Int32(clamping: holding.holding.count)
            info = holding.holding.member?.info
        }

        func holding(_ key: Key, of node: ClusterNode) -> KeptHolding {
            let member = key.user.map { PresenceMember(userID: $0.text, info: info) }
            return KeptHolding(
                node: node, holding: ChannelHolding(channel: key.channel, member: member, count: Int(count)), since: since)
        }
    }

    private struct Node: Sendable {
        var subscriptions: [Key: Held] = [:]
        var users: [SocketID: SignedInConnection] = [:]
        var connections: [Identifier: Connections] = [:]
    }

    private struct Connections: Sendable {
        var count = 0
        /// Whether this number of connections is stored for the next leader.
        var isKept = false
    }

    private var nodes: [ClusterNode: Node] = [:]
    private var lastNumber: UInt64 = 0

    /// Makes the records of a new leader from the state that the previous leader has stored.
    ///
    /// - Parameter kept: the stored subscriptions.
    init(
        _ kept: [KeptHolding] = [], users: [(ClusterNode, SignedInConnection)] = [],
        connections: [(ClusterNode, ApplicationCount)] = []
    ) {
        for holding in kept {
            lastNumber = max(lastNumber, holding.since)
            let key = Key(holding.holding.channel, holding.holding.member?.userID)
            nodes[holding.node, default: Node()].subscriptions[key] = Held(holding)
        }
        for (node, connection) in users { nodes[node, default: Node()].users[connection.socketID] = connection }
        for (node, count) in connections {
            let known = Connections(count: count.count, isKept: true)
            nodes[node, default: Node()].connections[Identifier(count.application)] = known
        }
    }

    /// All nodes with connections, subscriptions or signed-in users.
    var holders: [ClusterNode] { Array(nodes.keys) }

    // MARK: Subscriptions

    /// Counts a subscription. Returns the node's new number of subscriptions, to be stored.
    mutating func add(_ channel: ChannelID, _ member: PresenceMember?, of node: ClusterNode) -> KeptHolding {
        let key = Key(channel, member?.userID)
        if var known = nodes[node]?.subscriptions[key] {
            known.count = Int32(clamping: Int(known.count) + 1)
            nodes[node]?.subscriptions[key] = known
            return known.holding(key, of: node)
        }
        lastNumber += 1
        let holding = ChannelHolding(channel: channel, member: member, count: 1)
        let new = KeptHolding(node: node, holding: holding, since: lastNumber)
        nodes[node, default: Node()].subscriptions[key] = Held(new)
        return new
    }

    /// Removes one subscription. Returns the node's new number of subscriptions, possibly 0, to be stored; nil when the node has none.
    mutating func remove(_ channel: ChannelID, user: String?, of node: ClusterNode) -> KeptHolding? {
        let key = Key(channel, user)
        guard var known = nodes[node]?.subscriptions[key] else { return nil }
        known.count -= 1
        nodes[node]?.subscriptions[key] = known.count > 0 ? known : nil
        return known.holding(key, of: node)
    }

    /// Compares a node's announcement with the leader's records. Returns the recorded subscriptions that the node no longer has, and
    /// announced ones that are not recorded.
    func changes(to announced: [ChannelHolding], of node: ClusterNode) -> (ended: [ChannelHolding], new: [ChannelHolding]) {
        var ended: [ChannelHolding] = []
        var new: [ChannelHolding] = []
        var rest = nodes[node]?.subscriptions ?? [:]
        for var holding in announced {
            let known = rest.removeValue(forKey: Key(holding.channel, holding.member?.userID))?.count ?? 0
            let difference = holding.count - Int(known)
            holding.count = abs(difference)
            if difference > 0 { new.append(holding) }
            if difference < 0 { ended.append(holding) }
        }
        ended += rest.sorted { $0.value.since < $1.value.since }.map { $0.value.holding($0.key, of: node).holding }
        return (ended, new)
    }

    // MARK: Users

    mutating func signIn(_ connection: SignedInConnection, of node: ClusterNode) {
        nodes[node, default: Node()].users[connection.socketID] = connection
    }

    /// Removes a signed-in connection and returns it; nil when it is not signed in.
    mutating func signOut(_ socketID: SocketID, of node: ClusterNode) -> SignedInConnection? {
        nodes[node]?.users.removeValue(forKey: socketID)
    }

    /// Compares the announced signed-in connections of a node with the leader's records, like ``changes(to:of:)``.
    func userChanges(
        to announced: [SignedInConnection], of node: ClusterNode
    ) -> (ended: [SignedInConnection], new: [SignedInConnection]) {
        var rest = nodes[node]?.users ?? [:]
        let new = announced.filter { rest.removeValue(forKey: $0.socketID) != $0 }
        let announced = Set(new.map(\.socketID))
        return (rest.values.filter { !announced.contains($0.socketID) }, new)
    }

    // MARK: Connections

    /// Sets the number of an application's connections on a node.
    ///
    /// - Parameter isLimited: whether the application has a limit of connections, so that the number must be stored for the next leader.
    /// - Returns: the difference to the previous number, and whether to store the new one.
    mutating func count(_ count: ApplicationCount, of node: ClusterNode, isLimited: Bool) -> (change: Int, isKept: Bool) {
        let id = Identifier(count.application)
        let before = nodes[node]?.connections[id] ?? Connections()
        let isKept = isLimited && count.count > 0
        nodes[node, default: Node()].connections[id] =
            count.count > 0 ? Connections(count: count.count, isKept: isKept) : nil
        return (count.count - before.count, isKept || before.isKept)
    }

    /// The number of an application's connections on a node.
    func connections(of application: String, at node: ClusterNode) -> Int {
        nodes[node]?.connections[Identifier(application)]?.count ?? 0
    }

    /// The applications that have connections on a node.
    func applications(of node: ClusterNode) -> [String] {
        nodes[node]?.connections.keys.map(\.text) ?? []
    }

    /// The applications that have connections on any node.
    var applications: Set<Identifier> {
        nodes.values.reduce(into: []) { $0.formUnion($1.connections.keys) }
    }

    mutating func forget(_ node: ClusterNode) {
        nodes[node] = nil
    }
}
