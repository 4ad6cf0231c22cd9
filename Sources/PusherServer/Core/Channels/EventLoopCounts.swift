import ServerValues

/// How many subscriptions of a channel each event loop has. A value.
///
/// Most channels have the subscriptions of one event loop only, for which no list is made: a server may have a million channels.
struct EventLoopCounts: Sendable {
    /// The number of subscriptions of all event loops.
    private(set) var total = 0
    /// Event loops with at least one subscription.
    private(set) var audience = EventLoopSet()
    /// The number of subscriptions of each event loop, up to the highest one that ever had one; empty while one has all of them.
    private var counts: [Int32] = []

    /// Counts a subscription.
    ///
    /// - Parameter eventLoopID: below ``EventLoopSet/capacity``; clamped.
    mutating func add(_ eventLoopID: Int) {
        let id = Self.clamp(eventLoopID)
        if counts.isEmpty, let only = audience.first(where: { _ in true }), only != id {
            counts = Array(repeating: 0, count: max(only, id) + 1)
            counts[only] = Int32(clamping: total)
        }
        if !counts.isEmpty {
            while counts.count <= id { counts.append(0) }
            counts[id] += 1
        }
        audience.insert(id)
        total += 1
    }

    /// Counts the end of a subscription; returns false when the event loop has none.
    mutating func remove(_ eventLoopID: Int) -> Bool {
        let id = Self.clamp(eventLoopID)
        guard audience.contains(id) else { return false }
        total -= 1
        if counts.isEmpty {
            if total == 0 { audience.remove(id) }
        } else {
            // in bounds: the list has all event loops of the audience.
            counts[id] -= 1
            if counts[id] == 0 { audience.remove(id) }
            if total == 0 { counts = [] }
        }
        return true
    }

    private static func clamp(_ eventLoopID: Int) -> Int { min(max(eventLoopID, 0), EventLoopSet.capacity - 1) }
}
