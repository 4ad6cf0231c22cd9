import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// What one subscribed channel brings, from the service to the consumers.
final class RoomFeed: Sendable {
    private struct State {
        var members = MemberList()
        /// Holds what comes before the first consumer asks, so that nothing is lost between the confirmation and the loop.
        var first: EventStream<RoomItem>?
        var isConfirmed = false
        /// Callers of `subscribe` that wait for the confirmation.
        var waiting = 0
        var isEnded = false
        /// Whether the end was asked for by the user.
        var isTakenBack = false
    }

    let channel: String
    private let clock: FeedClock
    private let items: Broadcaster<RoomItem>
    private let presence: Broadcaster<PresenceItem>
    private let start: Moment
    private let state = NIOLockedValueBox(State())

    init(channel: String, backlog: Int, clock: FeedClock, consumers: (any ConsumerTracker)? = nil) {
        self.channel = channel
        self.clock = clock
        items = RoomItem.broadcaster(backlog: backlog, consumers)
        presence = PresenceItem.broadcaster(backlog: backlog, consumers)
        start = clock.now()
        let first = items.stream()
        state.withLockedValue { $0.first = first }
    }

    deinit { end() }

    /// The user does not want the channel any more.
    func takeBack() {
        state.withLockedValue { $0.isTakenBack = true }
    }

    /// Ends all sequences of the channel.
    func end() {
        state.withLockedValue { state in
            state.isEnded = true
            state.first = nil
        }
        items.finish()
        presence.finish()
    }

    var isConfirmed: Bool { state.withLockedValue { $0.isConfirmed } }

    /// A caller begins to wait for the confirmation.
    func beginWaiting() {
        state.withLockedValue { $0.waiting += 1 }
    }

    /// A caller stops waiting. Whether nobody wants the channel any more: it was never confirmed and nobody else waits.
    ///
    /// - Parameter isConfirmed: whether the caller has what it waited for. The news of it may be on its way still.
    @discardableResult
    func endWaiting(isConfirmed: Bool = false) -> Bool {
        state.withLockedValue { state in
            state.waiting -= 1
            state.isConfirmed = state.isConfirmed || isConfirmed
            return state.waiting <= 0 && !state.isConfirmed
        }
    }

    var waiting: Int { state.withLockedValue { $0.waiting } }
    var isTakenBack: Bool { state.withLockedValue { $0.isTakenBack } }
    var isEnded: Bool { state.withLockedValue { $0.isEnded } }
    var members: [Member] { state.withLockedValue { $0.members.members } }

    /// The first sequence begins with the subscription, each further one with the call.
    func deliveries() -> Deliveries {
        let first = state.withLockedValue { state in
            defer { state.first = nil }
            return state.first
        }
        if let first { return Deliveries(stream: first, channel: channel, start: start, clock: clock) }
        return Deliveries(stream: items.stream(), channel: channel, start: clock.now(), clock: clock)
    }

    func presenceChanges() -> PresenceChanges {
        let stream = presence.stream()
        // Read after the stream was opened: a change in between is in both, and the sequence knows it by then.
        let start = state.withLockedValue { $0.members }
        return PresenceChanges(stream: stream, channel: channel, start: start) { [weak self] in self?.members ?? [] }
    }
}

// The service's side; called in one order.
extension RoomFeed {
    func deliver(_ deliveries: [Delivery]) {
        items.send(deliveries.map(RoomItem.delivery))
    }

    /// The service confirmed the channel. Returns what changed about the members.
    func confirm(members: [Member]?) -> [PresenceChange] {
        publish { state in
            state.isConfirmed = true
            return members.map { state.members.replace(with: $0, in: channel) } ?? []
        }
    }

    /// Rule LL-9: everybody who is there.
    func present(_ members: [Member]) -> [PresenceChange] {
        publish { state in state.members.replace(with: members, in: channel) }
    }

    func joined(_ member: Member) -> [PresenceChange] {
        publish { state in state.members.join(member, in: channel).map { [$0] } ?? [] }
    }

    func left(_ id: String) -> [PresenceChange] {
        publish { state in state.members.leave(id, in: channel).map { [$0] } ?? [] }
    }

    private func publish(_ change: (inout State) -> [PresenceChange]) -> [PresenceChange] {
        let changes = state.withLockedValue { change(&$0) }
        if !changes.isEmpty { presence.send(changes.map(PresenceItem.change)) }
        return changes
    }
}
