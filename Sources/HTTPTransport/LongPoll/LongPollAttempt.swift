import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore

/// One attempt of a long-poll session: where any thread meets the event loop.
///
/// What is asked for is done in the order in which it was asked for. Nothing is called while the lock is held.
final class LongPollAttempt: Sendable {
    private enum Command {
        case send(LongPollOutbound)
        case goodbye
    }

    private struct State {
        var commands: [Command] = []
        /// Somebody is at it, or will be: then commands only have to be appended.
        var isDrainScheduled = false
        var isOver = false
    }

    private let reports: any LongPollReports
    private let eventLoop: any EventLoop
    private let requests: NIOLoopBoundBox<LongPollRequests>
    private let state = NIOLockedValueBox(State())

    /// - Parameter whenOver: called once `closed` has been reported.
    init(_ settings: LongPollSettings, reports: any LongPollReports, whenOver: @escaping @Sendable () -> Void) {
        self.reports = reports
        eventLoop = settings.eventLoop
        requests = .makeBoxSendingValue(
            LongPollRequests(settings, reports: reports, whenOver: whenOver), eventLoop: settings.eventLoop)
    }

    func send(_ outbound: LongPollOutbound) {
        submit(.send(outbound))
    }

    func sayGoodbye() {
        submit(.goodbye)
    }

    /// Closes everything at once and reports nothing more.
    func abort() {
        reports.silence()
        state.withLockedValue { $0 = State(isDrainScheduled: $0.isDrainScheduled, isOver: true) }
        if eventLoop.inEventLoop {
            requests.value.cut()
        } else {
            eventLoop.execute { [requests] in requests.value.cut() }
        }
    }

    private func submit(_ command: Command) {
        let isMine = state.withLockedValue { state in
            if state.isOver { return false }
            state.commands.append(command)
            if state.isDrainScheduled { return false }
            state.isDrainScheduled = true
            return true
        }
        guard isMine else { return }
        // The next poll is asked for while the last answer is being handed over: then this is the loop already.
        if eventLoop.inEventLoop { drain() } else { eventLoop.execute { self.drain() } }
    }

    private func drain() {
        while true {
            let commands = state.withLockedValue { state in
                defer { state.commands = [] }
                if state.commands.isEmpty { state.isDrainScheduled = false }
                return state.commands
            }
            if commands.isEmpty { return }
            for command in commands {
                switch command {
                case .send(let outbound): requests.value.send(outbound)
                case .goodbye: requests.value.sayGoodbye()
                }
            }
        }
    }
}
