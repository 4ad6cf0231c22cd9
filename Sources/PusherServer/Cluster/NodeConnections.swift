import DequeModule
import Identifiers
import ServerValues

/// The number of connections of each application: on this node, and on all nodes as far as this node knows (rules CP-30 to CP-32).
///
/// The leader grants places, that is, permissions for one connection each. Every connection of an application with a limit needs a place,
/// so all nodes together never exceed the limit. A value without locks; completions are returned, so that the owner can call them outside
/// of its lock.
struct NodeConnections: Sendable {
    typealias Completion = @Sendable (ConnectionPlace) -> Void

    private struct Waiting: Sendable {
        var ticket: UInt64
        var deadline: MonotonicInstant
        var completion: Completion
    }

    private struct Count: Sendable {
        var own = 0
        /// The number of connections that the leader counts for this node, according to its answers.
        var counted = 0
        /// The change of `counted` that was reported to the leader and is not answered yet; 0 when there is no such report.
        var reported = 0
        /// The part of `total`, the application's connections on all nodes, that belongs to this node.
        var included = 0
        var total = 0
        /// Connections that wait for a place, oldest first. The request in progress asks for places for the first `asked` of them.
        var waiting: Deque<Waiting> = []
        /// The number of entries of `waiting` that the request to the leader covers.
        var asked = 0
        /// Whether the leader has not answered this application's request for places yet.
        var isAsking = false

        var known: Int { max(total - included, 0) + own }
        /// The number of places (permissions for one connection each) that the leader has granted and no connection uses.
        var spare: Int { counted + min(reported, 0) - own }
        var isUnused: Bool { own == 0 && counted == 0 && reported == 0 && total == 0 && waiting.isEmpty && !isAsking }
    }

    private var counts: [Identifier: Count] = [:]
    /// Applications whose number of connections has changed since the last report to the leader.
    private var changed: Set<Identifier> = []
    /// Whether the leader has not answered the last report of connection counts yet.
    private var isReporting = false
    /// Whether an unused place has to be returned at once, because a connection of another node may wait for it.
    private(set) var isUrgent = false
    private var lastTicket: UInt64 = 0

    /// The largest number of places (permissions for one connection each) in one request to the leader.
    private static let asked = 1_000

    // MARK: Connections

    /// Counts a connection, or returns ``ConnectionPlace/asked`` when the connection must wait for a place.
    mutating func open(_ application: String, limit: Int?) -> ConnectionPlace {
        let id = Identifier(application)
        if limit != nil {
            guard let count = counts[id], count.waiting.isEmpty, count.spare > 0 else { return .asked }
            counts[id]?.own += 1
            return .given
        }
        counts[id, default: Count()].own += 1
        changed.insert(id)
        return .given
    }

    /// Counts the end of a connection.
    ///
    /// - Parameter isLimited: whether the application has a limit of connections, so that other connections may wait for the permission
    ///   that becomes free.
    mutating func close(_ application: String, isLimited: Bool = false) {
        let id = Identifier(application)
        guard let own = counts[id]?.own, own > 0 else { return }
        counts[id]?.own = own - 1
        changed.insert(id)
        if isLimited { isUrgent = true }
    }

    /// The number of an application's connections on all nodes, according to the leader's last report and this node's own count.
    func known(_ application: String) -> Int { counts[Identifier(application)]?.known ?? 0 }

    /// The applications that have connections on this node, with the numbers of these connections.
    var own: [ApplicationCount] {
        counts.compactMap { $1.own > 0 ? ApplicationCount(application: $0.text, count: $1.own) : nil }
    }

    // MARK: Places

    /// Adds a waiting connection. Returns a number with which ``giveUp(_:of:)`` removes it.
    mutating func wait(for application: String, until deadline: MonotonicInstant, _ completion: @escaping Completion) -> UInt64 {
        lastTicket += 1
        counts[Identifier(application), default: Count()].waiting.append(
            Waiting(ticket: lastTicket, deadline: deadline, completion: completion))
        return lastTicket
    }

    /// Removes a connection that has closed while it waited for a place; its completion is not called. Does nothing when the completion was
    /// called already or is about to be called.
    mutating func giveUp(_ ticket: UInt64, of application: String) {
        let id = Identifier(application)
        guard let index = counts[id]?.waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        remove(at: index, of: id)
        forgetIfUnused(id)
    }

    @discardableResult
    private mutating func remove(at index: Int, of id: Identifier) -> Completion? {
        if let asked = counts[id]?.asked, index < asked { counts[id]?.asked = asked - 1 }
        return counts[id]?.waiting.remove(at: index).completion
    }

