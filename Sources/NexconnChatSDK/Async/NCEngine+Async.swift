import EngineRuntime

// Async functions and sequences. Additions to the vendor's SDK; they do not use the callback queue.

/// The connection's changes of status from now on, as an async sequence for one consumer. No change is ever dropped.
///
/// Ends when the consuming task is cancelled.
public struct NCStatuses: AsyncSequence, Sendable {
    /// A change of status with its cause.
    public typealias Element = NCConnectionDetails
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<NCConnectionDetails>

    /// Continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one change after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<NCConnectionDetails>.Iterator

        /// The next change, or nil at the end.
        public mutating func next() async -> NCConnectionDetails? {
            await base.next()
        }
    }
}

/// Each loss and return of this device's network from now on, as an async sequence for one consumer: whether there is a network.
/// Elements are dropped for a consumer that is 64 elements behind.
///
/// Ends when the consuming task is cancelled.
public struct NCNetworkChanges: AsyncSequence, Sendable {
    /// Whether there is a network now.
    public typealias Element = Bool
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<Bool>

    /// Continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Hands out one change after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<Bool>.Iterator

        /// The next change, or nil at the end.
        public mutating func next() async -> Bool? { await base.next() }
    }
}

extension NCEngine {
    /// Changes of this device's network after ``initialize(_:)``: an element each time it becomes available or unavailable (rule
    /// NC-70).
    public static var networkChanges: NCNetworkChanges { NCNetworkChanges(stream: engine.board.networkUpdates.stream()) }

    /// Every change of status from now on, with its cause, attempts and the pause before the next one.
    ///
    /// ```swift
    /// for await change in NCEngine.statuses where change.status == .tokenIncorrect {
    ///     _ = try await NCEngine.connect(params: ConnectParams(token: await freshToken()))
    /// }
    /// ```
    public static var statuses: NCStatuses { NCStatuses(stream: engine.board.updates.stream()) }

    /// Signs a user in, see ``connect(params:databaseOpenedHandler:completionHandler:)``.
    ///
    /// - Returns: the user's id.
    /// - Throws: the error that the completion handler would get. Cancelling the task ends the connection and throws 33200.
    public static func connect(params: ConnectParams) async throws(NCError) -> String {
        let engine = engine
        let signIn = SignIn(params)
        let waiting = AsyncConnect()
        let result: Result<String, NCError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = ConnectCall(opened: { _, _ in }) { continuation.resume(returning: $0) }
                waiting.begin(call, engine)
                engine.connect(signIn, call: call)
                if Task.isCancelled { waiting.cancel() }
            }
        } onCancel: {
            waiting.cancel()
        }
        return try result.get()
    }
}
