import ClientRuntime
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// A transport that gets a token before each dial. Getting the token is part of the connection attempt: the attempt's time limit, failure
/// and retry apply to it (rule NP-25).
final class TokenTransport<Session: ProtocolSession>: ClientTransport {
    typealias Report = @Sendable (TransportEvent<Session.Inbound>) -> Void

    private let base: any ClientTransport<Session>
    private let token: @Sendable () async throws(ConnectionFailure) -> String
    private let tasks: TaskStarter
    /// The connection attempt for which a token is being requested, the latest closed attempt, and the function that receives tokens.
    private let state = NIOLockedValueBox(State())

    private struct State {
        var asking: (attempt: AttemptID, task: Task<Void, Never>)?
        /// The latest attempt that was closed. Tokens that arrive for this attempt, or for an earlier one, are not used.
        var abandoned: AttemptID?
        var accept: (@Sendable (String) -> Void)?
    }

    /// Makes a transport that gets tokens.
    ///
    /// - Parameter token: called in a separate task before each dial; the task is cancelled when the attempt has ended.
    init(
        base: any ClientTransport<Session>, tasks: TaskStarter = .plain,
        token: @escaping @Sendable () async throws(ConnectionFailure) -> String
    ) {
        self.base = base
        self.token = token
        self.tasks = tasks
    }

    deinit {
        state.withLockedValue { $0.asking }?.task.cancel()
    }

    /// Sets the receiver of tokens.
    ///
    /// - Parameter accept: called with the token of each dial, before the dial begins.
    func deliverTokens(to accept: @escaping @Sendable (String) -> Void) {
        state.withLockedValue { $0.accept = accept }
    }

    func open(_ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping Report) {
        let task = tasks.start { [weak self, token] in
            let result: Result<String, ConnectionFailure>
            do throws(ConnectionFailure) {
                result = .success(try await token())
            } catch {
                result = .failure(error)
            }
            self?.dial(endpoint, attempt: attempt, report: report, token: result)
        }
        // If the task has ended already, the stored reference to it is unused and harmless.
        state.withLockedValue { $0.asking = (attempt, task) }
    }

    private func dial(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping Report,
        token: Result<String, ConnectionFailure>
    ) {
        if isAbandoned(attempt) { return }
        switch token {
        case .success(let token):
            state.withLockedValue { $0.accept }?(token)
            base.open(endpoint, attempt: attempt, report: report)
            // If the attempt was closed before `open`, the close found no connection, so the new connection is closed here.
            if isAbandoned(attempt) { base.close(attempt, reason: .abort) }
        case .failure(let failure): report(.closed(failure))
        }
    }

    private func isAbandoned(_ attempt: AttemptID) -> Bool {
        state.withLockedValue { $0.abandoned.map { $0 >= attempt } ?? false }
    }

    func send(_ outbound: Session.Outbound, attempt: AttemptID) { base.send(outbound, attempt: attempt) }

    func close(_ attempt: AttemptID, reason: CloseReason) {
        let task = state.withLockedValue { state in
            state.abandoned = max(state.abandoned ?? attempt, attempt)
            defer { if state.asking?.attempt == attempt { state.asking = nil } }
            return state.asking?.attempt == attempt ? state.asking?.task : nil
        }
        task?.cancel()
        base.close(attempt, reason: reason)
    }
}
