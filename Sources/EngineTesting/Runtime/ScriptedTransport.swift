import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// A transport without a network: it records the driver's calls, and a test reports the events.
public final class ScriptedTransport<Session: ProtocolSession>: ClientTransport {
    /// A call that the driver made.
    public enum Call: Sendable {
        /// Begins an attempt to connect to an endpoint.
        case open(AttemptID, Session.Endpoint)
        /// Sends a frame.
        case send(AttemptID, Session.Outbound)
        /// Closes an attempt.
        case close(AttemptID, CloseReason)
    }

    private struct State {
        var calls: [Call] = []
        var report: [AttemptID: @Sendable (TransportEvent<Session.Inbound>) -> Void] = [:]
        /// For each attempt number, how many attempts with this number were opened by earlier drivers and not aborted. A new driver numbers
        /// its attempts from 1, and may connect before the driver that it replaces is released.
        var former: [AttemptID: Int] = [:]
        var latest: AttemptID?
        var onSend: (@Sendable (Session.Outbound) -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// Creates a transport that has recorded no calls.
    public init() {}

    /// All calls that the driver made, in order.
    public var calls: [Call] { state.withLockedValue { $0.calls } }

    /// The frames that the driver has sent since it began its latest attempt to connect.
    public var sent: [Session.Outbound] {
        state.withLockedValue { state in
            state.calls.compactMap { call in
                if case .send(let attempt, let outbound) = call, attempt == state.latest { outbound } else { nil }
            }
        }
    }

    /// How many attempts to connect the driver has made.
    public var dials: Int {
        calls.count { call in
            if case .open = call { true } else { false }
        }
    }

    /// The numbers of the open attempts and connections: the driver has opened and not aborted them, and no event has reported their end.
    public var live: [AttemptID] { state.withLockedValue { $0.report.keys.sorted() } }

    /// Sets a closure that is called for every sent frame, so that a test can answer the frame. The closure runs on the thread that sends
    /// the frame, outside of locks.
    public func onSend(_ body: @escaping @Sendable (Session.Outbound) -> Void) {
        state.withLockedValue { $0.onSend = body }
    }

    /// Reports an event of the latest attempt to connect or of its connection. Has no effect when this attempt or connection has ended.
    public func report(_ event: TransportEvent<Session.Inbound>) {
        let report = state.withLockedValue { state -> (@Sendable (TransportEvent<Session.Inbound>) -> Void)? in
            guard let latest = state.latest else { return nil }
            let report = state.report[latest]
            if case .closed = event { state.report[latest] = nil }
            return report
        }
        report?(event)
    }

    public func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID,
        report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        state.withLockedValue { state in
            state.calls.append(.open(attempt, endpoint))
            if state.report[attempt] != nil { state.former[attempt, default: 0] += 1 }
            state.report[attempt] = report
            state.latest = attempt
        }
    }

    public func send(_ outbound: Session.Outbound, attempt: AttemptID) {
        let answer = state.withLockedValue { state in
            state.calls.append(.send(attempt, outbound))
            return state.onSend
        }
        answer?(outbound)
    }

    public func close(_ attempt: AttemptID, reason: CloseReason) {
        state.withLockedValue { state in
            state.calls.append(.close(attempt, reason))
            guard reason == .abort else { return }
            if let former = state.former[attempt], former > 0 {
                state.former[attempt] = former - 1
            } else {
                state.report[attempt] = nil
            }
        }
    }
}

/// A job runner whose jobs a test finishes.
public final class ScriptedJobs<Session: ProtocolSession>: JobRunner {
    /// Receives the result of a job.
    public typealias Completion = @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void

    private struct State {
        var started: [Session.Job] = []
        var waiting: [Int: Completion] = [:]
        var answer: (@Sendable (Session.Job) -> Result<Session.JobResult, ConnectionFailure>?)?
    }

    private let state = NIOLockedValueBox(State())

    /// Creates a job runner.
    ///
    /// - Parameter answer: called on the thread that starts a job; its result finishes the job at once. If the closure or its result is
    ///   nil, the job runs until ``finishNext(_:)`` finishes it.
    public init(answer: (@Sendable (Session.Job) -> Result<Session.JobResult, ConnectionFailure>?)? = nil) {
        state.withLockedValue { $0.answer = answer }
    }

    /// Every job that was started so far.
    public var started: [Session.Job] { state.withLockedValue { $0.started } }

    /// How many jobs are running: neither finished nor cancelled.
    public var waitingCount: Int { state.withLockedValue { $0.waiting.count } }

    /// Finishes the oldest running job with `result`.
    public func finishNext(_ result: Result<Session.JobResult, ConnectionFailure>) {
        let completion = state.withLockedValue { state -> Completion? in
            guard let first = state.waiting.keys.min() else { return nil }
            return state.waiting.removeValue(forKey: first)
        }
        completion?(result)
    }

    public func start(_ job: Session.Job, completion: @escaping Completion) -> JobCancellation {
        let (index, answer) = state.withLockedValue { state in
            state.started.append(job)
            return (state.started.count, state.answer)
        }
        if let result = answer?(job) {
            completion(result)
            return {}
        }
        state.withLockedValue { $0.waiting[index] = completion }
        return { [weak self] in _ = self?.state.withLockedValue { $0.waiting.removeValue(forKey: index) } }
    }
}
