import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// A transport without a network: it records calls, and a test reports the events.
public final class ScriptedTransport<Session: ProtocolSession>: ClientTransport {
    /// A call of the driver.
    public enum Call: Sendable {
        /// Opens an attempt to an endpoint.
        case open(AttemptID, Session.Endpoint)
        /// Sends a frame.
        case send(AttemptID, Session.Outbound)
        /// Closes an attempt.
        case close(AttemptID, CloseReason)
    }

    private struct State {
        var calls: [Call] = []
        var report: [AttemptID: @Sendable (TransportEvent<Session.Inbound>) -> Void] = [:]
        /// For each attempt, how many former drivers have opened one with the same number and have not aborted it: a driver that replaces
        /// another one begins to count anew, and may connect before the former one is released.
        var former: [AttemptID: Int] = [:]
        var latest: AttemptID?
        var onSend: (@Sendable (Session.Outbound) -> Void)?
    }

    private let state = NIOLockedValueBox(State())

    /// A transport without calls.
    public init() {}

    /// All calls of the driver, in order.
    public var calls: [Call] { state.withLockedValue { $0.calls } }

    /// The frames of the latest attempt.
    public var sent: [Session.Outbound] {
        state.withLockedValue { state in
            state.calls.compactMap { call in
                if case .send(let attempt, let outbound) = call, attempt == state.latest { outbound } else { nil }
            }
        }
    }

    /// How many attempts the driver has made.
    public var dials: Int {
        calls.count { call in
            if case .open = call { true } else { false }
        }
    }

    /// The attempts that were opened and neither closed nor reported closed.
    public var live: [AttemptID] { state.withLockedValue { $0.report.keys.sorted() } }

    /// Sets a closure for every sent frame, from which a test can answer. It is called on the thread that sends, outside of locks.
    public func onSend(_ body: @escaping @Sendable (Session.Outbound) -> Void) {
        state.withLockedValue { $0.onSend = body }
    }

    /// Reports an event of the latest attempt. Nothing happens when that attempt is over.
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

/// Jobs that a test finishes.
public final class ScriptedJobs<Session: ProtocolSession>: JobRunner {
    /// Receives the result of a job.
    public typealias Completion = @Sendable (Result<Session.JobResult, ConnectionFailure>) -> Void

    private struct State {
        var started: [Session.Job] = []
        var waiting: [Int: Completion] = [:]
        var answer: (@Sendable (Session.Job) -> Result<Session.JobResult, ConnectionFailure>?)?
    }

    private let state = NIOLockedValueBox(State())

    /// A runner of jobs.
    ///
    /// - Parameter answer: called on the thread that starts a job; its result finishes the job at once. Nil, or a result of nil, leaves
    ///   the job waiting.
    public init(answer: (@Sendable (Session.Job) -> Result<Session.JobResult, ConnectionFailure>?)? = nil) {
        state.withLockedValue { $0.answer = answer }
    }

    /// Every job so far.
    public var started: [Session.Job] { state.withLockedValue { $0.started } }

    /// How many jobs are neither finished nor cancelled.
    public var waitingCount: Int { state.withLockedValue { $0.waiting.count } }

    /// Ends the oldest job that waits.
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
