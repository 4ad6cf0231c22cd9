import ChatProtocol
import Identifiers

/// The users who are typing, by channel. Times are nanoseconds of a monotonic clock.
struct TypingTracker: Sendable {
    private struct Entry {
        var status: UserTypingStatus
        var until: UInt64
    }

    /// How many nanoseconds a user counts as typing after a typing notice: six seconds (rule NH-42).
    static let lifetime: UInt64 = 6_000_000_000

    /// The largest number of channels with typing users. Typing notices in further channels are ignored (rule NH-73).
    static let mostChannels = 1_000

    private var channels: [ChatChannel: [Identifier: Entry]] = [:]
    /// Whether a timer that will call ``expire(now:)`` is running.
    private var isTimed = false

    /// Records that a user is typing. Returns the users who are typing in the channel, or nil when too many channels are tracked.
    mutating func note(_ status: UserTypingStatus, in channel: ChatChannel, now: UInt64) -> [UserTypingStatus]? {
        guard channels.count < Self.mostChannels || channels[channel] != nil else { return nil }
        channels[channel, default: [:]][Identifier(status.userId)] = Entry(status: status, until: now &+ Self.lifetime)
        return present(in: channel)
    }

    /// Records that a user has stopped typing, because a message of the user has arrived. Returns the users who are still typing in the
    /// channel, or nil when the user was not typing.
    mutating func stop(_ user: String, in channel: ChatChannel) -> [UserTypingStatus]? {
        guard channels[channel]?.removeValue(forKey: Identifier(user)) != nil else { return nil }
        return present(in: channel)
    }

    /// The time at which a timer has to call ``expire(now:)``; nil when a timer is running already, or when nobody is typing.
    mutating func takeTimer() -> UInt64? {
        guard !isTimed, let next = channels.values.lazy.flatMap({ $0.values }).map(\.until).min() else { return nil }
        isTimed = true
        return next
    }

    /// Removes users whose typing notices have expired. Returns the channels whose typing users have changed.
    mutating func expire(now: UInt64) -> [(channel: ChatChannel, present: [UserTypingStatus])] {
        isTimed = false
        var changed: [(channel: ChatChannel, present: [UserTypingStatus])] = []
        for (channel, entries) in channels {
            let alive = entries.filter { $0.value.until > now }
            guard alive.count < entries.count else { continue }
            channels[channel] = alive
            changed.append((channel, present(in: channel)))
        }
        return changed
    }

    /// The typing users of a channel in the order of their ids, so that equal states give equal lists.
    private mutating func present(in channel: ChatChannel) -> [UserTypingStatus] {
        let present = (channels[channel] ?? [:]).values.map(\.status).sorted { Identifier($0.userId) < Identifier($1.userId) }
        if present.isEmpty { channels[channel] = nil }
        return present
    }
}
