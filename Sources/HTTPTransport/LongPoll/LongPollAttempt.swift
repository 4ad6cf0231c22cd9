import ConnectionEngine
import EngineRuntime
import NIOCore

/// One attempt of a long-poll transport: other threads enqueue its requests here, and they are processed on its event loop.
///
/// Requests are processed in the order in which they were enqueued. No closure is called while the lock is held.
final class LongPollAttempt: Sendable {
    private enum Command {
        case send(LongPollOutbound)
        case goodbye
    }

    private let reports: any LongPollReports
    private let eventLoop: any EventLoop
    private let requests: NIOLoopBoundBox<LongPollRequests>
    private let commands: CoalescingWorker<[Command]>

    /// Makes an attempt, which opens a connection when its first request is sent.
    ///
    /// - Parameter whenOver: called after `closed` has been reported.
    init(_ settings: LongPollSettings, reports: any LongPollReports, whenOver: @escaping @Sendable () -> Void) {
        self.reports = reports
        eventLoop = settings.eventLoop
        let requests: NIOLoopBoundBox<LongPollRequests> = .makeBoxSendingValue(
            LongPollRequests(settings, reports: reports, whenOver: whenOver), eventLoop: settings.eventLoop)
        self.requests = requests
        // Commands are processed on the attempt's event loop. The session usually enqueues the next poll on this event loop, too, while the
        // answer to the previous poll is being delivered.
        commands = CoalescingWorker(on: .loop(settings.eventLoop)) { commands in
            for command in commands {
                switch command {
                case .send(let outbound): requests.value.send(outbound)
                case .goodbye: requests.value.sayGoodbye()
                }
            }
        }
    }

    func send(_ outbound: LongPollOutbound) {
        commands.put(.send(outbound))
    }

    func sayGoodbye() {
        commands.put(.goodbye)
    }

    /// Closes all connections at once. Nothing is reported any more.
    func abort() {
        reports.silence()
        commands.end()
        if eventLoop.inEventLoop {
            requests.value.cut()
        } else {
            eventLoop.execute { [requests] in requests.value.cut() }
        }
    }
}
