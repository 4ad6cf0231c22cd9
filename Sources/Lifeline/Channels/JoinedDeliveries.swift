import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where in a channel's history a sequence begins that goes on with what is live. See ``Room/deliveries(since:)``.
public enum HistoryStart: Hashable, Sendable {
    /// With so many of the last messages, at least 1.
    case last(Int)
    /// Behind the message with this ``Message/id``, such as the last one that the app has kept.
    case position(String)
    /// With the first message that was published at this time, or later.
    case date(Date)
}

/// Messages of the past and of now as one sequence, in order, each once: an async sequence for one consumer. It ends and is bounded as
/// ``Deliveries``. Rule LL-89.
public struct JoinedDeliveries: AsyncSequence, Sendable {
    /// A message, a gap or a failure.
    public typealias Element = Delivery
    /// The sequence never throws.
    public typealias Failure = Never

    /// What of the past no loop has had yet.
    let past: NIOLockedValueBox<[Delivery]>
    /// The id of the newest message of the past; what is not newer has been told, or lies before the start.
    let newest: UInt64?
    let live: Deliveries

    /// Continues where an earlier loop ended.
    public func makeAsyncIterator() -> Iterator {
        Iterator(past: past, newest: newest, live: live.makeAsyncIterator())
    }

    /// Hands out one element after the other. For one task.
    public struct Iterator: AsyncIteratorProtocol {
        let past: NIOLockedValueBox<[Delivery]>
        let newest: UInt64?
        var live: Deliveries.Iterator

        /// The next delivery, or nil at the end.
        public mutating func next() async -> Delivery? {
            if let delivery = past.withLockedValue({ $0.isEmpty ? nil : $0.removeFirst() }) { return delivery }
            while let delivery = await live.next() {
                if case .message(let message) = delivery, let newest, let id = message.number, id <= newest { continue }
                return delivery
            }
            return nil
        }
    }
}

extension Message {
    /// The id as the number that services with a history give; messages of a channel have them in order.
    fileprivate var number: UInt64? { id.flatMap { UInt64($0) } }
}

extension Room {
    /// Messages of the past and of now as one sequence: what the history has from a place on, then what is published, in order and each
    /// once. Where the past cannot be whole, a gap stands in front of it: the service has forgotten the place, or there are more than
    /// 2,000 messages since. Messages that cannot be decrypted are a gap with their number in the past.
    ///
    /// Call it before ``deliveries`` or ``messages`` of the room is read: the live part begins with the subscription then, and otherwise
    /// with this call.
    ///
    /// - Throws: as ``Channel/history(last:)``: Pusher has no history.
    public func deliveries(since start: HistoryStart) async throws(LifelineError) -> JoinedDeliveries {
        try core.adapter.check(.history, of: name)
        // First, so that nothing is lost between the two.
        let live = deliveries
        let (messages, isWhole) = try await past(start)
        let now = core.adapter.clock()
        var past: [Delivery] = []
        if !isWhole { past.append(.gap(Gap(channel: name, since: .zero, reason: .tooMany, at: now))) }
        for var message in messages {
            if let gap = message.precedingGap { past.append(.gap(gap)) }
            message.precedingGap = nil
            past.append(.message(message))
        }
        return JoinedDeliveries(
            past: NIOLockedValueBox(past), newest: messages.last?.number, live: live)
    }

    /// The most pages that are asked for.
    private static var mostPages: Int { 20 }

    private func past(_ start: HistoryStart) async throws(LifelineError) -> (messages: [Message], isWhole: Bool) {
        let isWanted: (Message) -> Bool
        switch start {
        case .last(let count): return (try await channel.recentHistory(last: count).messages, true)
        case .position(let id):
            guard let place = UInt64(id) else { throw .notAnID }
            isWanted = { ($0.number ?? .max) > place }
        case .date(let date): isWanted = { ($0.publishedAt ?? .distantFuture) >= date }
        }
        var pages: [HistoryPage] = []
        var before: String?
        var isComplete = false
        while pages.count < Self.mostPages, !isComplete {
            let page = try await channel.history(before: before)
            pages.append(page)
            let hasReached = page.messages.first.map { !isWanted($0) } ?? false
            guard let older = page.older, older != before else {
                // The history ends here. Whether it once went on to the place is not known, unless the place was found.
                let isPosition = if case .position = start { true } else { false }
                isComplete = hasReached || !isPosition
                break
            }
            isComplete = hasReached
            before = older
        }
        let all = RecentHistory(pages.reversed(), channel: name, at: core.adapter.clock()).messages
        return (all.filter(isWanted), isComplete)
    }
}
