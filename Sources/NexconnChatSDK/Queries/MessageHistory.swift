import ChatDatabase
import ChatProtocol

/// Loads a channel's messages page by page, from this device and from the server (rules NH-32 to NH-35).
struct MessageHistory: Sendable {
    let channel: ChatChannel
    let first: LocalPlace
    let types: [String]
    let limit: Int
    let asksServer: Bool

    /// The largest number of requests to the server for one page. Each request fetches at least one page of the messages that are missing
    /// on this device.
    private static let rounds = 16

    init(
        _ channel: ChatChannel, startTime: Int64, isAscending: Bool, types: [String] = [], limit: Int, asksServer: Bool
    ) {
        self.channel = channel
        first =
            if isAscending {
                startTime > 0 ? .afterTime(startTime) : .oldest
            } else {
                startTime > 0 ? .beforeTime(startTime) : .latest
            }
        self.types = types
        self.limit = limit
        self.asksServer = asksServer
    }

    typealias Page = (page: PageData<Message>, next: LocalMessage?)

    /// Loads the page after a message. Must be called on the client's queue.
    func load(after last: LocalMessage?, _ client: ChatClient, _ completion: @escaping Completion<Page>) {
        let place = last.map { first.isAscending ? LocalPlace.after($0) : .before($0) } ?? first
        load(from: place, client, round: 0, isFresh: false, completion)
    }

    private func load(
        from place: LocalPlace, _ client: ChatClient, round: Int, isFresh: Bool, _ completion: @escaping Completion<Page>
    ) {
        let local: LocalPage
        do throws(NCError) {
            local = try client.local { _, database throws(ChatDatabaseError) in
                try database.history(
                    channel, from: place, types: types, limit: limit, isLive: client.isInboxLive, isFresh: isFresh)
            }
        } catch {
            return completion(.failure(error))
        }
        guard asksServer, let missing = local.missing, round < Self.rounds else {
            return completion(.success(page(local, mayMiss: asksServer && local.missing != nil, client)))
        }
        client.request(.history(missing)) { result in
            do throws(NCError) {
                let isAtEnd = try merge(result.get(), of: missing, client)
                load(from: place, client, round: round + 1, isFresh: isFresh || isAtEnd, completion)
            } catch {
                // The request to the server failed, so the page has the messages on this device, and its flag `mayMissElements` is set.
                guard !local.messages.isEmpty else { return completion(.failure(error)) }
                completion(.success(page(local, mayMiss: true, client)))
            }
        }
    }

    /// Stores messages that the server has sent.
    ///
    /// - Returns: whether the answer contains the channel's newest message.
    private func merge(
        _ answer: ChatAnswer, of request: ChatHistoryRequest, _ client: ChatClient
    ) throws(NCError) -> Bool {
        guard let (messages, hasMore) = answer.history else { throw .strangeAnswer }
        try client.local { _, database throws(ChatDatabaseError) in
            _ = try database.merge(messages, of: request, hasMore: hasMore)
        }
        return switch request.place {
        case .latest: true
        case .after, .afterTime: !hasMore
        case .before, .beforeTime: false
        }
    }

    private func page(_ local: LocalPage, mayMiss: Bool, _ client: ChatClient) -> Page {
        let user = client.user ?? ""
        return (
            PageData(local.messages.map { Message($0, user: user) }, mayMissElements: mayMiss), local.messages.last
        )
    }
}
