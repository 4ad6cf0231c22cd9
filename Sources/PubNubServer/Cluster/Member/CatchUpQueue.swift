import OrderedCollections

/// The messages that a replica of a keyset lacks for its polls, until the leader has sent them (rule CB-52).
///
/// One request at a time is under way. Ranges that are added meanwhile wait for the next request, so that many polls that arrive together
/// cause few requests.
struct CatchUpQueue: Sendable {
    struct Request: Hashable, Sendable {
        /// The number of the request, which is unique within the keyset.
        var number: UInt64
        var ranges: [StreamRange]
    }

    private var waiting: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The ranges of the request that is under way; empty when there is none.
    private var underway: OrderedDictionary<StreamName, StreamRange> = [:]
    /// The number of the last request to the leader that was made.
    private var number: UInt64 = 0
    /// Whether the last request has failed. No request is sent then until ``resume()`` is called.
    private var isPaused = false

    /// The largest number of message queues (channels and patterns) in one request.
    static let limit = 1000
    /// The largest number of message queues that wait to be requested, for example while there is no leader.
    static let capacity = 100_000

    /// Adds a range to request, unless the current request contains it. A new message queue beyond ``capacity`` is not added: its polls are
    /// answered with their own cursor, and clients poll again (rule CB-56).
    mutating func add(_ range: StreamRange) {
        if let other = underway[range.name], other.after <= range.after, other.upTo >= range.upTo { return }
        var range = range
        if let other = waiting[range.name] {
            // The end of the new range is used, because it is where the replica's messages begin now.
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

    /// Ends a request. Its ranges that are not in `answered` wait for the next request.
    ///
    /// - Returns: false when the request is not under way.
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

    /// Removes all ranges, because the replica starts anew; its polls then add the ranges that they lack.
    mutating func reset() {
        waiting = [:]
        underway = [:]
        isPaused = false
    }

    private func isUnderway(_ number: UInt64) -> Bool { number == self.number && !underway.isEmpty }
}
