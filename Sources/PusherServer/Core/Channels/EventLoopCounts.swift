import ServerValues

/// The number of a channel's subscriptions on each event loop. A value.
///
/// Most channels have subscriptions on one event loop only. For these channels no list is stored, which saves memory on a server with a
/// million channels.
struct EventLoopCounts: Sendable {
    /// The number of subscriptions of all event loops.
    private(set) var total = 0
    /// The event loops with at least one subscription.
    private(set) var audience = EventLoopSet()
    /// The number of subscriptions of each event loop, indexed by its number; empty while one event loop has all subscriptions.
    private var counts: [Int32] = []

    /// Counts a subscription.
    ///
    /// - Parameter eventLoopID: the number of the event loop. A number outside of 0 ..< ``EventLoopSet/capacity`` is replaced by the
    ///   nearest one inside.
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

    /// Counts the end of a subscription; returns false when the event loop has no subscription.
    mutating func remove(_ eventLoopID: Int) -> Bool {
        let id = Self.clamp(eventLoopID)
        guard audience.contains(id) else { return false }
        total -= 1
        if counts.isEmpty {
            if total == 0 { audience.remove(id) }
        } else {
            // in bounds: the list covers all event loops of the audience.
            counts[id] -= 1
            if counts[id] == 0 { audience.remove(id) }
            if total == 0 { counts = [] }
        }
        return true
    }

    private static func clamp(_ eventLoopID: Int) -> Int { min(max(eventLoopID, 0), EventLoopSet.capacity - 1) }
}
