import ChatDatabase
import ChatProtocol

// Lists that are loaded page by page with ``PagedQuery/loadNextPage(completion:)``. An empty page is the end of a list.
extension BaseChannel {
    /// Lists the user's channels from this device's database, page by page: first the pinned channels, then all others. Within each of
    /// these two parts, channels are sorted by the time of their last operation.
    public static func createChannelsQuery(params: ChannelsQueryParams) -> ChannelsQuery {
        let engine = NCEngine.engine
        let kinds = params.channelTypes.listed
        let limit = PageSize.clamped(params.pageSize, to: 1...50)
        let (time, pinnedFirst) = (params.startTime > 0 ? params.startTime : nil, params.topPriority)
        return PagedQuery(engine) { (place: ChannelPlace?, completion) in
            engine.local(completion) { _, database throws(ChatDatabaseError) in
                let channels = try database.channels(
                    kinds, after: place, before: time, limit: limit, pinnedFirst: pinnedFirst)
                let next = channels.count < limit ? nil : channels.last.map { ChannelPlace(after: $0) }
                return (PageData(channels.map { BaseChannel.make($0, engine) }), next)
            }
        }
    }

    /// Lists a channel's messages page by page, newest first by default. Messages that are not on this device are fetched from the server
    /// and stored.
    ///
    /// Without a connection, pages contain the messages on this device, and ``PageData/mayMissElements`` is true if some may be missing.
    public static func createMessagesQuery(params: MessagesQueryParams) -> MessagesQuery {
        let engine = NCEngine.engine
        guard let channel = params.channelIdentifier.channel else { return .badChannel(engine) }
        let limit = PageSize.clamped(params.pageSize, to: 1...100)
        // Messages of open channels are loaded from the server, because this device does not store them.
        if params.policy == .remote || (channel.conversation == .open && params.policy != .local) {
            return engine.serverMessages(
                of: channel, limit: limit, startTime: params.startTime, isAscending: params.isAscending)
        }
        return engine.messages(
            MessageHistory(
                channel, startTime: params.startTime, isAscending: params.isAscending, limit: limit,
                asksServer: params.policy == .localRemote))
    }

    /// Lists a channel's messages from this device's database, page by page. `params` may limit the list to some types of messages.
    public static func createLocalMessagesByTimeQuery(params: LocalMessagesByTimeQueryParams) -> MessagesQuery {
        let engine = NCEngine.engine
        guard let channel = params.channelIdentifier.channel else { return .badChannel(engine) }
        return engine.messages(
            MessageHistory(
                channel, startTime: params.sentTime, isAscending: params.isAscending, types: params.messageTypes,
                limit: PageSize.clamped(params.pageSize, to: 1...100), asksServer: false))
    }

    /// Searches a channel's messages in this device's database for a keyword. The results are loaded page by page, newest first.
    public static func createSearchMessagesQuery(params: SearchMessagesQueryParams) -> MessagesQuery {
        let engine = NCEngine.engine
        let end = params.startTime > 0 ? params.startTime - 1 : Int64.max
        guard let channel = params.channelIdentifier.channel else { return .badChannel(engine) }
        return engine.search(params.keyword, in: channel, params.messageTypes, time: 0...end, params.pageSize)
    }

    /// Lists the messages of one sender in a channel from this device's database, page by page, newest first.
    public static func createSearchMessagesByUserQuery(params: SearchMessagesByUserQueryParams) -> MessagesQuery {
        let engine = NCEngine.engine
        let first: LocalPlace = params.startTime > 0 ? .beforeTime(params.startTime) : .latest
        guard let channel = params.channelIdentifier.channel else { return .badChannel(engine) }
        let user = params.userId
        return engine.backwards(from: first, params.pageSize) { database, place, limit throws(ChatDatabaseError) in
            try database.messages(of: user, in: channel, before: place, limit: limit)
        }
    }

