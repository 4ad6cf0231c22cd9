import ChatProtocol
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// A timer that makes the session drop messages whose lifetime has ended, also between two connection attempts (session rule NS-14).
final class ChatExpiry: Sendable {
    private let timers: any TimerScheduler
    private let submit: @Sendable () -> Void
    /// Whether `stop()` was called, and how to cancel the running timer; `cancel` is nil before `start`.
    private let state = NIOLockedValueBox<(isStopped: Bool, cancel: TimerCancellation?)>((false, nil))

    /// The interval between two expiry checks. One check is not enough, because a message's lifetime may begin slightly later than this
    /// timer.
    private static let pause = Duration.milliseconds(200)

    init(driver: ChatAdapter.Driver, timers: any TimerScheduler) {
        self.timers = timers
        submit = { [weak driver] in driver?.submit(.perform(.expire, nil)) }
    }

    func start(after limit: Duration) {
        let cancel = timers.schedule(after: limit) { [weak self] in
            self?.submit()
            self?.start(after: Self.pause)
        }
        let isStopped = state.withLockedValue { state in
            state.cancel = cancel
            return state.isStopped
        }
        if isStopped { cancel() }
    }

    func stop() {
        let cancel = state.withLockedValue { state in
            state.isStopped = true
            return state.cancel
        }
        cancel?()
    }
}
