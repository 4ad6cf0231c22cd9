/// The latest event of a kind that is not replayed, seen by each client: a client does not miss events that it has caused itself.
///
/// Two entries are enough: the latest event, and the latest one of another origin.
struct LatestEvents<Origin: Hashable & Sendable>: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        var number: UInt64
        var origin: Origin?
    }

    private var latest: Item?
    private var latestOfOther: Item?

    init() {}

    /// - Parameter items: of another value's ``entries``.
    init(_ items: [Item]) {
        for item in items { note(item.number, from: item.origin) }
    }

    /// Both events, the older one first.
    var entries: [Item] { [latestOfOther, latest].compactMap(\.self) }

    /// Records an event. Its number must be greater than all before it.
    ///
    /// - Parameter origin: who caused it; nil for nobody in particular, whose events everybody misses.
    mutating func note(_ number: UInt64, from origin: Origin?) {
        if let latest, latest.origin != origin { latestOfOther = latest }
        latest = Item(number: number, origin: origin)
    }

    /// The number of the latest event that a client has not caused itself; 0 when there was none.
    func latest(except origin: Origin?) -> UInt64 {
        guard let latest else { return 0 }
        guard let origin, latest.origin == origin else { return latest.number }
        return latestOfOther?.number ?? 0
    }
}
