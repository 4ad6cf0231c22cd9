import Foundation
import Testing

@testable import NexconnChatSDK

private final class NudgeMessage: CustomMessage, @unchecked Sendable {
    override class var messageType: String { "test:nudge" }
    override class var persistencePolicy: MessagePersistencePolicy { .status }
}

/// What is kept, counted and shown of messages of different kinds (rules NH-12, NH-13).
@Suite(.timeLimit(.minutes(2))) struct PolicyTests {
    @Test func `a status message reaches who is connected, and leaves nothing behind`() async throws {
        try await ChatWorld.run { world in
            #expect(NCEngine.registerCustomMessages([NudgeMessage.self]) == nil)
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let sent = try await ann.direct("bob").send(NudgeMessage())
            #expect(sent.clientId < 0 && !sent.isPersisted && !sent.isCounted && !sent.messageId.isEmpty)
            let received = try await bob.log.wait("nudge") { $0.lazy.compactMap(\.received).first }
            #expect(received.message.content is NudgeMessage)
            #expect(try await bob.direct("ann").reloaded().unreadCount == 0)
            for (user, peer) in [(ann, "bob"), (bob, "ann")] { #expect(try await user.direct(peer).history().data.isEmpty) }
        }
    }

    @Test func `a command reaches who is away, and is in no history`() async throws {
        try await ChatWorld.run { world in
            let bob = try await world.user("bob")
            await bob.leave()
            let ann = try await world.user("ann")
            try await ann.direct("bob").send(CommandMessage(name: "refresh", data: "{}"))
            try await ann.direct("bob").send(InformationNotificationMessage(message: "small print"))
            try await bob.connect()
            let contents = bob.log.events.compactMap { $0.received?.message.content }
            #expect((contents.first as? CommandMessage)?.name == "refresh")
            #expect(contents.last is InformationNotificationMessage && contents.count == 2)
            let here = try await bob.direct("ann").reloaded()
            #expect(here.unreadCount == 0)
            #expect(try await bob.direct("ann").history().data.map(\.messageType) == [MessageType.informationNotification])
        }
    }

    @Test func `in a group some may be addressed, and those who are mentioned learn it`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob, eve) = (try await world.user("ann"), try await world.user("bob"), try await world.user("eve"))
            let params = CreateGroupParams(groupId: "g", groupName: "G")
            params.inviteeUserIds = ["bob", "eve"]
            let group = try await ann.run { try await GroupChannel.create(params) }
            let secret = SendMessageParams(content: TextMessage(text: "only bob"))
            secret.directedUserIds = ["bob"]
            try await group.send(secret)
            let text = TextMessage(text: "look")
            text.mentionedInfo = MentionedInfo(type: .part, userIdList: ["bob"])
            try await group.send(text)
            let quiet = SendMessageParams(content: TextMessage(text: "aside"))
            quiet.disableUpdateLastMessage = true
            try await group.send(quiet)
            for user in [bob, eve] { try await user.expect("aside") }
            #expect(bob.texts == ["only bob", "look", "aside"])
            #expect(eve.texts == ["look", "aside"])
            let seen = try await bob.group("g").reloaded()
            #expect(seen.unreadCount == 3 && seen.mentionedCount == 1)
            #expect((seen.latestMessage?.content as? TextMessage)?.text == "look")
            let mentions: ([Message]?, NCError?) = await completion { end in
                try? bob.group("g").getUnreadMentionedMessages(completion: end)
            }
            #expect(mentions.0?.map { $0.content.mentionedInfo?.isMentionedMe } == [true])
            let first: (Message?, NCError?) = await completion { end in try? bob.group("g").getFirstUnreadMessage(completion: end)
            }
            #expect((first.0?.content as? TextMessage)?.text == "only bob" && first.0?.directedUserIds == ["bob"])
            #expect(try await eve.group("g").reloaded().mentionedCount == 0)
        }
    }

    @Test func `without a database one can talk all the same`() async throws {
        try await ChatWorld.run { world in
            let ann = try await world.user("ann")
            let bob = try await world.absentUser("bob", directory: "/dev/null/nowhere")
            try await bob.connect()
            try await ann.direct("bob").send(TextMessage(text: "hello"))
            try await bob.expect("hello")
            let answer = try await bob.direct("ann").send(TextMessage(text: "hi"))
            #expect(answer.sentStatus == .sent && answer.clientId < 0)
            try await ann.expect("hi")
            let channel = try bob.direct("ann")
            let (_, error): (BaseChannel?, NCError?) = await completion { channel.reload(completion: $0) }
            #expect(error?.code == 34301)
            await #expect(throws: NCError.self) { try await channel.history() }
        }
    }
}
