import Identifiers
import PusherProtocol

/// The position of a message in its channel, as its id gives it: an increasing number; with Pusher's recovery, a number within an
/// epoch.
struct HistoryPlace: Hashable, Sendable {
    let epoch: Identifier?
    let number: UInt64

    /// Nil for the id of a message of a service without an order.
    init?(_ id: String) {
        if let number = UInt64(id) {
            (epoch, self.number) = (nil, number)
        } else if let position = PusherPosition(id) {
            (epoch, number) = (Identifier(position.epoch), position.number)
        } else {
            return nil
        }
    }

    /// Whether both positions have the same epoch and this one is not after the other one.
    func isUp(to other: HistoryPlace) -> Bool { epoch == other.epoch && number <= other.number }
}

extension Message {
    var place: HistoryPlace? { id.flatMap { HistoryPlace($0) } }
}

extension HistoryStart {
    /// Nil for a text that is not a position.
    var place: HistoryPlace? {
        if case .position(let id) = self { HistoryPlace(id) } else { nil }
    }
}

/// The messages of the history with which a joined sequence begins, oldest first, and whether they are complete.
typealias ChannelPast = (messages: [Message], isWhole: Bool)

extension ServiceAdapter {
    /// The limit of pages of the history that are requested.
    static var mostPages: Int { 20 }

    func check(_ start: HistoryStart, of channel: String) throws(LifelineError) { try check(.history, of: channel) }

    /// Rule LL-89: read from the history, page by page.
    func past(of channel: String, since start: HistoryStart) async throws(LifelineError) -> ChannelPast {
        let isWanted: (Message) -> Bool
        switch start {
        case .last(let count):
            guard count > 0 else { throw LifelineError(.badRequest, "The number of messages must be at least 1.") }
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
                // The history ends here. Unless the start position was found, it is unknown whether the history once reached back to
                // it.
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
