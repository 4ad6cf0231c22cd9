import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The position in a channel's history at which a sequence begins before it continues with live messages. See ``Room/deliveries(since:)``.
public enum HistoryStart: Hashable, Sendable {
    /// Begins with the latest messages, in this number; at least 1.
    case last(Int)
    /// Begins after the message with this ``Message/id``, such as the last one that the app has stored.
    case position(String)
    /// Begins with the first message that was published at this time or later.
    case date(Date)
}

/// Past and live messages of a channel as one async sequence for one consumer, in order and each message once. The sequence ends, and drops
/// messages for a slow consumer, as ``Deliveries`` does. Rule LL-89.
public struct JoinedDeliveries: AsyncSequence, Sendable {
    /// A message, a gap or a failure.
    public typealias Element = Delivery
    /// Iteration cannot throw; failures are elements.
    public typealias Failure = Never

    /// The history messages that no loop has delivered yet, with the gap before them, if any.
    let past: NIOLockedValueBox<[Delivery]>
    /// The position of the newest history message, or the start position. Live messages up to this position are skipped, because they were
    /// delivered already or lie before the start.
    let newest: HistoryPlace?
    let live: Deliveries

    /// Makes the iterator of a `for await` loop. It continues after the last element that an earlier loop has read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(past: past, newest: newest, live: live.makeAsyncIterator())
    }

    /// Iterates over the deliveries. Only one task may use an iterator.
    public struct Iterator: AsyncIteratorProtocol {
        let past: NIOLockedValueBox<[Delivery]>
        let newest: HistoryPlace?
        var live: Deliveries.Iterator

        /// Waits for the next delivery. Returns nil at the end of the sequence.
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
    /// Past and live messages as one sequence: the history from `start` on, then messages as they are published, in order and each once.
    /// The sequence begins with a gap when the history is incomplete, because the service no longer has the start position or because more
    /// than 2,000 messages followed it. Past messages that cannot be decrypted are replaced by a gap with their number.
    ///
    /// Pusher has no history. Servers that replay missed events, such as the one of this package, can resume after a position: the client
    /// requests the replay on a second, short-lived connection. With other servers the sequence begins with a gap.
    ///
    /// Call this method before you read ``deliveries`` or ``messages`` of the room: the live messages then begin with the room's
    /// subscription. If you have read one of the two properties before, the live messages begin with this call.
    ///
    /// - Throws: as ``Channel/history(last:)``. With Pusher ``LifelineError/Code/unsupported`` for a number of messages, for a date, and
    ///   for a client that is configured not to recover; the connection's failure when the second connection could not be made.
    public func deliveries(since start: HistoryStart) async throws(LifelineError) -> JoinedDeliveries {
        try core.adapter.check(start, of: name)
        // The live sequence is opened before the history request, so that no message between the two is lost.
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
