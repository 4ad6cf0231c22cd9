import ClientRuntime
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Stores a value that the app's code provides and that expires: a token, or header fields with a token.
///
/// The app's code is called once for all requests that need the value at the same time, and again before the value expires. It is also
/// called again after the service has refused the value (rules LL-80 to LL-84).
final class TokenSource<Value: Sendable>: Sendable {
    /// The token or the header fields that the app has provided, with their expiry.
    struct Credential: Sendable {
        var value: Value
        /// When the value expires, in seconds since 1970; nil when unknown.
        var expires: Int?
    }

    /// An event that reports a renewed value or a failed renewal.
    enum News: Sendable {
        case renewed(Value, TokenRequest.Reason)
        case failed(LifelineError)
    }

    typealias Answer = Result<Credential, ConnectionFailure>
    private typealias Waiter = CheckedContinuation<Result<(value: Value, number: Int), ConnectionFailure>, Never>

    private struct State {
        var current: (credential: Credential, number: Int)?
        /// How many values the app has provided so far.
        var count = 0
        /// The service's refusal of the present value, which must not be used any more; nil for a usable value.
        var refusal: LifelineError?
        var asking: (id: Int, reason: TokenRequest.Reason, task: Task<Void, Never>?)?
        var asked = 0
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        var timer: TimerCancellation?
        var observe: (@Sendable (News) -> Void)?
    }

    private let margin: Int
    private let timers: any TimerScheduler
    private let unixSeconds: @Sendable () -> Int
    private let tasks: TaskStarter
    private let ask: @Sendable (TokenRequest) async throws(ConnectionFailure) -> Credential
    private let state = NIOLockedValueBox(State())

    /// The pause in seconds before another attempt to renew a value that is still valid.
    private static var pause: Int { 5 }
    /// The longest timer in seconds. Longer times are split, because the time of day may be changed and a machine may sleep.
    private static var longestTimer: Int { 3_600 }

    init(
        margin: Duration, timers: any TimerScheduler, unixSeconds: @escaping @Sendable () -> Int, tasks: TaskStarter = .plain,
        ask: @escaping @Sendable (TokenRequest) async throws(ConnectionFailure) -> Credential
    ) {
        self.margin = max(Int(clamping: margin.components.seconds), 1)
        self.timers = timers
        self.unixSeconds = unixSeconds
        self.tasks = tasks
        self.ask = ask
    }

    deinit {
        let (timer, task) = state.withLockedValue { ($0.timer, $0.asking?.task) }
        timer?()
        task?.cancel()
    }

    /// Sets the observer.
    ///
    /// - Parameter body: gets every event about renewals; called from any thread, and must not block.
    func observe(_ body: @escaping @Sendable (News) -> Void) { state.withLockedValue { $0.observe = body } }

