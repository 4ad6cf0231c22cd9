extension PusherUserAccount {
    /// A sequence of all later events that are sent to the user. The sequence ends when the client is released or all callbacks are
    /// removed; signing out does not end it. Each sequence is for one consumer.
    ///
    /// - Parameters:
    ///   - eventName: the name of the events; nil for all events.
    ///   - limit: the most events that wait for a slow consumer; when more wait, the oldest are dropped.
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
    /// A sequence of all later changes of the watchlist. The sequence ends when the client is released; signing out does not end it. Each
    /// sequence is for one consumer.
    ///
    /// - Parameter limit: the most changes that wait for a slow consumer; when more wait, the oldest are dropped.
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
