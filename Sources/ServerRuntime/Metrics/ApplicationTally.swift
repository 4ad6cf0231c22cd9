/// What one event loop has counted for one application's WebSockets since the server's start.
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

/// The counters of all applications on one event loop. They need no locks, because each event loop has its own counters.
@usableFromInline
package struct ApplicationTallies: Hashable, Sendable {
    /// One element for each application, indexed by ``MetricSlot``.
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

    /// Returns one counter of the application at a slot; 0 when nothing was counted there.
    package func value(_ path: KeyPath<ApplicationTally, Int>, at slot: MetricSlot) -> Int {
        tallies.indices.contains(slot.index) ? tallies[slot.index][keyPath: path] : 0
    }

    package mutating func add(_ other: ApplicationTallies) {
        for (index, tally) in other.tallies.enumerated() { count(MetricSlot(index: index)) { $0 += tally } }
    }

    package var total: ApplicationTally { tallies.reduce(into: ApplicationTally()) { $0 += $1 } }
}

/// One number for each application on one event loop, for a value that only one service counts.
package struct ApplicationCounts: Hashable, Sendable {
    /// One count for each application, indexed by ``MetricSlot``.
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