    /// The number of places to request from the leader; nil when no connection waits or a request is in progress.
    mutating func ask(for application: String) -> Int? {
        let id = Identifier(application)
        guard let count = counts[id], !count.isAsking, !count.waiting.isEmpty else { return nil }
        counts[id]?.isAsking = true
        let asked = min(count.waiting.count, Self.asked)
        counts[id]?.asked = asked
        return asked
    }

    /// Handles the leader's answer to a request for places.
    ///
    /// - Parameter places: the number of granted places. Nil means that no answer came; if the leader has granted places nevertheless, they
    ///   are reported as free later.
    /// - Returns: completions to call, with their results.
    mutating func answered(_ places: Int?, for application: String) -> [(Completion, ConnectionPlace)] {
        let id = Identifier(application)
        guard var count = counts[id] else { return [] }
        var told: [(Completion, ConnectionPlace)] = []
        count.isAsking = false
        var given = places ?? 0
        count.counted += given
        // Connections for which places were requested come first, then connections that started to wait after the request.
        while given > 0 || count.spare > 0, let next = count.waiting.popFirst() {
            given = max(given - 1, 0)
            count.asked = max(count.asked - 1, 0)
            count.own += 1
            told.append((next.completion, .given))
        }
        let refused = min(count.asked, count.waiting.count)
        for _ in 0..<refused {
            guard let next = count.waiting.popFirst() else { break }
            told.append((next.completion, places == nil ? .unavailable : .full))
        }
        count.asked = 0
        counts[id] = count
        // Places (permissions) for connections that have closed while they waited are returned to the leader.
        if count.spare > 0 {
            changed.insert(id)
            isUrgent = true
        }
        forgetIfUnused(id)
        return told
    }

    /// Removes the connections that have waited too long for a place. Returns their completions, which the caller has to call.
    mutating func expire(at now: MonotonicInstant) -> [Completion] {
        var expired: [Completion] = []
        for id in counts.keys.filter({ counts[$0]?.waiting.isEmpty == false }) {
            while let first = counts[id]?.waiting.first, first.deadline <= now {
                if let completion = remove(at: 0, of: id) { expired.append(completion) }
            }
            forgetIfUnused(id)
        }
        return expired
    }

    // MARK: Reports

    /// The counts to report to the leader; nil when there are none, or the previous report is not answered yet.
    mutating func report() -> [ApplicationCount]? {
        guard !isReporting, !changed.isEmpty else { return nil }
        var report: [ApplicationCount] = []
        for id in changed {
            guard let count = counts[id], count.own != count.counted else { continue }
            let change = count.own - count.counted
            counts[id]?.reported = change
            report.append(ApplicationCount(application: id.text, count: change))
        }
        for id in changed { forgetIfUnused(id) }
        changed = []
        isUrgent = false
        guard !report.isEmpty else { return nil }
        isReporting = true
        return report
    }

    /// Records that the leader has applied the changed counts of a report.
    mutating func reported(_ report: [ApplicationCount]) {
        isReporting = false
        for change in report {
            let id = Identifier(change.application)
            counts[id, default: Count()].counted += change.count
            settle(id)
        }
    }

    /// Handles a report of connection counts that did not reach the leader and will not be sent again.
    mutating func failed(_ report: [ApplicationCount]) {
        isReporting = false
        for change in report { settle(Identifier(change.application)) }
    }

    private mutating func settle(_ id: Identifier) {
        counts[id]?.reported = 0
        if let count = counts[id], count.own != count.counted { changed.insert(id) }
        forgetIfUnused(id)
    }

    /// The counts for the announcement to a new leader. Changes in unanswered requests are not included, because these requests are sent
    /// again after the announcement.
    mutating func announce() -> [ApplicationCount] {
        for id in Array(counts.keys) {
            if let count = counts[id] { counts[id]?.counted = count.own - count.reported }
        }
        return counts.compactMap { $1.counted > 0 ? ApplicationCount(application: $0.text, count: $1.counted) : nil }
    }

    /// Applies the leader's totals, which include the connections of all nodes.
    mutating func learn(_ totals: [ApplicationCount]) {
        for total in totals {
            let id = Identifier(total.application)
            var count = counts[id] ?? Count()
            (count.total, count.included) = (total.count, count.counted)
            counts[id] = count
            forgetIfUnused(id)
        }
    }

    private mutating func forgetIfUnused(_ id: Identifier) {
        if counts[id]?.isUnused == true { counts[id] = nil }
    }
}
