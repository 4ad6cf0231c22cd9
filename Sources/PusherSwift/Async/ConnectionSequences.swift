import NIOConcurrencyHelpers

extension PusherConnection {
    /// A sequence of the present state and all later states. The sequence ends when the connection is released.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence. At most 64 states wait for a slow consumer; when more
    /// wait, the oldest are dropped.
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

    /// A sequence of all later changes with their details: the cause, the server's code, and the time until the next attempt. Each failed
    /// attempt is one change. The sequence ends when the connection is released.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence. At most 64 changes wait for a slow consumer; when more
    /// wait, the oldest are dropped.
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
