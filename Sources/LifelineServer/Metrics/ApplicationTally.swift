/// What one event loop has counted for one application since the start.
struct ApplicationTally: Hashable, Sendable {
    var connectionsAccepted = 0
    var messagesReceived = 0
    var bytesReceived = 0
    var messagesSent = 0
    var bytesSent = 0
    var slowSubscribersCut = 0
    var deadConnectionsCut = 0
    /// Frames of a chat session that were refused before anybody was asked.
    var framesRefused = 0
    /// PubNub polls that were answered or held, and the messages in their answers.
    var polls = 0
    var messagesPolled = 0

    static func += (left: inout ApplicationTally, right: ApplicationTally) {
        left.connectionsAccepted += right.connectionsAccepted
        left.messagesReceived += right.messagesReceived
        left.bytesReceived += right.bytesReceived
        left.messagesSent += right.messagesSent
        left.bytesSent += right.bytesSent
        left.slowSubscribersCut += right.slowSubscribersCut
        left.deadConnectionsCut += right.deadConnectionsCut
        left.framesRefused += right.framesRefused
        left.polls += right.polls
        left.messagesPolled += right.messagesPolled
    }
}

/// The tallies of all applications on one event loop. No locks: each loop counts for itself.
struct ApplicationTallies: Hashable, Sendable {
    /// By the index of a slot.
    private(set) var tallies: ContiguousArray<ApplicationTally> = []

    @inline(__always)
    mutating func count(_ slot: MetricSlot, _ change: (inout ApplicationTally) -> Void) {
        while tallies.count <= slot.index { tallies.append(ApplicationTally()) }
        change(&tallies[slot.index])
    }

    /// What was counted at a slot; 0 before anything was.
    func value(_ path: KeyPath<ApplicationTally, Int>, at slot: MetricSlot) -> Int {
        tallies.indices.contains(slot.index) ? tallies[slot.index][keyPath: path] : 0
    }

    mutating func add(_ other: ApplicationTallies) {
        for (index, tally) in other.tallies.enumerated() { count(MetricSlot(index: index)) { $0 += tally } }
    }

    var total: ApplicationTally { tallies.reduce(into: ApplicationTally()) { $0 += $1 } }
}

extension ServerStatistics {
    mutating func add(_ tally: ApplicationTally) {
        connectionsAccepted += tally.connectionsAccepted
        messagesReceived += tally.messagesReceived
        bytesReceived += tally.bytesReceived
        messagesSent += tally.messagesSent
        bytesSent += tally.bytesSent
        slowSubscribersCut += tally.slowSubscribersCut
        deadConnectionsCut += tally.deadConnectionsCut
        chatRefusals += tally.framesRefused
        polls += tally.polls
        messagesPolled += tally.messagesPolled
    }
}
