import ConnectionEngine
import EngineRuntime

// Time, and waiting for effects.
extension TestService {
    /// How long anything may take in real time before the test fails because it hangs.
    static let patience = Duration.seconds(30)
    /// How many timers may fire in one call of ``advance(by:)``.
    private static let mostTimers = 100_000

    /// The present moment of the manual clock, with which statuses and messages are stamped.
    public var now: Moment { core.timers.now }

    /// Lets time pass for all clients. Timers fire one after the other, each at its moment, and what each of them leads to is delivered
    /// before the next.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when something that the app does has not ended for 30 s.
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
                    .stuck, "\(Self.mostTimers) timers have fired, and there are more. Let less time pass at a time.")
            }
        }
        core.timers.advance(by: target.duration(since: core.timers.now))
        core.change { $0.now = target }
        try await settle()
    }

    /// Waits until everything that clients do because of what has happened is done: their engines rest, their callbacks have run, and
    /// loops over their sequences wait for the next element. A loop of the calling task itself is not waited for.
    ///
    /// A loop in a task that has only just been started is unknown here until it has begun; see ``waitingLoopCount``.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when a callback or a loop has not come back for 30 s.
    public func settle() async throws(TestServiceError) {
        let task = withUnsafeCurrentTask { $0?.hashValue }
        var quiet = 0
        while true {
            let before = core.work.activity
            try await settleOnce(for: task)
            quiet = core.work.activity == before ? quiet + 1 : 0
            // A closure on a queue may enqueue another one, which is not counted.
            let isQuiet = quiet >= (core.work.queues.isEmpty ? 1 : 3)
            if isQuiet, core.work.forgetDoings(ifNothingSince: before) { return }
        }
    }

    /// Work of clients that no step of the script has waited for, as a sentence that says what to do; empty when there is none.
    ///
    /// For the comment of an expectation, where it says that the expectation came too early:
    /// `#expect(app.prices == [3], "\(service.unfinishedWork)")`. After a call of the app, such as `pusher.connect()`, its callbacks and
    /// loops have run only when ``settle()`` has returned. Steps of the script, such as ``deliver(_:event:on:from:)``, wait by themselves.
    public var unfinishedWork: String {
        let parts = core.work.unfinished
        if parts.isEmpty { return "" }
        return "Call `try await service.settle()` first. Since the last step, \(parts.joined(separator: "; "))."
    }

    /// How many loops over sequences of `Lifeline`'s clients wait for their next element.
    ///
    /// Wait for as many as the app starts in tasks of its own, and from then on every step of the script waits for what they do:
    /// `try await service.until { service.waitingLoopCount == 2 }`.
    public var waitingLoopCount: Int { core.work.waitingLoops }

    private func settleOnce(for task: Int?) async throws(TestServiceError) {
        let work = core.work
        try await wait("A callback of the app does not return. Callbacks must not wait for the test.") { [core] in
            core.whenDelivered($0)
        }
        try await wait("Code of the app that authorises, or that supplies a token, does not end.") { work.whenTasksWait($0) }
        for (id, hook) in work.hooks {
            try await wait("A client is at work, and does not come to its end.") { body in
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
        try await wait("A loop over a client's sequence does not ask for its next element. It waits for something in its body.") {
            work.whenConsumersWait(except: task, $0)
        }
    }

    /// Waits until something is so that tasks of the app bring about which the service does not know of.
    ///
    /// - Parameters:
    ///   - isolation: the actor that the condition runs on; the caller's by default.
    ///   - condition: asked again whenever others had their turn.
    /// - Throws: ``TestServiceError/Code/neverHappened`` when it is not so within 30 s.
    public func until(
        isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            try await settle()
            if try await condition() { return }
            guard ContinuousClock.now < end else {
                throw TestServiceError(.neverHappened, "The condition that the test waits for is still false after 30 s.")
            }
            await Task.yield()
        }
    }

    /// One step of a script: begins after the effects of the previous one, and returns after its own.
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
