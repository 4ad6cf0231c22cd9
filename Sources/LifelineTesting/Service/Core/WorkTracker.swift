import EngineRuntime
import NIOConcurrencyHelpers

/// Tracks the unfinished work of a test service's clients: their tasks, engines, callback queues, and loops over sequences.
final class WorkTracker: ConsumerTracker {
    typealias IdleHook = @Sendable (@escaping @Sendable () -> Void) -> Bool

    /// Whether the current task was started by a client of a test service.
    @TaskLocal static var isClientTask = false

    private struct State {
        /// Counts everything that shows activity of the clients: their actions, deliveries to them, and loops that begin or end.
        var activity: UInt64 = 0
        /// Descriptions of the first few actions that clients have taken since ``TestService/settle()`` last returned.
        var doings: [String] = []
        var tasks = 0
        /// How many of the clients' tasks wait for an answer of the service.
        var blocked = 0
        var taskWaiters: [@Sendable () -> Void] = []
        var hooks: [UInt64: IdleHook] = [:]
        var queues: [CallbackQueue] = []
        var lastHook: UInt64 = 0
        /// The `for await` loops that are processing an element, each with a number for its task.
        var busy: [ObjectIdentifier: Int?] = [:]
        /// The `for await` loops that wait for their next element.
        var waiting: Set<ObjectIdentifier> = []
        var consumerWaiters: [(task: Int?, resume: @Sendable () -> Void)] = []

        func isQuiet(except task: Int?) -> Bool {
            busy.values.allSatisfy { $0 == nil || $0 == task }
        }

        /// Removes and returns the waiting callers whose condition is met: no loop is processing an element, except loops of the caller's
        /// own task.
        mutating func takeReadyWaiters() -> [@Sendable () -> Void] {
            let waiting = consumerWaiters
            consumerWaiters = waiting.filter { !isQuiet(except: $0.task) }
            return waiting.filter { isQuiet(except: $0.task) }.map(\.resume)
        }
    }

    private let state = NIOLockedValueBox(State())

    /// Records that the service has made deliveries to clients. A caller that waits until the clients are idle then checks them again.
    func note() { state.withLockedValue { $0.activity += 1 } }

    /// Records an action of a client, with its description. Callers that wait for idleness wait for the end of the action.
    func note(_ doing: @autoclosure () -> String) {
        state.withLockedValue { state in
            state.activity += 1
            guard state.doings.count < Self.mostDoings else { return }
            let doing = doing()
            if !state.doings.contains(doing) { state.doings.append(doing) }
        }
    }

    private static let mostDoings = 5

    /// Removes the recorded actions, because all of them have ended.
    ///
    /// - Parameter activity: the value of ``activity`` when the check began.
    /// - Returns: false when something has happened since the check began; the actions stay recorded then.
    func forgetDoings(ifNothingSince activity: UInt64) -> Bool {
        state.withLockedValue { state in
            guard state.activity == activity else { return false }
            state.doings = []
            return true
        }
    }

    /// Descriptions of unfinished actions that no test has waited for, as parts of a sentence.
    var unfinished: [String] {
        state.withLockedValue { state in
            var parts = state.doings
            if state.tasks > state.blocked { parts.append("code of the app that authorises or supplies a token runs") }
            let loops = state.busy.values.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
            if loops > 0 { parts.append("loops over a client's sequences are at work: \(loops)") }
            return parts
        }
    }

    var activity: UInt64 { state.withLockedValue { $0.activity } }
    /// The number of `for await` loops over clients' sequences that wait for their next element.
    var waitingLoops: Int { state.withLockedValue { $0.waiting.count } }
    var queues: [CallbackQueue] { state.withLockedValue { $0.queues } }
    var hooks: [(id: UInt64, hook: IdleHook)] {
        state.withLockedValue { $0.hooks.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    func add(_ hook: @escaping IdleHook) {
        state.withLockedValue { state in
            state.lastHook += 1
            state.hooks[state.lastHook] = hook
        }
    }

    func removeHook(_ id: UInt64) { state.withLockedValue { _ = $0.hooks.removeValue(forKey: id) } }

    func add(_ queue: CallbackQueue) { state.withLockedValue { $0.queues.append(queue) } }

    // MARK: Tasks

    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        changeTasks { $0.tasks += 1 }
        return Task {
            await Self.$isClientTask.withValue(true) {
                await ClientTask.$beginWaiting.withValue({ [weak self] in self?.block() }) { await work() }
            }
            changeTasks { $0.tasks -= 1 }
        }
    }

    /// Records that the current task waits for an answer of the service.
    ///
    /// - Returns: a closure that ends the wait; nil when the task was not started by a client.
    func block() -> (@Sendable () -> Void)? {
        guard Self.isClientTask else { return nil }
        changeTasks { $0.blocked += 1 }
        return { [weak self] in self?.changeTasks { $0.blocked -= 1 } }
    }

    private func changeTasks(_ change: (inout State) -> Void) {
        let waiters = state.withLockedValue { state -> [@Sendable () -> Void] in
            change(&state)
            state.activity += 1
            guard state.tasks <= state.blocked else { return [] }
            defer { state.taskWaiters = [] }
            return state.taskWaiters
        }
        for waiter in waiters { waiter() }
    }

    func whenTasksWait(_ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLockedValue { state in
            if state.tasks > state.blocked { state.taskWaiters.append(body) }
            return state.tasks <= state.blocked
        }
        if isDone { body() }
    }

    // MARK: Loops

    func waits(_ consumer: ObjectIdentifier, task: Int?) {
        release(consumer) { $0.waiting.insert(consumer) }
    }

    func began(_ consumer: ObjectIdentifier, task: Int?) {
        state.withLockedValue { state in
            state.activity += 1
            state.busy[consumer] = .some(task)
            state.waiting.remove(consumer)
        }
    }

    func ended(_ consumer: ObjectIdentifier) {
        release(consumer) { $0.waiting.remove(consumer) }
    }

    private func release(_ consumer: ObjectIdentifier, _ change: (inout State) -> Void) {
        let waiters = state.withLockedValue { state -> [@Sendable () -> Void] in
            change(&state)
            guard state.busy.removeValue(forKey: consumer) != nil else { return [] }
            state.activity += 1
            return state.takeReadyWaiters()
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` once no loop is processing an element. Loops of `task`, the caller's own task, are ignored.
    func whenConsumersWait(except task: Int?, _ body: @escaping @Sendable () -> Void) {
        let isDone = state.withLockedValue { state in
            let isDone = state.isQuiet(except: task)
            if !isDone { state.consumerWaiters.append((task, body)) }
            return isDone
        }
        if isDone { body() }
    }
}
