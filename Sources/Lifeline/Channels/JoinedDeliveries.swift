import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a sequence begins in a channel's history before it continues with live messages. See ``Room/deliveries(since:)``.
public enum HistoryStart: Hashable, Sendable {
    /// With this number of the latest messages; at least 1.
    case last(Int)
    /// After the message with this ``Message/id``, such as the last one that the app has stored.
    case position(String)
    /// With the first message that was published at this time, or later.
    case date(Date)
}

/// Past and live messages as one sequence, in order, each message once: an async sequence for one consumer. It ends and is bounded as
/// ``Deliveries``. Rule LL-89.
public struct JoinedDeliveries: AsyncSequence, Sendable {
    /// A message, a gap or a failure.
    public typealias Element = Delivery
    /// The sequence never throws.
    public typealias Failure = Never

    /// The part of the history that no loop has delivered yet.
    let past: NIOLockedValueBox<[Delivery]>
    /// The position of the newest message of the history; messages that are not newer were delivered already, or lie before the start.
    let newest: HistoryPlace?
    let live: Deliveries

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(past: past, newest: newest, live: live.makeAsyncIterator())
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        let past: NIOLockedValueBox<[Delivery]>
        let newest: HistoryPlace?
        var live: Deliveries.Iterator

        /// The next delivery, or nil at the end.
        public mutating func next() async -> Delivery? {
            if let delivery = past.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) { return delivery }
            while let delivery = await live.next() {
                if case .message(let message) = delivery, let newest, message.place?.isUp(to: newest) == true { continue }
                return delivery
            }
            return nil
        }
    }
}

extension Room {
    /// Past and live messages as one sequence: the history from `start` on, then messages as they are published, in order and each
    /// once. The sequence begins with a gap when the history is incomplete, because the service no longer has the start position or
    /// because more than 2,000 messages followed it. Past messages that cannot be decrypted are replaced by a gap with their number.
    ///
    /// Pusher has no history. Servers that replay missed events, such as the one of this package, can resume after a position: the
    /// client requests the replay on a second, short-lived connection. With other servers a gap stands for the past.
    ///
    /// Call it before ``deliveries`` or ``messages`` of the room is read: the live part begins with the subscription then, and otherwise
    /// with this call.
    ///
    /// - Throws: as ``Channel/history(last:)``. With Pusher ``LifelineError/Code/unsupported`` for a number of messages and for a date,
    ///   and for a client that is configured not to recover; the connection's failure when the second connection could not be made.
    public func deliveries(since start: HistoryStart) async throws(LifelineError) -> JoinedDeliveries {
        try core.adapter.check(start, of: name)
        // Opened first, so that no message is lost between the history and the live messages.
        let live = deliveries
        let (messages, isWhole) = try await core.adapter.past(of: name, since: start)
        let now = core.adapter.clock()
        var past: [Delivery] = []
        if !isWhole { past.append(.gap(Gap(channel: name, since: .zero, reason: .tooMany, at: now))) }
        let newest = messages.last?.place ?? start.place
        for var message in messages {
            if let gap = message.precedingGap { past.append(.gap(gap)) }
            message.precedingGap = nil
            past.append(.message(message))
        }
        return JoinedDeliveries(past: NIOLockedValueBox(past), newest: newest, live: live)
    }
}
