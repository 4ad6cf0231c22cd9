import Identifiers
import ServerStorage

/// One open channel with its participants.
struct ChatRoom: Sendable {
    struct Participant: Sendable {
        var entered: Int64
        /// The user's sessions; empty for a participant who has lost the connection and may still reconnect.
        var sessions: [ChatSessionID]
        /// The time when the participant is removed, by the monotonic clock; nil while the participant is connected.
        var leavesAt: Int64?
    }

    var channel: ChatDocument.OpenChannel
    private(set) var participants: [Identifier: Participant] = [:]
    var entries: [Identifier: ChatDocument.OpenEntry] = [:]
    /// Participants' joins and leaves that have not been published yet.
    var untold: [ChatOpenAction] = []
    /// The last time, by the monotonic clock, at which the channel had a participant or got a message. This time is not stored, so it is
    /// nil after a restart, and the next sweep starts the channel's lifetime anew (rule CH-75).
    var lastActivity: Int64?
    /// The number of the channel's sessions on each event loop.
    private var sessions: [Int] = []
    private(set) var eventLoopIDs = EventLoopSet()

    /// - Parameter time: the monotonic time; nil for a channel that is restored from the store.
    init(_ channel: ChatDocument.OpenChannel, at time: Int64?) {
        self.channel = channel
        lastActivity = time
    }

    /// Records activity in the channel, which starts its lifetime anew.
    mutating func touch(at time: Int64) { lastActivity = max(lastActivity ?? time, time) }

    var count: Int { participants.count }

    /// Adds a session; returns whether it is the user's first one.
    ///
    /// - Parameter time: the monotonic time.
    mutating func enter(_ session: ChatSessionID, _ user: Identifier, at now: Int64, steady time: Int64) -> Bool {
        touch(at: time)
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

    /// Removes one session. The user stays a participant, even without sessions.
    ///
    /// - Returns: the number of the user's remaining sessions; nil when the session was not in the channel.
    mutating func detach(_ session: ChatSessionID, _ user: Identifier) -> Int? {
        guard let index = participants.index(forKey: user),
            let position = participants.values[index].sessions.firstIndex(where: { $0.id == session.id })
        else { return nil }
        let removed = participants.values[index].sessions.remove(at: position)
        seat(removed, -1)
        return participants.values[index].sessions.count
    }

    /// Adds a restored participant, without any events.
    mutating func restore(_ user: Identifier, entered: Int64, _ sessions: [ChatSessionID], leavesAt: Int64?) {
        participants[user] = Participant(entered: entered, sessions: sessions, leavesAt: leavesAt)
        for session in sessions { seat(session, 1) }
    }

    mutating func wait(for user: Identifier, until deadline: Int64) {
        guard let index = participants.index(forKey: user) else { return }
        participants.values[index].leavesAt = deadline
    }

    /// Removes a user from the participants. Returns nil when the user was not a participant.
    ///
    /// - Parameter time: the monotonic time.
    mutating func remove(_ user: Identifier, at time: Int64) -> Participant? {
        guard let participant = participants.removeValue(forKey: user) else { return nil }
        for session in participant.sessions { seat(session, -1) }
        touch(at: time)
        return participant
    }

    private mutating func seat(_ session: ChatSessionID, _ change: Int) {
        let eventLoopID = session.eventLoopID
        guard (0..<EventLoopSet.capacity).contains(eventLoopID) else { return }
        while sessions.count <= eventLoopID { sessions.append(0) }
        sessions[eventLoopID] += change
        if sessions[eventLoopID] > 0 { eventLoopIDs.insert(eventLoopID) } else { eventLoopIDs.remove(eventLoopID) }
    }
}
