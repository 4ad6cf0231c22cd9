/// The latest event of a kind that is not replayed, for each client that asks: nobody misses what it has caused itself.
///
/// Two entries are enough: the latest event, and the latest one of another origin.
struct LatestEvents<Origin: Hashable & Sendable>: Hashable, Sendable {
    private struct Entry: Hashable {
        var number: UInt64
        var origin: Origin?
    }

    private var latest: Entry?
    private var latestOfOther: Entry?

    /// Notes an event, whose number is above all before it.
    ///
    /// - Parameter origin: who caused it; nil for nobody in particular, whose events everybody misses.
    mutating func note(_ number: UInt64, from origin: Origin?) {
        if let latest, latest.origin != origin { latestOfOther = latest }
        latest = Entry(number: number, origin: origin)
    }

    /// The number of the latest event that a client has not caused itself; 0 when there was none.
    func latest(except origin: Origin?) -> UInt64 {
        guard let latest else { return 0 }
        guard let origin, latest.origin == origin else { return latest.number }
        return latestOfOther?.number ?? 0
    }
}
