import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore

/// One attempt of a long-poll session: where any thread meets the event loop.
///
/// What is asked for is done in the order in which it was asked for. Nothing is called while the lock is held.
final class LongPollAttempt<Decoder: LongPollDecoder>: Sendable {
    typealias Report = LongPollGate<Decoder>.Report

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

    private let gate: LongPollGate<Decoder>
    private let eventLoop: any EventLoop
    private let requests: NIOLoopBoundBox<LongPollRequests<Decoder>>
    private let state = NIOLockedValueBox(State())

    /// - Parameter whenOver: called once `closed` has been reported.
    init(
        requests settings: LongPollSettings, decoder: Decoder, report: @escaping Report, whenOver: @escaping @Sendable () -> Void
    ) {
        let gate = LongPollGate<Decoder>(report)
        self.gate = gate
        eventLoop = settings.eventLoop
        requests = .makeBoxSendingValue(
            LongPollRequests(settings, decoder: decoder, gate: gate, whenOver: whenOver), eventLoop: settings.eventLoop)
    }

    func send(_ outbound: LongPollOutbound) {
        submit(.send(outbound))
    }

    func sayGoodbye() {
        submit(.goodbye)
    }

    /// Closes everything at once and reports nothing more.
    func abort() {
        gate.close()
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

/// Where reports leave an attempt, until it is closed.
final class LongPollGate<Decoder: LongPollDecoder>: Sendable {
    typealias Event = TransportEvent<LongPollInbound<Decoder.Answer>>
    typealias Report = @Sendable (Event) -> Void

    /// A bare closure in a generic box is wrapped once more by every access, and calling it gets slower and slower.
    private struct State {
        var report: Report?
    }

    private let state: NIOLockedValueBox<State>

    init(_ report: @escaping Report) {
        state = NIOLockedValueBox(State(report: report))
    }

    func pass(_ event: Event) {
        state.withLockedValue { $0 }.report?(event)
    }

    /// Lets nothing more through.
    func close() {
        state.withLockedValue { $0.report = nil }
    }

    /// Lets the last word through.
    func close(saying failure: ConnectionFailure) {
        let last = state.withLockedValue { state in
            defer { state.report = nil }
            return state
        }
        last.report?(.closed(failure))
    }
}
