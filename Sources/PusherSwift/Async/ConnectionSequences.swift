import NIOConcurrencyHelpers

extension PusherConnection {
    /// The state now, and every later one. Ends when the connection is released.
    ///
    /// For one consumer; ask again for another. A consumer that falls behind by more than 64 states misses the oldest.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var states: AsyncStream<ConnectionState> {
        .fed(limit: 64) { end in
            state.withLockedValue { $0.stateStreams.add(end, current: $0.delivered) }
        } remove: { [weak self] id in
            self?.state.withLockedValue { $0.stateStreams.remove(id) }
        }
    }

    /// Every later change with everything that is known about it: why, the server's code, when the next attempt comes. Each failed
    /// attempt is one. Ends when the connection is released.
    ///
    /// For one consumer; ask again for another. A consumer that falls behind by more than 64 changes misses the oldest.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public var statuses: AsyncStream<PusherConnectionStatus> {
        .fed(limit: 64) { end in
            state.withLockedValue { $0.statusStreams.add(end) }
        } remove: { [weak self] id in
            self?.state.withLockedValue { $0.statusStreams.remove(id) }
        }
    }
}
