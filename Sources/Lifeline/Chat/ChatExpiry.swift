import ChatProtocol
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Has the session drop messages whose lifetime has ended, also while it waits for its next attempt (session rule NS-14).
final class ChatExpiry: Sendable {
    private let timers: any TimerScheduler
    private let submit: @Sendable () -> Void
    /// The timer that runs; nil before the start, and for good after the stop.
    private let state = NIOLockedValueBox<(isStopped: Bool, cancel: TimerCancellation?)>((false, nil))

    /// How often it asks again: a message's lifetime may have begun slightly after this timer.
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
