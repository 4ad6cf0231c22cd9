import DequeModule
import Identifiers
import ServerValues

/// Decides which events of an application's channels are sent to webhooks, and when. A pure value (rules SW-10 to SW-15).
///
/// The report that a channel was vacated or a member has left is held for ``delay``. If the channel or member is back by then, nothing is
/// reported.
struct ChannelEventDebouncer: Sendable {
    /// A vacated channel or a member who has left. The report is held, because the channel or the member may come back.
    private enum Absence: Hashable, Sendable {
        case channel(Identifier)
        case member(Identifier, channel: Identifier)
    }

    private struct Held: Sendable {
        var number: UInt64
        var due: MonotonicInstant
        var absence: Absence
        var news: ChannelWebhookEvent
    }

    private struct Miss: Sendable {
        var forgotten: MonotonicInstant
        var channel: Identifier
    }

    /// Held events in the order of their due times; all have the same delay. Cancelled events may still be listed.
    private var held: Deque<Held> = []
    /// The held events that were not cancelled: for each absence, the number of its event.
    private var absences: [Absence: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// Cache channels with a reported cache miss, each with the time from which on another miss is reported.
    private var missed: [Identifier: MonotonicInstant] = [:]
    private var misses: Deque<Miss> = []

    /// How long the report of a vacated channel or a removed member is delayed.
    static let delay = Duration.seconds(3)
    /// The time within which a cache miss is not reported again.
    static let missInterval = Duration.seconds(1800)
    /// The largest number of held events, and of stored cache misses. When it is exceeded, the oldest held event is sent early, or the
    /// oldest miss is removed.
    static let capacity = 10_000

    /// When the next held event is sent; nil when none is held.
    var due: MonotonicInstant? { held.first?.due }

    /// Adds an event and returns the events to send now. Events of a channel must be added in the order in which they happened.
    mutating func take(_ news: ChannelWebhookEvent, at now: MonotonicInstant) -> [ChannelWebhookEvent] {
        let channel = Identifier(news.channel)
        switch news.kind {
        case .clientEvent, .subscriptionCount: return [news]
        case .occupied: return absences.removeValue(forKey: .channel(channel)) == nil ? [news] : []
        case .memberAdded(let user):
            return absences.removeValue(forKey: .member(Identifier(user), channel: channel)) == nil ? [news] : []
        case .vacated: return hold(news, .channel(channel), at: now)
        case .memberRemoved(let user): return hold(news, .member(Identifier(user), channel: channel), at: now)
        case .cacheMiss: return isFirstMiss(channel, at: now) ? [news] : []
        }
    }

    /// Records that a cache channel has a cached event again, so that its next cache miss is reported.
    mutating func filled(_ channel: String) {
        missed[Identifier(channel)] = nil
    }

    /// Returns the held events whose delay has ended, or all of them.
    mutating func release(at now: MonotonicInstant, all: Bool = false) -> [ChannelWebhookEvent] {
        var told: [ChannelWebhookEvent] = []
        while let first = held.first, all || first.due <= now {
            held.removeFirst()
            if settle(first) { told.append(first.news) }
        }
        return told
    }

    private mutating func hold(_ news: ChannelWebhookEvent, _ absence: Absence, at now: MonotonicInstant) -> [ChannelWebhookEvent]
    {
        lastNumber += 1
        absences[absence] = lastNumber
        held.append(Held(number: lastNumber, due: now.advanced(by: Self.delay), absence: absence, news: news))
        guard held.count > Self.capacity else { return [] }
        let first = held.removeFirst()
        return settle(first) ? [first.news] : []
    }

    /// Removes a held event from `absences`. Returns false if the event was cancelled before.
    private mutating func settle(_ item: Held) -> Bool {
        guard absences[item.absence] == item.number else { return false }
        absences[item.absence] = nil
        return true
    }

    private mutating func isFirstMiss(_ channel: Identifier, at now: MonotonicInstant) -> Bool {
        while let first = misses.first, first.forgotten <= now || misses.count >= Self.capacity {
            misses.removeFirst()
            if missed[first.channel] == first.forgotten { missed[first.channel] = nil }
        }
        guard missed[channel] == nil else { return false }
        let forgotten = now.advanced(by: Self.missInterval)
        missed[channel] = forgotten
        misses.append(Miss(forgotten: forgotten, channel: channel))
        return true
    }
}
