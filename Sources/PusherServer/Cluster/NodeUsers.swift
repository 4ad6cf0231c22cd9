import NIOCore

/// The signed-in connections of one node. A value without locks.
///
/// At most one sign-in of a connection is on its way to the leader, and one waits behind it: a client that signs in again and again
/// while there is no leader replaces what waits.
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

    /// A connection signs in; what to send, if anything can be sent now.
    mutating func signIn(_ signIn: SignIn, at eventLoopID: Int) -> SignIn? {
        let socketID = signIn.connection.socketID
        guard entries[socketID]?.isOnItsWay != true else {
            entries[socketID]?.waiting = signIn
            return nil
        }
        entries[socketID, default: Entry(eventLoopID: eventLoopID)].isOnItsWay = true
        return signIn
    }

    /// The leader has answered a sign-in, or has not taken it; returns the next one to send.
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

    /// A connection ends; false when it is not signed in.
    mutating func leave(_ socketID: SocketID) -> Bool {
        guard entries[socketID] != nil else { return false }
        entries[socketID]?.isLeaving = true
        entries[socketID]?.waiting = nil
        return true
    }

    /// The leader has removed a connection.
    mutating func release(_ socketID: SocketID) {
        entries[socketID] = nil
    }

    /// The event loops of connections.
    func places(of connections: [SocketID]) -> [Int: [SocketID]] {
        var places: [Int: [SocketID]] = [:]
        for socketID in connections {
            guard let entry = entries[socketID], !entry.isLeaving else { continue }
            places[entry.eventLoopID, default: []].append(socketID)
        }
        return places
    }

    /// Everything that the leader knows of.
    var held: [SignedInConnection] { entries.values.compactMap(\.held) }
}
