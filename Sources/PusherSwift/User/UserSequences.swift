extension PusherUserAccount {
    /// The events of this name that are sent to the user, or all events when the name is nil. The sequence ends when the client is
    /// released or all callbacks are removed; signing out does not end it. Each sequence is for one consumer.
    ///
    /// - Parameters:
    ///   - eventName: the event's name; nil for all events.
    ///   - limit: how many events may wait; beyond that the oldest are dropped.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func events(named eventName: String? = nil, limit: Int = 1024) -> AsyncStream<PusherEvent> {
        .bound(limit: limit) { callback in
            eventName.map { bind(eventName: $0, eventCallback: callback) } ?? bind(eventCallback: callback)
        } unbind: { [weak self] id in
            self?.unbind(callbackId: id)
        }
    }
}

extension PusherWatchlist {
    /// The changes of the watchlist from now on. The sequence ends when the client is released; signing out does not end it. Each
    /// sequence is for one consumer.
    ///
    /// - Parameter limit: how many changes may wait; beyond that the oldest are dropped.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func events(limit: Int = 1024) -> AsyncStream<PusherWatchlistEvent> {
        .fed(limit: limit) { end in
            state.withLockedValue { $0.streams.add(end) }
        } remove: { [weak self] id in
            self?.state.withLockedValue { $0.streams.remove(id) }
        }
    }
}
