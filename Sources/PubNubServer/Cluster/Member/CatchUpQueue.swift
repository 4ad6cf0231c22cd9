import OrderedCollections

/// The messages that a replica of a keyset lacks for its polls, until the leader has sent them (rule CB-52).
///
/// One request at a time is under way. What is needed meanwhile waits and goes with the next one, so that many polls that arrive
/// together lead to few requests.
struct CatchUpQueue: Sendable {
    struct Request: Hashable, Sendable {
        /// Identifies the request among those of the keyset.
        var number: UInt64
        var ranges: [StreamRange]
    }

    private var waiting: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The ranges of the request that is under way; empty when there is none.
    private var underway: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The number of the last request.
    private var number: UInt64 = 0
    /// Whether the last request has failed. The next one is sent after ``resume()``.
    private var isPaused = false

    /// The largest number of queues in one request.
    static let limit = 1000
    /// The largest number of queues that wait, for example while there is no leader.
    static let capacity = 100_000

    /// Adds a range, unless the request under way contains it. A new queue beyond ``capacity`` is not added: its polls end with their
    /// own cursor and ask again (rule CB-56).
    mutating func add(_ range: StreamRange) {
        if let other = underway[range.name], other.after <= range.after, other.upTo >= range.upTo { return }
        var range = range
        if let other = waiting[range.name] {
            // The latest range has the right end, because it is the beginning of what the replica has now.
            range.after = min(range.after, other.after)
        } else if waiting.count >= Self.capacity {
            return
        }
        waiting[range.name] = range
    }

    /// The next request; nil while another one is under way, after a failure, or when nothing is missing.
    mutating func next() -> Request? {
        guard underway.isEmpty, !isPaused, !waiting.isEmpty else { return nil }
        number += 1
        let ranges = Array(waiting.values.prefix(Self.limit))
        for range in ranges { underway[range.name] = range }
        waiting.removeFirst(ranges.count)
        return Request(number: number, ranges: ranges)
    }

    /// Ends a request. Queues that were not answered wait for the next one.
    ///
    /// - Returns: false for a request that is not under way.
    mutating func end(_ number: UInt64, answered: Set<StreamName>) -> Bool {
        guard isUnderway(number) else { return false }
        let rest = underway.values.filter { !answered.contains($0.name) }
        underway = [:]
        for range in rest {
            guard let later = waiting[range.name] else {
                waiting[range.name] = range
                continue
            }
            waiting[range.name]?.after = min(range.after, later.after)
        }
        return true
    }

    /// Ends a request without an answer. Everything waits until ``resume()``.
    mutating func fail(_ number: UInt64) {
        guard end(number, answered: []) else { return }
        isPaused = true
    }

    /// Allows requests again. Call it about once a second.
    mutating func resume() { isPaused = false }

    /// Forgets everything, because the replica starts anew: its polls find out what they lack then.
    mutating func reset() {
        waiting = [:]
        underway = [:]
        isPaused = false
    }

    private func isUnderway(_ number: UInt64) -> Bool { number == self.number && !underway.isEmpty }
}
