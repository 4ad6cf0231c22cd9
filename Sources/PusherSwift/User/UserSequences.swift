extension PusherUserAccount {
    /// Every event of this name that is sent to the user, or every event without a name. Ends when the client is released, and when
    /// the callbacks are all unbound; signing out does not end it.
    ///
    /// For one consumer; ask again for another.
    ///
    /// - Parameter limit: how many events may wait; of more the oldest are dropped.
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
    /// Every change of the watchlist from now on. Ends when the client is released; signing out does not end it.
    ///
    /// For one consumer; ask again for another.
    ///
    /// - Parameter limit: how many changes may wait; of more the oldest are dropped.
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
