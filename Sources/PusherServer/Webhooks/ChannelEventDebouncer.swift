import DequeModule
import Identifiers
import RealtimeHub

/// Decides which events of an application's channels are sent, and when: a pure value (rules SW-10 to SW-15).
///
/// Delays the report that a channel or a member is gone for a moment. One that comes back in this time is not reported.
struct ChannelEventDebouncer: Sendable {
    /// A channel or member that may come back.
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

    /// All with the same delay, so in the order in which they are due. Some have been called off.
    private var held: Deque<Held> = []
    /// The valid entries of `held`, by their number.
    private var absences: [Absence: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// Cache channels whose cache miss has been sent, with the time until which it is not sent again, also in order of time.
    private var missed: [Identifier: MonotonicInstant] = [:]
    private var misses: Deque<Miss> = []

    /// How long a channel or member may be away without a report.
    static let delay = Duration.seconds(3)
    /// The time within which a cache miss is not sent again.
    static let missInterval = Duration.seconds(1800)
    /// Beyond this number, the oldest held event is sent early, or the oldest cache miss is forgotten.
    static let capacity = 10_000

    /// When a held event is sent; nil when none is held.
    var due: MonotonicInstant? { held.first?.due }

    /// Takes events in the order in which they happened on their channel, and returns those that are due now.
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

    /// A cache channel has got an event: the next miss is reported again.
    mutating func filled(_ channel: String) {
        missed[Identifier(channel)] = nil
    }

    /// Events that have been held back for long enough, or all of them.
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

    /// Whether a held event has not been cancelled.
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