    /// Lists a channel's messages of a period from this device's database, page by page, newest first: all messages, or those with a
    /// keyword.
    public static func createSearchMessagesByTimeRangeQuery(
        params: SearchMessagesByTimeRangeQueryParams
    ) -> MessagesQuery {
        let engine = NCEngine.engine
        guard let channel = params.channelIdentifier.channel else { return .badChannel(engine) }
        let start = max(params.startTime, 0)
        let end = params.endTime > 0 ? params.endTime : Int64.max
        guard start <= end else {
            return PagedQuery(engine, refused: NCError(.badArgument, reason: "The endTime is before the startTime."))
        }
        if !params.keyword.isEmpty { return engine.search(params.keyword, in: channel, [], time: start...end, params.pageSize) }
        return engine.backwards(from: .latest, params.pageSize) { database, place, limit throws(ChatDatabaseError) in
            try database.messages(in: channel, time: start...end, before: place, limit: limit)
        }
    }

    /// Searches all channels of this device for a keyword. Each result has the number of matching messages.
    public static func searchChannels(
        params: SearchChannelsParams, completion: ((_ results: [SearchChannelResult]?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let (keyword, kinds, types) = (params.keyword, params.channelTypes.listed, params.messageTypes)
        engine.local(engine.answering(completion)) { _, database throws(ChatDatabaseError) in
            try database.searchChannels(keyword, kinds, types: types).map { found in
                SearchChannelResult(channel: BaseChannel.make(found.channel, engine), matchCount: found.count)
            }
        }
    }

    /// Loads a page of the channel's messages, newest first. Messages that are not on this device are fetched from the server and stored.
    ///
    /// - Parameters:
    ///   - message: the page contains messages before this message; nil for the latest messages.
    ///   - limit: how many messages the page has; clamped to 1 … 100.
    /// - Throws: an error of the local database.
    public final func history(before message: Message? = nil, limit: Int = 20) async throws(NCError) -> PageData<Message> {
        let history = MessageHistory(
            channel, startTime: 0, isAscending: false, limit: min(max(limit, 1), 100), asksServer: true)
        let last = message?.local
        let page: MessageHistory.Page = try await awaiting { completion in
            engine.perform(completion) { (client, completion) throws(NCError) in
                history.load(after: last, client, completion)
            }
        }
        return page.page
    }
}

extension PagedQuery {
    static func badChannel(_ engine: ChatEngine) -> PagedQuery {
        PagedQuery(
            engine,
            refused: NCError(
                code: 34210, reason: "The channelId must have 1 to 64 characters, and the channelType must not be community."))
    }
}

extension [ChannelType] {
    /// The conversation kinds that lists of channels contain, which are all except open channels.
    var listed: [ChatConversationKind] { compactMap(\.conversation).filter { $0 != .open } }
}

extension ChatEngine {
    fileprivate func messages(_ history: MessageHistory) -> MessagesQuery {
        PagedQuery(self) { (last: LocalMessage?, completion) in
            self.perform(completion) { (client, completion) throws(NCError) in
                history.load(after: last, client, completion)
            }
        }
    }

    fileprivate func search(
        _ keyword: String, in channel: ChatChannel, _ types: [String], time: ClosedRange<Int64>, _ pageSize: Int32
    ) -> MessagesQuery {
        let limit = PageSize.clamped(pageSize, to: 1...100)
        return PagedQuery(self) { (place: SearchPlace?, completion) in
            self.local(completion) { client, database throws(ChatDatabaseError) in
                let page = try database.search(keyword, in: channel, types: types, time: time, from: place, limit: limit)
                return (PageData(page.messages.map { Message($0, user: client.user ?? "") }), page.next)
            }
        }
    }

    fileprivate func backwards(
        from first: LocalPlace, _ pageSize: Int32,
        _ load: @escaping @Sendable (ChatDatabase, LocalPlace, Int) throws(ChatDatabaseError) -> [LocalMessage]
    ) -> MessagesQuery {
        let limit = PageSize.clamped(pageSize, to: 1...100)
        return PagedQuery(self) { (last: LocalMessage?, completion) in
            self.local(completion) { client, database throws(ChatDatabaseError) in
                let messages = try load(database, last.map { .before($0) } ?? first, limit)
                let page = PageData(messages.map { Message($0, user: client.user ?? "") })
                return (page, messages.count < limit ? nil : messages.last)
            }
        }
    }
}
