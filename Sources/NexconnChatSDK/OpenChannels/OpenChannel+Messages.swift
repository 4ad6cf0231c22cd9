import ChatDatabase
import ChatProtocol

extension BaseChannel {
    /// Lists the messages of an open channel from the service's history, page by page.
    public static func createOpenChannelMessagesQuery(params: OpenChannelMessagesQueryParams) -> MessagesQuery {
        let engine = NCEngine.engine
        guard ChannelIdentifier.isValid(params.channelId) else {
            return PagedQuery(engine, refused: NCError(code: 34210, reason: "The channelId must have 1 to 64 characters."))
        }
        return engine.serverMessages(
            of: ChatChannel(.open, params.channelId), limit: PageSize.clamped(params.pageSize, to: 1...100),
            startTime: params.startTime, isAscending: params.isAscending)
    }
}

extension ChatEngine {
    /// Lists a channel's messages from the server, without storing them in the local database.
    func serverMessages(
        of channel: ChatChannel, limit: Int, startTime: Int64, isAscending: Bool
    ) -> MessagesQuery {
        let first: ChatHistoryRequest.Place =
            if isAscending { .afterTime(max(startTime, 0)) } else if startTime > 0 { .beforeTime(startTime) } else { .latest }
        return PagedQuery(self) { (after: ChatMessageID?, completion) in
            let place = after.map { isAscending ? ChatHistoryRequest.Place.after($0) : .before($0) } ?? first
            let request = ChatHistoryRequest(channel, place: place, limit: limit)
            self.ask(.history(request), completion: completion) { client, answer throws(NCError) in
                guard let page = answer.history else { throw .strangeAnswer }
                let user = client.user ?? ""
                let messages = page.messages.map { Message(LocalMessage($0, seenBy: user), user: user) }
                return (PageData(messages), page.hasMore ? page.messages.last?.id : nil)
            }
        }
    }
}
