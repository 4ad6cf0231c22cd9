import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// The users who are typing in a channel, and the typing state that this client has sent. All rooms of the channel share one value.
final class ChannelTyping: Sendable {
    private struct State {
        var roster = TypingRoster()
        var throttle = TypingThrottle()
        /// Cancels the timer that fires when the first typing user expires; nil without a timer.
        var timer: TimerCancellation?
        /// The number of the latest timer; an earlier timer that still fires is ignored.
        var number: UInt64 = 0
    }

    private let timers: any TimerScheduler
    private let state = NIOLockedValueBox(State())

    init(timers: any TimerScheduler) {
        self.timers = timers
    }

    deinit { state.withLockedValue { $0.timer }?() }

    var users: [String] { state.withLockedValue { $0.roster.users.map(\.text) } }
    var isEmpty: Bool { state.withLockedValue { $0.roster.isEmpty } }

    func withThrottle<Value>(_ body: (inout TypingThrottle, Moment) -> Value) -> Value {
        let now = timers.now
        return state.withLockedValue { body(&$0.throttle, now) }
    }

    /// Changes the typing users, and sets the timer for the first user who expires.
    ///
    /// - Parameters:
    ///   - change: changes the users; returns whether they have changed.
    ///   - onExpiry: called when the timer has removed users. Must not keep this object alive.
    /// - Returns: whether the typing users have changed.
    func take(_ change: (inout TypingRoster, Moment) -> Bool, onExpiry: @escaping @Sendable () -> Void) -> Bool {
        let now = timers.now
        let (hasChanged, deadline, number, former) = state.withLockedValue { state in
            let hasChanged = change(&state.roster, now)
            state.number += 1
            defer { state.timer = nil }
            return (hasChanged, state.roster.nextDeadline, state.number, state.timer)
        }
        former?()
        guard let deadline else { return hasChanged }
        let timer = timers.schedule(after: deadline.duration(since: now)) { [weak self] in
            guard let self, self.state.withLockedValue({ $0.number }) == number else { return }
            if self.take({ $0.expire(at: $1) }, onExpiry: onExpiry) { onExpiry() }
        }
        let isCurrent = state.withLockedValue { state in
            guard state.number == number else { return false }
            state.timer = timer
            return true
        }
        if !isCurrent { timer() }
        return hasChanged
    }
}
