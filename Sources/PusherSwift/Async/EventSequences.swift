import Foundation

extension PusherChannel {
    /// A sequence of all later events with this name. The sequence ends when the channel is unsubscribed or released, or when all callbacks
    /// of the channel are unbound.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence.
    ///
    /// - Parameters:
    ///   - eventName: the event's name.
    ///   - limit: the most events that wait for a slow consumer; when more wait, the oldest are dropped.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func events(named eventName: String, limit: Int = 1024) -> AsyncStream<PusherEvent> {
        .bound(limit: limit) {
            add(EventHandler(id: UUID().uuidString, callback: $0, isSequence: true), for: eventName)
        } unbind: { [weak self] id in
            self?.unbind(eventName: eventName, callbackId: id)
        }
    }
}

extension Pusher {
    /// A sequence of all later events of every channel, including events of the user and of the connection. The sequence ends when the
    /// client is released or ``unbindAll()`` is called.
    ///
    /// The sequence is for one consumer; each call returns an independent sequence.
    ///
    /// - Parameter limit: the most events that wait for a slow consumer; when more wait, the oldest are dropped.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    public func events(limit: Int = 1024) -> AsyncStream<PusherEvent> {
        .bound(limit: limit) {
            bind(eventCallback: $0)
        } unbind: { [weak connection] id in
            connection?.global.unbind(globalCallbackId: id)
        }
    }
}

extension AsyncStream<PusherEvent> {
    /// Makes a stream of the events that a bound callback gets.
    static func bound(
        limit: Int, bind: (@escaping (PusherEvent) -> Void) -> String, unbind: @escaping @Sendable (String) -> Void
    ) -> AsyncStream<PusherEvent> {
        let (stream, continuation) = makeStream(of: PusherEvent.self, bufferingPolicy: .bufferingNewest(Swift.max(limit, 1)))
        let end = StreamEnd(continuation)
        let id = bind { end.continuation.yield($0) }
        continuation.onTermination = { _ in unbind(id) }
        return stream
    }
}
