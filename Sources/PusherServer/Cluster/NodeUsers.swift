import DequeModule
import NIOCore

/// The signed-in connections of one node. A value without locks.
///
/// Each connection has at most one sign-in that was sent to the leader and is not answered, and one more that waits. A client that signs in
/// repeatedly while there is no leader replaces the sign-in that waits.
///
/// When ``limit`` sign-ins are unanswered, further ones wait in a queue. The sign-in of a closed connection is removed from the queue,
/// because sent requests wait for a leader without a time limit while connections come and go (rule CR-91).
struct NodeUsers: Sendable {
    typealias SignIn = (connection: SignedInConnection, answers: [ByteBuffer])

    private struct Entry {
        var eventLoopID: Int
        /// The connection's sign-in that the leader has confirmed; nil if there is none.
        var held: SignedInConnection?
        var isOnItsWay = false
        /// Whether a sign-in was ever sent. If so, the leader may have recorded it, even if it was not answered.
        var wasSent = false
        var isQueued = false
        var waiting: SignIn?
        var isLeaving = false
    }

    private var entries: [SocketID: Entry] = [:]
    /// The connections whose sign-ins wait because `limit` sign-ins are unanswered. Closed connections may still be listed.
    private var queue = Deque<SocketID>()
    private var queuedCount = 0
    private var underway = 0
    /// The largest number of sign-ins that were sent and are not answered.
    private let limit: Int

    init(limit: Int = 1_024) {
        self.limit = limit
    }

    /// Adds a sign-in. Returns the sign-in to send now; nil when it has to wait.
    mutating func signIn(_ signIn: SignIn, at eventLoopID: Int) -> SignIn? {
        let socketID = signIn.connection.socketID
        var entry = entries[socketID] ?? Entry(eventLoopID: eventLoopID)
        defer { entries[socketID] = entry }
        entry.waiting = signIn
        guard !entry.isOnItsWay, !entry.isQueued else { return nil }
        guard underway < limit else {
            enqueue(socketID, &entry)
            return nil
        }
        return send(&entry)
    }

    /// Handles the leader's answer to a sign-in; returns the next sign-in to send, which may be that of another connection.
    mutating func answered(_ connection: SignedInConnection, isTaken: Bool) -> SignIn? {
        underway -= 1
        if var entry = entries[connection.socketID] {
            entry.isOnItsWay = false
            if isTaken { entry.held = connection }
            if entry.waiting != nil, !entry.isQueued { enqueue(connection.socketID, &entry) }
            entries[connection.socketID] = entry
        }
        while underway < limit, let socketID = queue.popFirst() {
            guard var entry = entries[socketID], entry.isQueued else { continue }
            entry.isQueued = false
            queuedCount -= 1
            let next = send(&entry)
            entries[socketID] = entry
            if let next { return next }
        }
        return nil
    }

    private mutating func send(_ entry: inout Entry) -> SignIn? {
        guard let next = entry.waiting else { return nil }
        entry.waiting = nil
        (entry.isOnItsWay, entry.wasSent) = (true, true)
        underway += 1
        return next
    }

    private mutating func enqueue(_ socketID: SocketID, _ entry: inout Entry) {
        entry.isQueued = true
        queuedCount += 1
        queue.append(socketID)
    }

    /// Removes a closed connection. Returns true if the leader has to be informed, because the leader may have recorded a sign-in of the
    /// connection.
    mutating func leave(_ socketID: SocketID) -> Bool {
        guard var entry = entries[socketID] else { return false }
        entry.waiting = nil
        entry.isLeaving = true
        if entry.isQueued {
            entry.isQueued = false
            queuedCount -= 1
        }
        entries[socketID] = entry.wasSent ? entry : nil
        if queue.count > 2 * queuedCount + 64 { queue.removeAll { [entries] in entries[$0]?.isQueued != true } }
        return entry.wasSent
    }

    /// Removes a closed connection from this node's records, after the leader has removed its sign-in.
    mutating func release(_ socketID: SocketID) {
        entries[socketID] = nil
    }

    /// Groups the open connections of a list by their event loops.
    func places(of connections: [SocketID]) -> [Int: [SocketID]] {
        var places: [Int: [SocketID]] = [:]
        for socketID in connections {
            guard let entry = entries[socketID], !entry.isLeaving else { continue }
            places[entry.eventLoopID, default: []].append(socketID)
        }
        return places
    }

    /// All signed-in connections that the leader has confirmed, for an announcement.
    var held: [SignedInConnection] { entries.values.compactMap(\.held) }

    /// The number of stored connections and queue entries, including those of closed connections.
    var remembered: Int { entries.count + queue.count }
}
