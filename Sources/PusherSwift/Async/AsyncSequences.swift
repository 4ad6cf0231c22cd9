import NIOConcurrencyHelpers

// Async sequences, an addition to PusherSwift 10.1.

extension PusherConnection {
    /// The state now, and every later one. Ends when the connection is released.
    ///
    /// For one consumer; ask again for another. A consumer that falls behind by more than 64 states misses the oldest.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var states: AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(64))
        let id = state.withLockedValue { values in
            values.stateStreams.add(StreamEnd(continuation), current: values.delivered)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLockedValue { $0.stateStreams.remove(id) }
        }
        return stream
    }
}

extension PusherChannel {
    /// Every event of this name from now on. Ends when the channel is released, and when its callbacks are all unbound.
    ///
    /// For one consumer; ask again for another.
    ///
    /// - Parameter limit: how many events may wait; of more the oldest are dropped.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func events(named eventName: String, limit: Int = 1024) -> AsyncStream<PusherEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PusherEvent.self, bufferingPolicy: .bufferingNewest(max(limit, 1)))
        let end = StreamEnd(continuation)
        let id = bind(eventName: eventName) { end.continuation.yield($0) }
        continuation.onTermination = { [weak self] _ in self?.unbind(eventName: eventName, callbackId: id) }
        return stream
    }
}

/// Ends a stream once nobody can feed it any more.
final class StreamEnd<Element: Sendable>: Sendable {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit { continuation.finish() }
}

/// The consumers of a connection's states.
struct StateStreams {
    private var ends: [UInt64: StreamEnd<ConnectionState>] = [:]
    private var last: UInt64 = 0

    mutating func add(_ end: StreamEnd<ConnectionState>, current: ConnectionState) -> UInt64 {
        last += 1
        ends[last] = end
        end.continuation.yield(current)
        return last
    }

    mutating func remove(_ id: UInt64) -> StreamEnd<ConnectionState>? {
        ends.removeValue(forKey: id)
    }

    func yield(_ state: ConnectionState) {
        for end in ends.values { end.continuation.yield(state) }
    }

    var count: Int { ends.count }
}
