import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import WireCoding

/// Turns what an adapter tells into what consumers hear: one sequence of everything, one of statuses, one per channel.
///
/// ``take(_:)`` is called in one order and never concurrently; everything else may be called from any thread.
final class ClientHub: Sendable {
    private struct State {
        var status = ConnectionStatus.idle
        var feeds: [Identifier: RoomFeed] = [:]
        /// Channels that were asked to be unsubscribed, until the service says that they are.
        var leaving: Set<Identifier> = []
        /// Channels that the service is just being told to forget.
        var forgetting: [Identifier: Forgetting] = [:]
        var isEnded = false
    }

    private struct Forgetting {
        /// How many tell it at this moment.
        var count = 0
        /// Who waits until it has been told.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    let clock: FeedClock
    private let backlog: Int
    private let events: Broadcaster<ClientEvent>
    private let statuses: Broadcaster<ConnectionStatus>
    private let state = NIOLockedValueBox(State())
    private let consumers: (any ConsumerTracker)?

    init(backlog: Int, clock: FeedClock, consumers: (any ConsumerTracker)? = nil) {
        self.backlog = backlog
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
        let feeds = state.withLockedValue { state in
            state.isEnded = true
            defer { state.feeds = [:] }
            return state.feeds.values
        }
        for feed in feeds { feed.end() }
        statuses.finish()
        events.finish()
    }
}

// Subscribing and unsubscribing, from any thread.
extension ClientHub {
    /// A caller begins to wait for a channel, whose feed is made when there is none. Waits while the service is being told to forget
    /// the channel, so that this cannot undo what the caller asks for next.
    func join(_ channel: String) async -> RoomFeed {
        while true {
            let feed = state.withLockedValue { state -> RoomFeed? in
                guard state.forgetting[channel] == nil else { return nil }
                let feed =
                    state.feeds[channel] ?? RoomFeed(channel: channel, backlog: backlog, clock: clock, consumers: consumers)
                feed.beginWaiting()
                if state.isEnded { feed.end() } else { state.feeds[channel] = feed }
                return feed
            }
            if let feed { return feed }
            await withCheckedContinuation { continuation in
                let isTold = state.withLockedValue { state in
                    state.forgetting[channel]?.waiting.append(continuation)
                    return state.forgetting[channel] == nil
                }
                if isTold { continuation.resume() }
            }
        }
    }

    /// A caller stops waiting in vain. The channel's feed ends when nobody else wants it.
    ///
    /// - Parameter forget: tells the service, in that case.
    func leave(_ feed: RoomFeed, forget: () -> Void) {
        tell(feed.channel, forget) { state in
            guard feed.endWaiting(), state.feeds[feed.channel] === feed else { return false }
            state.feeds[feed.channel] = nil
            return true
        } ending: {
            feed.end()
        }
    }

    /// Ends a feed at the user's wish, unless it has been replaced by a newer one.
    ///
    /// - Parameter forget: tells the service, in that case.
    func takeBack(_ feed: RoomFeed, forget: () -> Void) {
        tell(feed.channel, forget) { state in
            guard state.feeds[feed.channel] === feed else { return false }
            state.feeds[feed.channel] = nil
            state.leaving.insert(feed.channel)
            return true
        } ending: {
            feed.takeBack()
            feed.end()
        }
    }

    /// Tells the service to forget a channel, unless somebody wants it.
    func forgetUnwanted(_ channel: String, forget: () -> Void) {
        tell(channel, forget) { $0.feeds[channel] == nil }
    }

