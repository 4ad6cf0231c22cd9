import OrderedCollections

/// The messages that polls on a replica of a keyset need and that the replica lacks, until the leader has sent them (rule CB-52).
///
/// Only one request to the leader is in progress at a time. Ranges that are added in the meantime wait for the next request, so that many
/// polls that arrive together cause few requests.
struct CatchUpQueue: Sendable {
    struct Request: Hashable, Sendable {
        /// The number of the request, which is unique within the keyset.
        var number: UInt64
        var ranges: [StreamRange]
    }

    private var waiting: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The ranges of the request that is under way; empty when there is none.
    private var underway: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The number of the latest request to the leader.
    private var number: UInt64 = 0
    /// Whether the latest request has failed. If so, no request is sent until ``resume()`` is called.
    private var isPaused = false

    /// The largest number of message queues (channels and patterns) in one request.
    static let limit = 1000
    /// The largest number of message queues that wait to be requested, for example while there is no leader.
    static let capacity = 100_000

    /// Adds a range to request, unless the request in progress contains it. When ``capacity`` message queues already wait, a range of
    /// another one is not added. Its polls are then answered without messages and keep their cursor, so clients poll again (rule CB-56).
    mutating func add(_ range: StreamRange) {
        if let other = underway[range.name], other.after <= range.after, other.upTo >= range.upTo { return }
        var range = range
        if let other = waiting[range.name] {
            // The merged range ends where the new range ends, because the replica has all later messages.
            range.after = min(range.after, other.after)
        } else if waiting.count >= Self.capacity {
            return
        }
        waiting[range.name] = range
    }

    /// The next request; nil while another request is under way, after a failure, or when no message is missing.
    mutating func next() -> Request? {
        guard underway.isEmpty, !isPaused, !waiting.isEmpty else { return nil }
        number += 1
        let ranges = Array(waiting.values.prefix(Self.limit))
        for range in ranges { underway[range.name] = range }
        waiting.removeFirst(ranges.count)
        return Request(number: number, ranges: ranges)
    }

    /// Ends a request. The ranges of the request that are not in `answered` wait for the next request.
    ///
    /// - Returns: false when the request is not in progress.
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

    /// Ends a request without an answer. All ranges wait until ``resume()`` is called.
    mutating func fail(_ number: UInt64) {
        guard end(number, answered: []) else { return }
        isPaused = true
    }

    /// Allows requests again after a failure. Call it about once a second.
    mutating func resume() { isPaused = false }

    /// Removes all ranges, because the replica starts anew. The polls of the replica then add the ranges that they lack.
    mutating func reset() {
        waiting = [:]
        underway = [:]
        isPaused = false
    }

    private func isUnderway(_ number: UInt64) -> Bool { number == self.number && !underway.isEmpty }
}
