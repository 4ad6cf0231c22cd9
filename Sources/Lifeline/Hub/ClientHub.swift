import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import WireCoding

/// Distributes an adapter's events to the client's sequences: one of all events, one of statuses, and the sequences of each room.
///
/// ``take(_:)`` is called in one order and never concurrently; all other methods may be called from any thread.
final class ClientHub: Sendable {
    struct State {
        var status = ConnectionStatus.idle
        var channels: [Identifier: HeldChannel] = [:]
        /// Channels whose unsubscription was requested and not yet confirmed by the service.
        var leaving: Set<Identifier> = []
        /// Channels for which a request to unsubscribe is being submitted to the adapter.
        var forgetting: [Identifier: Forgetting] = [:]
        var isEnded = false
    }

    struct Forgetting {
        /// How many unsubscriptions of the channel are being submitted.
        var count = 0
        /// Callers that wait with a new subscription until these unsubscriptions are submitted.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let clock: FeedClock
    let backlog: Int
    let timers: any TimerScheduler
    private let events: Broadcaster<ClientEvent>
    private let statuses: Broadcaster<ConnectionStatus>
    let state = NIOLockedValueBox(State())
    let consumers: (any ConsumerTracker)?

    init(backlog: Int, clock: FeedClock, timers: any TimerScheduler, consumers: (any ConsumerTracker)? = nil) {
        self.backlog = backlog
        self.timers = timers
        self.clock = clock
        self.consumers = consumers
        events = ClientEvents.broadcaster(backlog: backlog, consumers)
        statuses = Broadcaster(backlog: backlog, tracker: consumers, isDroppable: { _ in false }, dropped: { _ in .idle })
    }

    var status: ConnectionStatus { state.withLockedValue { $0.status } }

    func statusChanges() -> StatusChanges {
        let stream = statuses.stream()
        return StatusChanges(stream: stream, present: status)
    }

    func clientEvents() -> ClientEvents {
        ClientEvents(stream: events.stream(), start: clock.now(), clock: clock)
    }

    /// Ends all sequences.
    func end() {
        let channels = state.withLockedValue { state in
            state.isEnded = true
            defer { state.channels = [:] }
            return state.channels.values
        }
        for room in channels.lazy.flatMap(\.rooms) { room.end() }
        statuses.finish()
        events.finish()
    }
}

// Receiving the adapter's events, one call at a time and in order.
extension ClientHub {
    /// Delivers events to the consumers. Consecutive messages of one channel are delivered as one batch.
    func take(_ news: [ServiceEvent]) {
        let now = clock.now()
        var outgoing: [ClientEvent] = []
        outgoing.reserveCapacity(news.count)
        var run: (channel: String, held: HeldChannel, deliveries: [Delivery])?
        func flush() {
            if let run {
                for room in run.held.rooms { room.deliver(run.deliveries) }
                if !run.held.typing.isEmpty { stopTyping(run.deliveries.compactMap(\.publisher), in: run.channel) }
            }
            run = nil
        }
        func deliver(_ delivery: Delivery, to channel: String) -> Bool {
            if run?.channel.isExactly(channel) == true {
                run?.deliveries.append(delivery)
                return true
            }
            flush()
            guard let held = held(channel) else { return false }
            run = (channel, held, [delivery])
            return true
        }
        for event in news {
            switch event {
            case .message(let message):
                // Messages that arrive after their channel was unsubscribed are dropped (rule LL-6).
                if deliver(.message(message), to: message.pattern ?? message.channel) { outgoing.append(.message(message)) }
            case .gap(let channel, let since, let reason):
                let gap = Gap(channel: channel, since: since, reason: reason, at: now)
                if deliver(.gap(gap), to: channel) { outgoing.append(.gap(gap)) }
                for room in rooms(of: channel) { room.tell(.missed(gap)) }
            case .subscriptionFailed(let channel, let error, let willRetry):
                if deliver(.failed(error, willRetry: willRetry), to: channel) {
                    outgoing.append(.problem(error, channel: channel, willRetry: willRetry, at: now))
                }
                flush()
                if !willRetry { drop(channel) }
            default:
                flush()
                take(event, at: now, into: &outgoing)
            }
        }
        flush()
        events.send(outgoing)
        // Statuses are delivered last, so that a task that waits for a status finds every event that arrived with the status.
        let changes = outgoing.compactMap { if case .status(let status) = $0 { status } else { nil } }
        if !changes.isEmpty { statuses.send(changes) }
    }

    /// Delivers a problem that does not concern received events. May be called from any thread, so its position among the other events may
    /// differ between two sequences.
    func tell(_ problem: LifelineError) {
        events.send([.problem(problem, channel: nil, willRetry: false, at: clock.now())])
    }

    private func take(_ event: ServiceEvent, at now: Moment, into outgoing: inout [ClientEvent]) {
        switch event {
        case .change(let change):
            outgoing.append(.status(announce(change)))
        case .subscribed(let channel, let members, let isRenewal):
            guard confirm(channel) else { return }
            outgoing.append(.subscribed(channel: channel, isRenewal: isRenewal, at: now))
            if let members { apply(to: channel, at: now, into: &outgoing) { $0.replace(with: members, in: channel) } }
        case .unsubscribed(let channel):
            guard state.withLockedValue({ $0.leaving.remove(channel) }) != nil else { return }
            outgoing.append(.unsubscribed(channel: channel, at: now))
        case .present(let channel, let members):
            apply(to: channel, at: now, into: &outgoing) { $0.replace(with: members, in: channel) }
        case .joined(let channel, let member):
            apply(to: channel, at: now, into: &outgoing) { list in list.join(member, in: channel).map { [$0] } ?? [] }
        case .left(let channel, let id):
            apply(to: channel, at: now, into: &outgoing) { list in list.leave(id, in: channel).map { [$0] } ?? [] }
            stopTyping([id], in: channel)
        case .reaction(let channel, let change):
            for room in rooms(of: channel) { room.tell(change) }
        case .typing(let channel, let user, let isTyping): typing(user, isTyping, in: channel)
        case .problem(let error, let channel, let willRetry):
            if let channel {
                for room in rooms(of: channel) { room.deliver([.failed(error, willRetry: willRetry)]) }
            }
            outgoing.append(.problem(error, channel: channel, willRetry: willRetry, at: now))
        case .notice(let notice):
            outgoing.append(.notice(notice, at: now))
        case .message, .gap, .subscriptionFailed:
            return
        }
    }

    private func announce(_ change: ConnectionChange) -> ConnectionStatus {
        var status = ConnectionStatus(change)
        state.withLockedValue { state in
            status.number = state.status.number + 1
            state.status = status
        }
        return status
    }

    /// Applies the service's report about a channel's members, and delivers the resulting changes to all rooms of the channel.
    private func apply(
        to channel: String, at now: Moment, into outgoing: inout [ClientEvent], _ change: (inout MemberList) -> [PresenceChange]
    ) {
        guard let members = held(channel)?.members else { return }
        let changes = members.apply(change)
        guard !changes.isEmpty else { return }
        // The rooms are looked up after the change: a room that joins after the look-up reads members that already contain the change.
        for room in rooms(of: channel) { room.tell(changes) }
        outgoing.append(contentsOf: changes.map { .presence($0, at: now) })
    }

    func held(_ channel: String) -> HeldChannel? {
        state.withLockedValue { $0.channels[channel] }
    }
}
