import Foundation
import Testing

@testable import NexconnChatSDK

/// What becomes of messages later (rules NH-22 to NH-28).
@Suite(.timeLimit(.minutes(2))) struct LaterChangesTests {
    @Test func `a recalled message goes from both sides, and the other one hears of it`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let sent = try await ann.direct("bob").send(TextMessage(text: "oops"))
            try await bob.expect("oops")
            let (error): (NCError?) = await completion { end in
                ann.run { BaseChannel.deleteMessageForAll(sent, completion: end) }
            }
            #expect(error == nil)
            let deleted = try await bob.log.wait("deleted") { events in
                events.lazy.compactMap { if case .messageDeleted(let event) = $0 { event } else { nil } }.first
            }
            #expect(deleted.messages.map(\.messageId) == [sent.messageId])
            #expect(try await ann.direct("bob").history().data.isEmpty)
            #expect(try await bob.direct("ann").history().data.isEmpty)
            await #expect(throws: NCError.self) { try await ann.direct("bob").recall(sent) }
        }
    }

    @Test func `an edited message says something else on both sides`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let channel = try ann.direct("bob")
            let sent = try await channel.send(TextMessage(text: "helo"))
            try await bob.expect("helo")
            let edited = try await channel.edit(sent, TextMessage(text: "hello"))
            #expect((edited.content as? TextMessage)?.text == "hello" && edited.hasChanged)
            let heard = try await bob.log.wait("updated") { events in
                events.lazy.compactMap { if case .messagesUpdated(let event) = $0 { event.messages.first } else { nil } }.first
            }
            #expect((heard.content as? TextMessage)?.text == "hello" && heard.hasChanged && heard.updateInfo != nil)
            #expect(heard.messageId == sent.messageId)
            let kept = try await bob.direct("ann").history().data.first
            #expect((kept?.content as? TextMessage)?.text == "hello")
            await #expect(throws: NCError.self) { try await channel.edit(sent, InformationNotificationMessage(message: "m")) }
            await #expect(throws: NCError.self) { try await bob.direct("ann").edit(heard, TextMessage(text: "mine")) }
        }
    }

    @Test func `metadata change on both sides`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let params = SendMessageParams(content: TextMessage(text: "vote"))
            params.metadata = ["a": "1"]
            let sent = try await ann.direct("bob").send(params)
            #expect(try await bob.expect("vote").message.metadata == ["a": "1"])
            try await ann.run { try await sent.changeMetadata(set: ["b": "2"], delete: ["a"]) }
            #expect(sent.metadata == ["b": "2"])
            let set = try await bob.log.wait("set") { events in
                events.lazy.compactMap { if case .messageMetadataUpdated(let event) = $0 { event } else { nil } }.first
            }
            #expect(set.metadata == ["b": "2"] && set.message.messageId == sent.messageId)
            let deleted = try await bob.log.wait("deleted") { events in
                events.lazy.compactMap { if case .messageMetadataDeleted(let event) = $0 { event } else { nil } }.first
            }
            #expect(deleted.keys == ["a"] && deleted.message.metadata == ["b": "2"])
            await #expect(throws: NCError.self) { try await ann.run { try await sent.changeMetadata() } }
        }
    }

    @Test func `the sender learns who has read, and reading says nothing about unread counts`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let params = SendMessageParams(content: TextMessage(text: "read me"))
            params.needReceipt = true
            let sent = try await ann.direct("bob").send(params)
            let received = try await bob.expect("read me").message
            #expect(received.needReceipt && !received.sentReceipt)
            let channel = try bob.direct("ann")
            try await channel.sendReadReceipts(for: [received])
            let response = try await ann.log.wait("receipt") { events in
                events.lazy.compactMap { if case .messageReceiptResponse(let event) = $0 { event.responses.first } else { nil } }
                    .first
            }
            #expect(response.messageId == sent.messageId && response.readCount == 1 && response.unreadCount == 0)
            #expect(response.users.map(\.userId) == ["bob"])
            #expect(response.channelIdentifier.channelId == "bob")
            let infos = try await ann.direct("bob").readReceipts(of: [sent.messageId])
            #expect(infos.map(\.readCount) == [1] && infos.map(\.totalCount) == [1])
            let query = ann.run {
                BaseChannel.createMessagesReadReceiptUsersQuery(
                    params: MessagesReadReceiptUsersQueryParams(
                        channelIdentifier: ChannelIdentifier(channelType: .direct, channelId: "bob"), messageId: sent.messageId))
            }
            #expect(try await query.nextPage().data.map(\.userId) == ["bob"])
            #expect(try await query.nextPage().data.isEmpty)
            #expect(try await channel.reloaded().unreadCount == 1)
            #expect(try await channel.history().data.first?.sentReceipt == true)
            await #expect(throws: NCError.self) { try await ann.direct("bob").readReceipts(of: ["no number"]) }
        }
    }

    @Test func `messages that the user deletes are gone for the user alone`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let channel = try ann.direct("bob")
            let first = try await channel.send(TextMessage(text: "one"))
            try await channel.send(TextMessage(text: "two"))
            try await bob.expect("two")
            let (error): (NCError?) = await completion { channel.deleteMessagesForMe([first], completion: $0) }
            #expect(error == nil)
            #expect(try await channel.history().data.count == 1)
            #expect(try await bob.direct("ann").history().data.count == 2)
            let (again): (NCError?) = await completion { end in
                channel.deleteMessagesForMeByTimestamp(
                    params: DeleteMessagesForMeByTimestampParams(timestamp: .max), completion: end)
            }
            #expect(again == nil)
            #expect(try await channel.history().data.isEmpty)
        }
    }
}
