import ChatDatabase
import ChatProtocol
import Testing

@testable import NexconnChatSDK

/// Pages of a channel's messages (rules NH-30 to NH-35).
@Suite(.timeLimit(.minutes(2))) struct HistoryTests {
    private func query(
        _ user: ChatTestUser, _ peer: String, size: Int32 = 20, _ change: (MessagesQueryParams) -> Void = { _ in }
    ) -> MessagesQuery {
        let params = MessagesQueryParams(channelIdentifier: ChannelIdentifier(channelType: .direct, channelId: peer))
        params.pageSize = size
        change(params)
        return user.run { BaseChannel.createMessagesQuery(params: params) }
    }

    private func all(_ query: MessagesQuery) async throws -> [String] {
        var texts: [String] = []
        while true {
            let page = try await query.nextPage()
            if page.data.isEmpty { return texts }
            #expect(!page.mayMissElements)
            texts += page.data.compactMap { ($0.content as? TextMessage)?.text }
        }
    }

    @Test func `a device that knows nothing gets all of the history, newest first`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            for number in 1...105 { try await ann.direct("bob").send(TextMessage(text: "\(number)")) }
            // Another device of hers, which nothing was sent to.
            let desk = try await world.user("ann", device: .desktop)
            #expect(desk.texts.isEmpty)
            #expect(try await all(query(desk, "bob")) == (1...105).reversed().map(String.init))
            #expect(try await all(query(desk, "bob", size: 50) { $0.policy = .local }) == (1...105).reversed().map(String.init))
            #expect(try await all(query(desk, "bob", size: 7) { $0.isAscending = true }) == (1...105).map(String.init))
            #expect(try await all(query(desk, "bob", size: 100) { $0.policy = .remote }) == (1...105).reversed().map(String.init))
        }
    }

    @Test func `a gap of more than one page is filled from the server`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            let desk = try await world.user("ann", device: .desktop)
            for number in 1...10 { try await ann.direct("bob").send(TextMessage(text: "\(number)")) }
            #expect(try await query(desk, "bob").nextPage().data.count == 10)
            // What is sent now reaches bob, and not her other device.
            for number in 11...75 { try await ann.direct("bob").send(TextMessage(text: "\(number)")) }
            try await desk.direct("bob").send(TextMessage(text: "76"))
            #expect(try await all(query(desk, "bob", size: 10)) == (1...76).reversed().map(String.init))
        }
    }

    @Test func `without a connection pages hold what is here, and say so`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            for number in 1...5 { try await ann.direct("bob").send(TextMessage(text: "\(number)")) }
            try await world.server.stop()
            let page = try await query(ann, "bob").nextPage()
            #expect(page.data.count == 5)
            #expect(page.mayMissElements)
            #expect(try await query(ann, "bob") { $0.policy = .local }.nextPage().mayMissElements == false)
            await #expect(throws: NCError.self) { try await query(ann, "eve").nextPage() }
        }
    }

    @Test func `a page asks the server only for what the inbox has not brought`() async throws {
        try await ChatWorld.run {
            $0.syncsDevices = true
        } _: { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let database = try #require(ann.engine.client?.database)
            let channel = ChatChannel(.direct, "bob")
            #expect(ann.engine.client?.isInboxLive == true)
            #expect(try database.history(channel).missing != nil)
            #expect(try await query(ann, "bob").nextPage().data.isEmpty)
            #expect(try database.history(channel).missing == nil)
            try await ann.direct("bob").send(TextMessage(text: "sent"))
            try await bob.direct("ann").send(TextMessage(text: "received"))
            try await ann.expect("received")
            #expect(try database.history(channel).missing == nil)
            #expect(try await all(query(ann, "bob")) == ["received", "sent"])
            // Without a connection something may come that is not here.
            try await world.server.stop()
            await ann.waitUntilLost()
            let page = try await query(ann, "bob").nextPage()
            #expect(page.data.count == 2 && page.mayMissElements)
        }
    }

    @Test func `what is searched is found`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let channel = try ann.direct("bob")
            for text in ["red apple", "green apple", "yellow banana"] { try await channel.send(TextMessage(text: text)) }
            try await bob.direct("ann").send(TextMessage(text: "an apple a day"))
            try await ann.expect("an apple a day")
            let identifier = channel.identifier
            let search = SearchMessagesQueryParams(channelIdentifier: identifier, keyword: "app")
            search.pageSize = 2
            let found = ann.run { BaseChannel.createSearchMessagesQuery(params: search) }
            #expect(try await all(found) == ["an apple a day", "green apple", "red apple"])
            let byUser = ann.run {
                BaseChannel.createSearchMessagesByUserQuery(
                    params: SearchMessagesByUserQueryParams(channelIdentifier: identifier, userId: "bob"))
            }
            #expect(try await all(byUser) == ["an apple a day"])
            let first = try #require(try await query(ann, "bob") { $0.isAscending = true }.nextPage().data.first)
            let byTime = ann.run {
                BaseChannel.createSearchMessagesByTimeRangeQuery(
                    params: SearchMessagesByTimeRangeQueryParams(
                        channelIdentifier: identifier, keyword: "", startTime: first.sentTime, endTime: 0))
            }
            #expect(try await all(byTime).count == 4)
            let channels: ([SearchChannelResult]?, NCError?) = await completion { end in
                ann.run { BaseChannel.searchChannels(params: SearchChannelsParams(keyword: "apple"), completion: end) }
            }
            #expect(channels.0?.map(\.matchCount) == [3] && channels.0?.first?.channel.channelId == "bob")
        }
    }

    @Test func `a message is found by its ids`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            let sent = try await ann.direct("bob").send(TextMessage(text: "x"))
            for params in [GetMessageByIdParams(messageId: sent.messageId), GetMessageByIdParams(messageClientId: sent.clientId)]
            {
                let found: (Message?, NCError?) = await completion { end in
                    ann.run { BaseChannel.getMessageById(params: params, completion: end) }
                }
                #expect(found.0?.messageId == sent.messageId && found.1 == nil)
            }
            let missing: (Message?, NCError?) = await completion { end in
                ann.run { BaseChannel.getMessageById(params: GetMessageByIdParams(messageId: "7"), completion: end) }
            }
            #expect(missing.0 == nil && missing.1?.code == 34203)
        }
    }

    @Test func `messages around a time, and messages of this device only`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            let channel = try ann.direct("bob")
            var times: [Int64] = []
            for number in 1...9 { times.append(try await channel.send(TextMessage(text: "\(number)")).sentTime) }
            let around: ([Message]?, NCError?) = await completion { end in
                channel.getMessagesAroundTime(
                    params: GetMessagesAroundTimeParams(sentTime: times[4], beforeCount: 2, afterCount: 2), completion: end)
            }
            let texts = around.0?.compactMap { ($0.content as? TextMessage)?.text } ?? []
            #expect(texts.contains("5") && texts == texts.sorted() && texts.count >= 4)
            let note = InsertMessageParams(content: InformationNotificationMessage(message: "You are friends now."))
            let inserted: ([Message]?, NCError?) = await completion { channel.insertMessages(params: [note], completion: $0) }
            #expect(inserted.0?.first?.clientId ?? 0 > 0 && inserted.0?.first?.messageId == "")
            let newest = try await query(ann, "bob").nextPage().data.first
            #expect((newest?.content as? InformationNotificationMessage)?.message == "You are friends now.")
        }
    }
}
