import NIOConcurrencyHelpers

@testable import EngineRuntime
@testable import Lifeline

extension LifelineClient {
    /// Waits until no thread is at work on what the client has to do, for a minute at most.
    ///
    /// A call that is answered resumes the test in the middle of that work: what the test then reports, or how far it sets the clock,
    /// could come too early, and what it looks at could be about to change.
    func settle() {
        let limit = ContinuousClock.now + .seconds(60)
        while isBusy, ContinuousClock.now < limit {}
    }

    private var isBusy: Bool {
        switch core.adapter {
        case let adapter as PusherAdapter: adapter.driver.isBusy
        case let adapter as PubNubAdapter: adapter.driver.isBusy || adapter.state.withLockedValue(\.items.isAtWork)
        case let adapter as ChatAdapter: adapter.driver.isBusy || adapter.state.withLockedValue(\.steps.isAtWork)
        default: false
        }
    }

    /// Whether a subscription has been asked for and is not answered yet.
    var isAsked: Bool {
        switch core.adapter {
        case let adapter as PusherAdapter: adapter.driver.isAsked
        case let adapter as PubNubAdapter: adapter.driver.isAsked
        case let adapter as ChatAdapter: adapter.state.withLockedValue { !$0.callers.isEmpty }
        default: false
        }
    }
}

extension ConnectionDriver {
    fileprivate var isBusy: Bool { mailbox.withLockedValue(\.queue.isAtWork) }
    fileprivate var isAsked: Bool { running.withLockedValue { !$0.waiting.isEmpty } }
}
