import ServerStorage
import ServerValues

// A node's replica of a keyset keeps the messages of channels and patterns that its polls subscribe to, and requests earlier messages from
// the leader (rules CB-50 to CB-58).
extension PubNubApplication.State {
    /// How long a replica keeps the messages of a channel or pattern after it was last found to have a poll: three minutes, in units of 100
    /// ns. The replica searches for polls once a minute, so messages stay for at least two minutes after the last poll.
    private static var memory: UInt64 { 180 * TimetokenClock.ticksPerSecond }
    /// If messages of more channels and patterns than this are kept, those without a poll are removed at once.
    static var idleLimit: Int { 100_000 }

    /// Keeps the messages of a poll's channels and patterns from now on.
    mutating func cover(_ interest: StreamInterest, at now: UInt64) {
        let count = streams.coveredCount
        streams.cover(interest, at: now)
        makeRoom(for: streams.coveredCount - count, at: now)
    }

    /// Whether the replica has all messages after a cursor. If not, this method adds the missing ranges to a queue, and
    /// ``PubNubApplication/catchUp()`` requests them from the leader.
    mutating func has(after cursor: UInt64, _ interest: StreamInterest, at now: @autoclosure () -> UInt64) -> Bool {
        let count = streams.coveredCount
        let missing = streams.missing(after: cursor, interest, at: now())
        guard !missing.isEmpty else { return true }
        for range in missing { catchUp.add(range) }
        makeRoom(for: streams.coveredCount - count, at: now())
        return false
    }

    /// The messages after a cursor; nil while the replica lacks some of them.
    mutating func read(
        after cursor: UInt64, _ interest: StreamInterest, at now: @autoclosure () -> UInt64
    ) -> StreamPage<PubNubElement>? {
        has(after: cursor, interest, at: now()) ? streams.read(after: cursor, interest) : nil
    }

    /// Whether messages after `cursor` were dropped and can no longer be requested; nil while the replica still has to request messages
    /// from the leader.
    mutating func hasDropped(after cursor: UInt64, _ interest: StreamInterest, at now: @autoclosure () -> UInt64) -> Bool? {
        has(after: cursor, interest, at: now()) ? streams.hasDropped(after: cursor, interest) : nil
    }

    /// Removes the messages of channels and patterns that no poll subscribes to any more. Call it about once a second: each call examines
    /// at least 1/64 of the channels and patterns with kept messages.
    mutating func removeUnread(at now: UInt64) {
        removeUnread(limit: max(1000, streams.coveredCount / 64), age: Self.memory, at: now)
    }

    /// When more than ``idleLimit`` channels and patterns have kept messages, removes those without a poll. Each call examines twice as
    /// many channels and patterns as were added.
    private mutating func makeRoom(for added: Int, at now: UInt64) {
        guard added > 0, streams.coveredCount > Self.idleLimit else { return }
        removeUnread(limit: 2 * added, age: 0, at: now)
    }

    private mutating func removeUnread(limit: Int, age: UInt64, at now: UInt64) {
        let (audience, groupIndex) = (audience, groupIndex)
        streams.removeUnread(limit: limit, age: age, at: now) { !audience.loops(of: $0, groupIndex).isEmpty }
    }
}

extension PubNubApplication {
    /// Requests missing messages from the leader. Does nothing while a request is under way, or if the leader has not announced that it
    /// answers requests for messages.
    func catchUp() {
        guard let relay, let request = withState({ $0.streams.keepsAll ? nil : $0.catchUp.next() }) else { return }
        relay.request(request, of: self)
    }

    /// Requests missing messages from the leader again after a request has failed. Call it about once a second.
    func catchUpAgain() {
        withState { $0.catchUp.resume() }
        catchUp()
    }

    /// Keeps the messages of all channels from now on. This is needed after a change of the leader, because the new leader may be of the
    /// previous version, which does not answer requests for messages (rule CB-58). Polls that lack messages wait.
    func keepAll() {
        withState { $0.streams.keepAll() }
    }

    /// Keeps the messages of all channels from now on, because the leader does not answer requests for messages. Polls that lack messages
    /// get a gap report.
    func stopRequesting() {
        let held = withState { state in
            state.streams.stopRequesting()
            state.catchUp.reset()
            return state.audience.all
        }
        wake(held.sources, on: held.eventLoopIDs)
    }

    /// Keeps only the messages of channels that have polls, because the leader answers requests for all other messages. Also requests the
    /// messages for which polls wait.
    func keepSubscribed() {
        withState { state in
            guard state.streams.keepsAll else { return }
            state.streams.keepOnly(state.audience.names(state.groups), at: storage.tokens.now)
        }
        catchUp()
    }

    /// Adds the messages of the leader's answer to the replica. Then checks the held polls that may have waited for these messages.
    ///
    /// - Parameter answer: the answer to request `number`; nil when the request has failed.
    func take(_ answer: CatchUpAnswer?, to number: UInt64) {
        guard let answer, !answer.parts.isEmpty else { return withState { $0.catchUp.fail(number) } }
        let parts = answer.parts.map { part in (part, part.messages.map { (message: $0, attachment: element(of: $0)) }) }
        let held = withState { state -> (sources: [PollSource], eventLoopIDs: EventLoopSet)? in
            guard state.catchUp.end(number, answered: Set(answer.parts.map(\.range.name))) else { return nil }
            for (part, messages) in parts { state.streams.insert(part.range, dropped: part.dropped, messages) }
            return state.audience.readers(of: answer.parts.map(\.range.name), state.groupIndex)
        }
        if let held { wake(held.sources, on: held.eventLoopIDs) }
        catchUp()
    }
}
