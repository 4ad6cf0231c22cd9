import EngineRuntime

// Async functions and sequences, an addition to the vendor's SDK. They do not use the callback queue.

/// All later changes of the connection's status, as an async sequence for one consumer. No change is ever dropped.
///
/// The sequence ends when the consuming task is cancelled.
public struct NCStatuses: AsyncSequence, Sendable {
    /// A change of status with its cause.
    public typealias Element = NCConnectionDetails
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<NCConnectionDetails>

    /// Returns an iterator, which continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over the changes of status. An iterator is for one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<NCConnectionDetails>.Iterator

        /// Waits for the next change of status; nil when the sequence has ended.
        public mutating func next() async -> NCConnectionDetails? {
            await base.next()
        }
    }
}

/// All later changes of this device's network, as an async sequence for one consumer: true when a network is available, false when it is
/// lost. At most 64 elements wait for a slow consumer; further ones are dropped.
///
/// The sequence ends when the consuming task is cancelled.
public struct NCNetworkChanges: AsyncSequence, Sendable {
    /// Whether a network is available now.
    public typealias Element = Bool
    /// The sequence never throws.
    public typealias Failure = Never

    let stream: EventStream<Bool>

    /// Returns an iterator, which continues where an earlier loop over this sequence ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over the changes of the network. An iterator is for one task.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: EventStream<Bool>.Iterator

        /// Waits for the next change of the network; nil when the sequence has ended.
        public mutating func next() async -> Bool? { await base.next() }
    }
}

extension NCEngine {
    /// The changes of this device's network after ``initialize(_:)``. Each time the network becomes available or unavailable, the sequence
    /// gets one element (rule NC-70).
    public static var networkChanges: NCNetworkChanges { NCNetworkChanges(stream: engine.board.networkUpdates.stream()) }

    /// All later changes of the connection's status, with the cause, the number of failed attempts and the pause before the next attempt.
    ///
    /// ```swift
    /// for await change in NCEngine.statuses where change.status == .tokenIncorrect {
    ///     _ = try await NCEngine.connect(params: ConnectParams(token: await freshToken()))
    /// }
    /// ```
    public static var statuses: NCStatuses { NCStatuses(stream: engine.board.updates.stream()) }

    /// Signs a user in and waits for the connection, like ``connect(params:databaseOpenedHandler:completionHandler:)``.
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
