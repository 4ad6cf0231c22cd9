/// The latest event of a channel that is never kept, for each connection that asks: nobody misses what it has sent itself.
///
/// Two entries are enough: the latest event, and the latest one of another sender.
struct UnkeptEvents: Hashable, Sendable {
    private struct Entry: Hashable {
        var number: UInt64
        var sender: SocketID?
    }

    private var latest: Entry?
    private var latestOfOther: Entry?

    /// Notes an event, whose number is above all before it.
    mutating func note(_ number: UInt64, from sender: SocketID?) {
        if let latest, latest.sender != sender { latestOfOther = latest }
        latest = Entry(number: number, sender: sender)
    }

    /// The number of the latest event that a connection has not sent itself; 0 when there was none.
    func latest(except sender: SocketID?) -> UInt64 {
        guard let latest else { return 0 }
        guard let sender, latest.sender == sender else { return latest.number }
        return latestOfOther?.number ?? 0
    }
}
