/// The counters of one event loop for one application's WebSockets since the start.
@usableFromInline
package struct ApplicationTally: Hashable, Sendable {
    package var connectionsAccepted = 0
    package var messagesReceived = 0
    package var bytesReceived = 0
    package var messagesSent = 0
    package var bytesSent = 0
    package var slowSubscribersCut = 0
    package var deadConnectionsCut = 0

    package init() {}

    package static func += (left: inout ApplicationTally, right: ApplicationTally) {
        left.connectionsAccepted += right.connectionsAccepted
        left.messagesReceived += right.messagesReceived
        left.bytesReceived += right.bytesReceived
        left.messagesSent += right.messagesSent
        left.bytesSent += right.bytesSent
        left.slowSubscribersCut += right.slowSubscribersCut
        left.deadConnectionsCut += right.deadConnectionsCut
    }
}

/// The counters of all applications on one event loop. Without locks, because each event loop counts for itself.
@usableFromInline
package struct ApplicationTallies: Hashable, Sendable {
    /// Counters, indexed by slot.
    @usableFromInline package internal(set) var tallies: ContiguousArray<ApplicationTally> = []

    package init() {}

    @inlinable
    package mutating func count(_ slot: MetricSlot, _ change: (inout ApplicationTally) -> Void) {
        grow(to: slot)
        change(&tallies[slot.index])
    }

    @usableFromInline
    package mutating func grow(to slot: MetricSlot) {
        while tallies.count <= slot.index { tallies.append(ApplicationTally()) }
    }

    /// The count at a slot; 0 before the first one.
    package func value(_ path: KeyPath<ApplicationTally, Int>, at slot: MetricSlot) -> Int {
        tallies.indices.contains(slot.index) ? tallies[slot.index][keyPath: path] : 0
    }

    package mutating func add(_ other: ApplicationTallies) {
        for (index, tally) in other.tallies.enumerated() { count(MetricSlot(index: index)) { $0 += tally } }
    }

    package var total: ApplicationTally { tallies.reduce(into: ApplicationTally()) { $0 += $1 } }
}

/// A number for each application on one event loop, for values that only one service counts.
package struct ApplicationCounts: Hashable, Sendable {
    /// Counts, indexed by slot.
    private var counts: ContiguousArray<Int> = []

    package init() {}

    package subscript(slot: MetricSlot) -> Int {
        get { counts.indices.contains(slot.index) ? counts[slot.index] : 0 }
        set {
            while counts.count <= slot.index { counts.append(0) }
            counts[slot.index] = newValue
        }
    }

    package mutating func add(_ other: ApplicationCounts) {
        for (index, count) in other.counts.enumerated() { self[MetricSlot(index: index)] += count }
    }

    package var total: Int { counts.reduce(0, +) }
}
