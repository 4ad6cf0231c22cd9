import Identifiers
import PusherProtocol

/// The position of a message in its channel, read from the message's id: a number that increases with each message. With Pusher, a position
/// in a replay of missed events also has an epoch; numbers can be compared only within the same epoch.
struct HistoryPlace: Hashable, Sendable {
    let epoch: Identifier?
    let number: UInt64

    /// Reads the position from a message id; nil when the id is neither a number nor a Pusher position.
    init?(_ id: String) {
        if let number = UInt64(id) {
            (epoch, self.number) = (nil, number)
        } else if let position = PusherPosition(id) {
            (epoch, number) = (Identifier(position.epoch), position.number)
        } else {
            return nil
        }
    }

    /// Whether both positions have the same epoch and this position is not after `other`.
    func isUp(to other: HistoryPlace) -> Bool { epoch == other.epoch && number <= other.number }
}

extension Message {
    var place: HistoryPlace? { id.flatMap { HistoryPlace($0) } }
}

extension HistoryStart {
    /// The start position; nil when the start is a date or a number of messages, or when its text is not a position.
    var place: HistoryPlace? {
        if case .position(let id) = self { HistoryPlace(id) } else { nil }
    }
}

/// The history messages with which a ``JoinedDeliveries`` sequence begins, oldest first. `isWhole` is true when no message is missing
/// between the start position and the first live message.
typealias ChannelPast = (messages: [Message], isWhole: Bool)

extension ServiceAdapter {
    /// How many history pages are requested at most for one ``JoinedDeliveries`` sequence.
    static var mostPages: Int { 20 }

    func check(_ start: HistoryStart, of channel: String) throws(LifelineError) { try check(.history, of: channel) }

    /// Reads the channel's history from `start` on, page by page (rule LL-89).
    func past(of channel: String, since start: HistoryStart) async throws(LifelineError) -> ChannelPast {
        let isWanted: (Message) -> Bool
        switch start {
        case .last(let count):
            guard count > 0 else { throw LifelineError(.badRequest, "The message count is \(count); it must be at least 1.") }
            return (try await history(of: channel, last: count).messages, true)
        case .position(let id):
            guard let place = UInt64(id) else { throw .notAnID }
            isWanted = { ($0.place?.number ?? .max) > place }
        case .date(let date): isWanted = { ($0.publishedAt ?? .distantFuture) >= date }
        }
        var pages: [HistoryPage] = []
        var before: String?
        var isComplete = false
        while pages.count < Self.mostPages, !isComplete {
            let page = try await history(of: channel, HistoryRequest(before: before, limit: HistoryRequest.mostMessages))
            pages.append(page)
            let hasReached = page.messages.first.map { !isWanted($0) } ?? false
            guard let older = page.older, older != before else {
                // This is the oldest page. If it does not contain the start position, the result may be incomplete, because the service
                // may have deleted messages after that position.
                let isPosition = if case .position = start { true } else { false }
                isComplete = hasReached || !isPosition
                break
            }
            isComplete = hasReached
            before = older
        }
        let all = RecentHistory(pages.reversed(), channel: channel, at: clock()).messages
        return (all.filter(isWanted), isComplete)
    }
}