    /// Returns the present value, and its number for ``refuse(_:number:)``. Waits for the app's code when there is no usable value.
    func value() async throws(ConnectionFailure) -> (value: Value, number: Int) {
        let id = state.withLockedValue { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in join(continuation, id) }
        } onCancel: {
            abandon(id)
        }.get()
    }

    /// Records that the service has refused a value, so that the next caller waits for a new one. If the value was renewed in the meantime,
    /// the new value stays usable.
    ///
    /// - Parameter number: the number of the refused value; nil for the present one.
    func refuse(_ error: LifelineError, number: Int? = nil) {
        state.withLockedValue { state in
            guard let current = state.current, number ?? current.number == current.number, state.asking == nil else { return }
            state.refusal = error
        }
    }

    // MARK: Asking

    private enum Step { case use((value: Value, number: Int)), cancelled, ask(id: Int, TokenRequest), wait }

    private func join(_ waiter: Waiter, _ id: Int) {
        let isCancelled = Task.isCancelled
        let now = unixSeconds()
        let step: Step = state.withLockedValue { state in
            let hasExpired = state.current?.credential.expires.map { $0 <= now } ?? false
            if let current = state.current, state.refusal == nil, !hasExpired {
                return .use((current.credential.value, current.number))
            }
            if isCancelled { return .cancelled }
            state.waiters[id] = waiter
            guard state.asking == nil else { return .wait }
            let reason: TokenRequest.Reason = state.current == nil ? .first : state.refusal != nil ? .refused : .expiring
            return .ask(id: Self.begin(reason, &state), TokenRequest(reason, refusal: state.refusal))
        }
        switch step {
        case .use(let value): waiter.resume(returning: .success(value))
        case .cancelled: waiter.resume(returning: .failure(Self.cancelled))
        case .ask(let number, let request): start(number, request)
        case .wait: break
        }
        // If the task was cancelled before the waiter was registered, `onCancel` had no waiter to resume, so the check is repeated here.
        if Task.isCancelled { abandon(id) }
    }

    private static var cancelled: ConnectionFailure {
        ConnectionFailure(.cancelled, "The task was cancelled while waiting for a token.")
    }

    private static func begin(_ reason: TokenRequest.Reason, _ state: inout State) -> Int {
        state.asked += 1
        state.asking = (state.asked, reason, nil)
        return state.asked
    }

    private func start(_ id: Int, _ request: TokenRequest) {
        let task = tasks.start { [weak self, ask] in
            let answer: Answer
            do throws(ConnectionFailure) {
                answer = .success(try await ask(request))
            } catch {
                answer = .failure(error)
            }
            self?.finish(id, reason: request.reason, with: answer)
        }
        state.withLockedValue { state in
            if state.asking?.id == id { state.asking?.task = task }
        }
    }

    /// Removes the waiting caller of a cancelled task. If the caller was the last one, the app's code is cancelled too.
    private func abandon(_ id: Int) {
        let (waiter, task) = state.withLockedValue { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.waiters.removeValue(forKey: id) else { return (nil, nil) }
            guard state.waiters.isEmpty, let asking = state.asking, asking.reason != .expiring else { return (waiter, nil) }
            state.asking = nil
            return (waiter, asking.task)
        }
        task?.cancel()
        waiter?.resume(returning: .failure(Self.cancelled))
    }

    private func finish(_ id: Int, reason: TokenRequest.Reason, with answer: Answer) {
        let now = unixSeconds()
        let (waiters, result, observe, next) = state.withLockedValue {
            state -> ([Waiter], Result<(value: Value, number: Int), ConnectionFailure>, (@Sendable (News) -> Void)?, Int?) in
            guard state.asking?.id == id else { return ([], .failure(Self.cancelled), nil, nil) }
            state.asking = nil
            let waiters = Array(state.waiters.values)
            state.waiters = [:]
            switch answer {
            case .success(let credential):
                state.count += 1
                state.current = (credential, state.count)
                state.refusal = nil
                return (
                    waiters, .success((credential.value, state.count)), state.observe,
                    credential.expires.map { self.pause(until: $0, at: now) }
                )
            case .failure(let failure):
                // After a failed renewal, the present value is used until it expires, and the renewal is tried again.
                let isTriedAgain = reason == .expiring && state.current?.credential.expires.map { now < $0 } ?? false
                return (waiters, .failure(failure), state.observe, isTriedAgain ? Self.pause : nil)
            }
        }
        if let next { schedule(after: next) }
        switch result {
        case .success(let found): if reason != .first { observe?(.renewed(found.value, reason)) }
        case .failure(let failure): observe?(.failed(LifelineError(failure)))
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    // MARK: Time

    /// How many seconds after `now`, the time at which the app provided a value, the value is renewed. `expires` is the value's end.
    private func pause(until expires: Int, at now: Int) -> Int {
        let rest = max(expires.subtractingReportingOverflow(now).partialValue, 0)
        return max(rest - min(margin, rest / 2), 1)
    }

    private func schedule(after seconds: Int) {
        let part = min(seconds, Self.longestTimer)
        let due = unixSeconds().addingReportingOverflow(seconds).partialValue
        let timer = timers.schedule(after: .seconds(part)) { [weak self] in self?.fire(due: due) }
        let former = state.withLockedValue { state in
            defer { state.timer = timer }
            return state.timer
        }
        former?()
    }

    private func fire(due: Int) {
        let rest = due.subtractingReportingOverflow(unixSeconds()).partialValue
        guard rest <= 0 else { return schedule(after: rest) }
        let id = state.withLockedValue { state -> Int? in
            guard state.asking == nil, state.refusal == nil, state.current != nil else { return nil }
            return Self.begin(.expiring, &state)
        }
        if let id { start(id, TokenRequest(.expiring)) }
    }
}

extension TokenProvider {
    /// Calls the app's code for a token, and translates its errors into a `ConnectionFailure`.
    func token(_ request: TokenRequest) async throws(ConnectionFailure) -> AccessToken {
        do {
            return try await provide(request)
        } catch {
            throw Self.failure(of: error)
        }
    }

    /// Translates an error of the app's code for getting a token. The error's text is left out, because it may contain secrets.
    static func failure(of error: any Error) -> ConnectionFailure {
        switch error {
        case let error as LifelineError:
            // A refusal by the application has the category `refused`, which is final.
            let category = error.code == .accessDenied ? .refused : StatusCategory(rawValue: error.code.rawValue)
            return ConnectionFailure(category, error.reason)
        case is CancellationError: return ConnectionFailure(.cancelled, "The app's code for getting a token was cancelled.")
        default:
            return ConnectionFailure(
                .unknown,
                "The app's code for getting a token failed with an error of type \(type(of: error)). Log the error in that code: its "
                    + "text is left out here, because it may contain secrets.")
        }
    }
}
