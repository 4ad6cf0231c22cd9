/// The latest event that cannot be replayed. A client cannot miss an event that it has caused itself, so the latest event that a client may
/// have missed depends on the client.
///
/// Two entries are enough: the latest event, and the latest event with another origin.
struct LatestEvents<Origin: Hashable & Sendable>: Hashable, Sendable {
    struct Item: Hashable, Sendable {
        var number: UInt64
        var origin: Origin?
    }

    private var latest: Item?
    private var latestOfOther: Item?

    init() {}

    /// Restores the value from stored entries.
    ///
    /// - Parameter items: the ``entries`` of the stored value.
    init(_ items: [Item]) {
        for item in items { note(item.number, from: item.origin) }
    }

    /// The stored events, the older one first; empty when none was recorded.
    var entries: [Item] { [latestOfOther, latest].compactMap(\.self) }

    /// Records an event. Its number must be greater than all earlier ones.
    ///
    /// - Parameter origin: the client that caused the event; nil when no client caused it, so that every client can miss it.
    mutating func note(_ number: UInt64, from origin: Origin?) {
        if let latest, latest.origin != origin { latestOfOther = latest }
        latest = Item(number: number, origin: origin)
    }

    /// The number of the latest event that a client has not caused itself; 0 when there is none.
    func latest(except origin: Origin?) -> UInt64 {
        guard let latest else { return 0 }
        guard let origin, latest.origin == origin else { return latest.number }
        return latestOfOther?.number ?? 0
    }
}
