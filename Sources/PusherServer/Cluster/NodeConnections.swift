import Identifiers
import RealtimeHub

/// How many connections the applications of a node have: on the node, and on all nodes as far as it knows (rules CP-30 to CP-32).
struct NodeConnections: Sendable {
    private struct Count {
        var own = 0
        /// How many of `own` are included in `total`.
        var included = 0
        var total = 0

        var known: Int { max(total - included, 0) + own }
    }

    private var counts: [Identifier: Count] = [:]
    /// Applications whose present count the leader has not received.
    private var changed: Set<Identifier> = []
    /// Whether a report has no answer yet.
    private var isReporting = false

    /// Counts a connection; false when there are as many as there may be.
    mutating func open(_ application: String, limit: Int?) -> Bool {
        let id = Identifier(application)
        if let limit, counts[id, default: Count()].known >= limit { return false }
        counts[id, default: Count()].own += 1
        changed.insert(id)
        return true
    }

    mutating func close(_ application: String) {
        let id = Identifier(application)
        guard let own = counts[id]?.own, own > 0 else { return }
        counts[id]?.own = own - 1
        changed.insert(id)
    }

    /// Connections of an application on all nodes.
    func known(_ application: String) -> Int { counts[Identifier(application)]?.known ?? 0 }

    /// The applications that have connections here.
    var own: [ApplicationCount] {
        counts.compactMap { $1.own > 0 ? ApplicationCount(application: $0.text, count: $1.own) : nil }
    }

    /// The counts to send to the leader; nil when there are none, or it has not answered yet.
    mutating func report() -> [ApplicationCount]? {
        guard !isReporting, !changed.isEmpty else { return nil }
        isReporting = true
        defer { changed = [] }
        return changed.map { ApplicationCount(application: $0.text, count: counts[$0]?.own ?? 0) }
    }

    /// The leader has counted a report.
    mutating func reported(_ report: [ApplicationCount]) {
        isReporting = false
        for count in report {
            let id = Identifier(count.application)
            counts[id, default: Count()].included = count.count
            if counts[id]?.own != count.count { changed.insert(id) }
            forgetIfUnused(id)
        }
    }

    /// Handles a report that was not delivered and will not be sent again.
    mutating func failed(_ report: [ApplicationCount]) {
        isReporting = false
        for count in report { changed.insert(Identifier(count.application)) }
    }

    /// Everything there is, for a new leader.
    mutating func announce() -> [ApplicationCount] {
        counts = counts.mapValues { Count(own: $0.own, included: $0.own, total: $0.total) }
        return own
    }

    /// Applies the leader's counts for all nodes.
    mutating func learn(_ totals: [ApplicationCount]) {
        for total in totals {
            let id = Identifier(total.application)
            counts[id, default: Count()].total = total.count
            forgetIfUnused(id)
        }
    }

    private mutating func forgetIfUnused(_ id: Identifier) {
        guard let count = counts[id], count.own == 0, count.included == 0, count.total == 0 else { return }
        counts[id] = nil
    }
}