    /// Whoever subscribes to the channel waits until `forget` is through.
    private func tell(
        _ channel: String, _ forget: () -> Void, if isUnwanted: (inout State) -> Bool, ending: () -> Void = {}
    ) {
        let isMine = state.withLockedValue { state in
            guard isUnwanted(&state) else { return false }
            state.forgetting[channel, default: Forgetting()].count += 1
            return true
        }
        guard isMine else { return }
        ending()
        forget()
        let waiting = state.withLockedValue { state -> [CheckedContinuation<Void, Never>] in
            state.forgetting[channel]?.count -= 1
            guard state.forgetting[channel]?.count == 0 else { return [] }
            return state.forgetting.removeValue(forKey: channel)?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// How many callers wait for a channel.
    func waiting(for channel: String) -> Int { feedIfAny(channel)?.waiting ?? 0 }

    /// The service has refused the channel for good, and forgotten it.
    private func drop(_ channel: String) {
        state.withLockedValue { $0.feeds.removeValue(forKey: channel) }?.end()
    }
}

// The service's side; called in one order.
extension ClientHub {
    /// Hands everything on. Messages of one channel that follow each other travel together.
    func take(_ news: [ServiceEvent]) {
        let now = clock.now()
        var outgoing: [ClientEvent] = []
        outgoing.reserveCapacity(news.count)
        var run: (feed: RoomFeed, deliveries: [Delivery])?
        func flush() {
            if let run { run.feed.deliver(run.deliveries) }
            run = nil
        }
        func deliver(_ delivery: Delivery, to channel: String) -> Bool {
            if run?.feed.channel.isExactly(channel) == true {
                run?.deliveries.append(delivery)
                return true
            }
            flush()
            guard let feed = feedIfAny(channel) else { return false }
            run = (feed, [delivery])
            return true
        }
        for event in news {
            switch event {
            case .message(let message):
                // Rule LL-6: what still arrives for a channel that was unsubscribed is dropped.
                if deliver(.message(message), to: message.pattern ?? message.channel) { outgoing.append(.message(message)) }
            case .gap(let channel, let since, let reason):
                let gap = Gap(channel: channel, since: since, reason: reason, at: now)
                if deliver(.gap(gap), to: channel) { outgoing.append(.gap(gap)) }
            case .subscriptionFailed(let channel, let error, let willRetry):
                if deliver(.failed(error, willRetry: willRetry), to: channel) {
                    outgoing.append(.problem(error, channel: channel, willRetry: willRetry, at: now))
                }
                flush()
                if !willRetry { drop(channel) }
            default:
                flush()
                take(event, now, &outgoing)
            }
        }
        flush()
        events.send(outgoing)
        // Last, so that whoever waits for a status finds everything that came with it.
        let changes = outgoing.compactMap { if case .status(let status) = $0 { status } else { nil } }
        if !changes.isEmpty { statuses.send(changes) }
    }

    /// Tells a problem that is not about what the connection brings. May be called from any thread: its place among the other events may
    /// differ from one sequence to the next.
    func tell(_ problem: LifelineError) {
        events.send([.problem(problem, channel: nil, willRetry: false, at: clock.now())])
    }

    private func take(_ event: ServiceEvent, _ now: Moment, _ outgoing: inout [ClientEvent]) {
        switch event {
        case .change(let change):
            outgoing.append(.status(announce(change)))
        case .subscribed(let channel, let members, let isRenewal):
            guard let feed = feedIfAny(channel) else { return }
            outgoing.append(.subscribed(channel: channel, isRenewal: isRenewal, at: now))
            outgoing.append(contentsOf: feed.confirm(members: members).map { .presence($0, at: now) })
        case .unsubscribed(let channel):
            guard state.withLockedValue({ $0.leaving.remove(channel) }) != nil else { return }
            outgoing.append(.unsubscribed(channel: channel, at: now))
        case .present(let channel, let members):
            guard let feed = feedIfAny(channel) else { return }
            outgoing.append(contentsOf: feed.present(members).map { .presence($0, at: now) })
        case .joined(let channel, let member):
            guard let feed = feedIfAny(channel) else { return }
            outgoing.append(contentsOf: feed.joined(member).map { .presence($0, at: now) })
        case .left(let channel, let id):
            guard let feed = feedIfAny(channel) else { return }
            outgoing.append(contentsOf: feed.left(id).map { .presence($0, at: now) })
        case .problem(let error, let channel, let willRetry):
            if let channel { feedIfAny(channel)?.deliver([.failed(error, willRetry: willRetry)]) }
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

    func feedIfAny(_ channel: String) -> RoomFeed? {
        state.withLockedValue { $0.feeds[channel] }
    }
}
