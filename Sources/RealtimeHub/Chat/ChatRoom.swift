import Identifiers

/// One open channel with those who are in it.
struct ChatRoom: Sendable {
    struct Participant: Sendable {
        var entered: Int64
        /// Empty for somebody who has lost the connection and is waited for.
        var sessions: [ChatSession]
        /// When to give up waiting.
        var leavesAt: Int64?
    }

    var channel: ChatOpenChannel
    private(set) var participants: [Identifier: Participant] = [:]
    var entries: [Identifier: ChatOpenEntry] = [:]
    /// Comings and goings that have not been told yet.
    var untold: [ChatOpenAction] = []
    /// When somebody was there, or something was said, for the last time.
    var lastActivity: Int64
    /// Sessions by event loop.
    private var sessions: [Int] = []
    private(set) var eventLoopIDs = EventLoopSet()

    init(_ channel: ChatOpenChannel, at now: Int64) {
        self.channel = channel
        lastActivity = now
    }

    var count: Int { participants.count }

    /// Adds a session; whether the user was not there before.
    mutating func enter(_ session: ChatSession, _ user: Identifier, at now: Int64) -> Bool {
        lastActivity = max(lastActivity, now)
        guard let index = participants.index(forKey: user) else {
            participants[user] = Participant(entered: now, sessions: [session])
            seat(session, 1)
            return true
        }
        participants.values[index].leavesAt = nil
        if !participants.values[index].sessions.contains(where: { $0.id == session.id }) {
            participants.values[index].sessions.append(session)
            seat(session, 1)
        }
        return false
    }

    /// Removes one session. The user stays, without sessions if it was the last one.
    ///
    /// - Returns: how many sessions the user has left here; nil when this one was not here.
    mutating func detach(_ session: ChatSession, _ user: Identifier) -> Int? {
        guard let index = participants.index(forKey: user),
            let position = participants.values[index].sessions.firstIndex(where: { $0.id == session.id })
        else { return nil }
        let removed = participants.values[index].sessions.remove(at: position)
        seat(removed, -1)
        return participants.values[index].sessions.count
    }

    /// Takes a participant as it is.
    mutating func restore(_ user: Identifier, entered: Int64, _ sessions: [ChatSession], leavesAt: Int64?) {
        participants[user] = Participant(entered: entered, sessions: sessions, leavesAt: leavesAt)
        for session in sessions { seat(session, 1) }
    }

    mutating func wait(for user: Identifier, until deadline: Int64) {
        guard let index = participants.index(forKey: user) else { return }
        participants.values[index].leavesAt = deadline
    }

    /// Removes a user; nil when there was none.
    mutating func remove(_ user: Identifier, at now: Int64) -> Participant? {
        guard let participant = participants.removeValue(forKey: user) else { return nil }
        for session in participant.sessions { seat(session, -1) }
        lastActivity = max(lastActivity, now)
        return participant
    }

    private mutating func seat(_ session: ChatSession, _ change: Int) {
        let eventLoopID = session.eventLoopID
        guard (0..<EventLoopSet.capacity).contains(eventLoopID) else { return }
        while sessions.count <= eventLoopID { sessions.append(0) }
        sessions[eventLoopID] += change
        if sessions[eventLoopID] > 0 { eventLoopIDs.insert(eventLoopID) } else { eventLoopIDs.remove(eventLoopID) }
    }
}
