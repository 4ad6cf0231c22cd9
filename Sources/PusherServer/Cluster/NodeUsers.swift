import NIOCore

/// The signed-in connections of one node. A value without locks.
///
/// For each connection, at most one sign-in is sent to the leader, and one waits behind it: a client that signs in repeatedly while
/// there is no leader replaces the waiting one.
struct NodeUsers: Sendable {
    typealias SignIn = (connection: SignedInConnection, answers: [ByteBuffer])

    private struct Entry {
        var eventLoopID: Int
        /// The sign-in that the leader has confirmed.
        var held: SignedInConnection?
        var isOnItsWay = false
        var waiting: SignIn?
        var isLeaving = false
    }

    private var entries: [SocketID: Entry] = [:]

    /// Adds a sign-in; returns the sign-in to send now, if any.
    mutating func signIn(_ signIn: SignIn, at eventLoopID: Int) -> SignIn? {
        let socketID = signIn.connection.socketID
        guard entries[socketID]?.isOnItsWay != true else {
            entries[socketID]?.waiting = signIn
            return nil
        }
        entries[socketID, default: Entry(eventLoopID: eventLoopID)].isOnItsWay = true
        return signIn
    }

    /// Handles the leader's answer to a sign-in; returns the next sign-in to send.
    mutating func answered(_ connection: SignedInConnection, isTaken: Bool) -> SignIn? {
        guard var entry = entries[connection.socketID] else { return nil }
        entry.isOnItsWay = false
        if isTaken { entry.held = connection }
        let next = entry.isLeaving ? nil : entry.waiting
        entry.waiting = nil
        entry.isOnItsWay = next != nil
        entries[connection.socketID] = entry
        return next
    }

    /// Removes a closed connection; returns false when it is not signed in.
    mutating func leave(_ socketID: SocketID) -> Bool {
        guard entries[socketID] != nil else { return false }
        entries[socketID]?.isLeaving = true
        entries[socketID]?.waiting = nil
        return true
    }

    /// Removes a connection that the leader has removed.
    mutating func release(_ socketID: SocketID) {
        entries[socketID] = nil
    }

    /// Groups connections by their event loops.
    func places(of connections: [SocketID]) -> [Int: [SocketID]] {
        var places: [Int: [SocketID]] = [:]
        for socketID in connections {
            guard let entry = entries[socketID], !entry.isLeaving else { continue }
            places[entry.eventLoopID, default: []].append(socketID)
        }
        return places
    }

    /// All signed-in connections that the leader has confirmed.
    var held: [SignedInConnection] { entries.values.compactMap(\.held) }
}
