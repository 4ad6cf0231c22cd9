import ConnectionEngine
import EngineRuntime

// Advancing the clock, and waiting for clients.
extension TestService {
    /// How long, in real time, a test may wait for work of the app before the wait fails.
    static let patience = Duration.seconds(30)
    /// The most timers that one call of ``advance(by:)`` may fire.
    private static let mostTimers = 100_000

    /// The present moment of the manual clock, by which statuses and messages have their times.
    public var now: Moment { core.timers.now }

    /// Advances the clock for all clients. Timers fire one after the other, each at its moment, and the effects of each are delivered
    /// before the next one fires.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when work of the app has not ended for 30 s.
    public func advance(by duration: Duration) async throws(TestServiceError) {
        try await settle()
        let target = core.timers.now + duration
        var fired = 0
        while let wait = core.timers.untilNext, core.timers.now + wait <= target {
            core.timers.advance(by: wait)
            try await settle()
            fired += 1
            guard fired < Self.mostTimers else {
                throw TestServiceError(
                    .stuck, "\(Self.mostTimers) timers have fired in one call of advance(by:). Advance by a shorter time.")
            }
        }
        core.timers.advance(by: target.duration(since: core.timers.now))
        core.change { $0.now = target }
        try await settle()
    }

    /// Waits until clients have processed all events: their engines are idle, their callbacks have run, and loops over their sequences wait
    /// for the next element. Loops of the calling task itself are ignored.
    ///
    /// A loop counts only after it has begun, so a loop in a task that was only just started is not waited for; see ``waitingLoopCount``.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when a callback or a loop has not returned for 30 s.
    public func settle() async throws(TestServiceError) {
        let task = withUnsafeCurrentTask { $0?.hashValue }
        var quiet = 0
        while true {
            let before = core.work.activity
            try await settleOnce(for: task)
            quiet = core.work.activity == before ? quiet + 1 : 0
            // A closure on a callback queue may enqueue another closure, which is not counted as work. With callback queues, three checks
            // in a row must therefore find the clients idle.
            let isQuiet = quiet >= (core.work.queues.isEmpty ? 1 : 3)
            if isQuiet, core.work.forgetDoings(ifNothingSince: before) { return }
        }
    }

    /// The clients' work that no step of the script has waited for, as a sentence with advice; empty when there is none.
    ///
    /// Use it as the comment of an expectation, to show that the expectation was too early:
    /// `#expect(app.prices == [3], "\(service.unfinishedWork)")`. After a call of the app,
    /// such as `pusher.connect()`, its callbacks and loops have run only when ``settle()`` has returned.
    /// Steps of the script, such as ``deliver(_:event:on:from:)``, wait by themselves.
    public var unfinishedWork: String {
        let parts = core.work.unfinished
        if parts.isEmpty { return "" }
        return "Call `try await service.settle()` first. Since the last step, \(parts.joined(separator: "; "))."
    }

    /// The number of loops over sequences of `Lifeline`'s clients that wait for their next element.
    ///
    /// Wait for the number of loops that the app starts in its own tasks; from then on every step of the script waits for them:
    /// `try await service.until { service.waitingLoopCount == 2 }`.
    public var waitingLoopCount: Int { core.work.waitingLoops }

    private func settleOnce(for task: Int?) async throws(TestServiceError) {
        let work = core.work
        try await wait("A callback of the app does not return. Callbacks must not wait for the test.") { [core] in
            core.whenDelivered($0)
        }
        try await wait("The app's code that authorises or supplies a token does not return.") { work.whenTasksWait($0) }
        for (id, hook) in work.hooks {
            try await wait("A client's engine is still processing events and does not become idle.") { body in
                if !hook(body) {
                    work.removeHook(id)
                    body()
                }
            }
        }
        for queue in work.queues {
            try await wait(
                "A callback queue does not run its closures. On Linux the main queue runs only while the main thread runs it: give "
                    + "the client a queue of its own, or call dispatchMain()."
            ) { queue.run($0) }
        }
        try await wait("The body of a loop over a client's sequence does not return. It must not wait for the test.") {
            work.whenConsumersWait(except: task, $0)
        }
    }

    /// Waits for a condition that depends on tasks of the app that the service cannot track.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which the condition runs; the caller's by default.
    ///   - condition: evaluated repeatedly, after other tasks have run.
    /// - Throws: ``TestServiceError/Code/neverHappened`` when the condition is not met within 30 s.
    public func until(
        isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            try await settle()
            if try await condition() { return }
            guard ContinuousClock.now < end else {
                throw TestServiceError(
                    .neverHappened,
                    "The condition of until(_:) is still false after 30 s. Script the event that it needs, or advance the clock.")
            }
            await Task.yield()
        }
    }

    /// Performs one step of a test's script. The step begins after the effects of the previous step, and this method returns after the
    /// step's own effects.
    func act<Value: Sendable>(
        _ body: (inout ServiceState) throws(TestServiceError) -> Value
    ) async throws(TestServiceError) -> Value {
        try await settle()
        let now = core.timers.now
        let result = core.change { state -> Result<Value, TestServiceError> in
            state.now = now
            do throws(TestServiceError) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        try await settle()
        return try result.get()
    }

    private func wait(_ problem: String, _ register: (@escaping @Sendable () -> Void) -> Void) async throws(TestServiceError) {
        let done = Once<Bool>()
        register { done.finish(true) }
        guard await done.value(within: Self.patience) != nil else { throw TestServiceError(.stuck, problem) }
    }
}
