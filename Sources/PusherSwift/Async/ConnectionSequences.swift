import NIOConcurrencyHelpers

extension PusherConnection {
    /// The present state, and every later one. Ends when the connection is released.
    ///
    /// For one consumer; each call returns an independent sequence. For a consumer that falls behind by more than 64 states, the oldest
    /// are dropped.
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

    /// Every later change with its details: the cause, the server's code, and the time until the next attempt. Each failed attempt is
    /// one change. Ends when the connection is released.
    ///
    /// For one consumer; each call returns an independent sequence. For a consumer that falls behind by more than 64 changes, the
    /// oldest are dropped.
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
