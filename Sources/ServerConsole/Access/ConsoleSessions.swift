import Crypto
import ServerValues
import WireCoding

/// The sessions of logged-in users (rules CO-14 and CO-15). Ids are stored as hashes, so that the time of a lookup reveals nothing about
/// other ids.
package struct ConsoleSessions: Sendable {
    package struct Session: Hashable, Sendable {
        package let role: ConsoleRole
        /// The token that calls of this session must contain to make changes.
        package let token: String
        package let begun: MonotonicInstant
        package fileprivate(set) var used: MonotonicInstant
    }

    /// The largest number of sessions. A further login ends the session that was unused for the longest time. Each session requires a
    /// password, so an attacker cannot end the sessions of others.
    package static let capacity = 64
    /// A session ends after this time (30 minutes) without a request.
    package static let idle = Duration.seconds(30 * 60)
    /// A session ends after this time (12 hours) even if it is in use.
    package static let longest = Duration.seconds(12 * 3600)

    private var sessions: [[UInt8]: Session] = [:]

    package init() {}

    package var count: Int { sessions.count }

    /// Starts a session with a new id.
    ///
    /// - Parameter random: makes random bytes.
    /// - Returns: the id for the cookie.
    package mutating func begin(
        _ role: ConsoleRole, at now: MonotonicInstant, random: (Int) -> [UInt8] = ConsolePasswords.random
    ) -> String {
        sweep(at: now)
        if sessions.count >= Self.capacity, let oldest = sessions.min(by: { $0.value.used < $1.value.used })?.key {
            sessions[oldest] = nil
        }
        let id = Hex.text(random(32))
        sessions[Self.key(id)] = Session(role: role, token: Hex.text(random(32)), begun: now, used: now)
        return id
    }

    /// Returns the session with this id and restarts its idle time. Nil if there is no such session or it has ended.
    package mutating func use(_ id: String, at now: MonotonicInstant) -> Session? {
        let key = Self.key(id)
        guard var session = sessions[key] else { return nil }
        guard isAlive(session, at: now) else {
            sessions[key] = nil
            return nil
        }
        session.used = max(session.used, now)
        sessions[key] = session
        return session
    }

    /// Whether the session with this id is open. The idle time of the session is not restarted.
    package func isOpen(_ id: String, at now: MonotonicInstant) -> Bool {
        sessions[Self.key(id)].map { isAlive($0, at: now) } ?? false
    }

    package mutating func end(_ id: String) {
        sessions[Self.key(id)] = nil
    }

    package mutating func sweep(at now: MonotonicInstant) {
        sessions = sessions.filter { isAlive($0.value, at: now) }
    }

    private func isAlive(_ session: Session, at now: MonotonicInstant) -> Bool {
        now.since(session.used) < Self.idle && now.since(session.begun) < Self.longest
    }

    private static func key(_ id: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(id.utf8)))
    }
}
