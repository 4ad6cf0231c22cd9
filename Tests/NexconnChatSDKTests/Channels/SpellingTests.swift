import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Code as applications of the vendor's SDK have it: the spellings that are proven (to 1.7 and 6).
@Suite(.timeLimit(.minutes(2))) struct SpellingTests {
    final class Chat: NSObject, MessageHandler, ChannelHandler, GroupChannelHandler, OpenChannelHandler, UserHandler {
        let received = NIOLockedValueBox<[String]>([])

        func onMessageReceived(_ event: MessageReceivedEvent) {
            if event.left == 0, !event.offline, let text = event.message.content as? TextMessage {
                received.withLockedValue { $0.append(text.text) }
            }
        }

        func sendText(
            to user: String, text: String, completion: @escaping (_ message: Message?, _ error: NCError?) -> Void
        ) {
            guard let channel = DirectChannel(channelId: user) else {
                completion(nil, NCError.error(with: -1))
                return
            }
            let content = TextMessage(text: text)
            let params = SendMessageParams(content: content)
            channel.sendMessage(params: params, attachedHandler: nil, completionHandler: completion)
        }

        func sendFile(to user: String, path: String, completion: @escaping (Message?, NCError?) -> Void) {
            guard let channel = DirectChannel(channelId: user) else { return }
            let params = SendMediaMessageParams(content: FileMessage(localPath: path))
            channel.sendMediaMessage(
                params: params, attachedHandler: nil, progressHandler: nil, completionHandler: completion, cancelHandler: nil)
        }

        func recent(pageSize: Int32 = 20, completion: @escaping (_ channels: [BaseChannel]?, _ error: NCError?) -> Void) {
            let params = ChannelsQueryParams()
            params.setChannelTypes([.direct, .group])
            params.pageSize = pageSize
            let query = BaseChannel.createChannelsQuery(params: params)
            query.loadNextPage { page, error in
                completion(page?.data, error)
            }
        }

        func mute(_ user: String, completion: @escaping (_ error: NCError?) -> Void) {
            guard let channel = DirectChannel(channelId: user) else { return }
            channel.setNoDisturbLevel(.muted, completion: completion)
        }

        func pinAndUnpin(_ user: String, completion: @escaping (NCError?) -> Void) {
            guard let channel = DirectChannel(channelId: user) else { return }
            channel.pin(params: PinParams(updateOperationTime: true)) { error in
                guard error == nil else { return completion(error) }
                channel.unpin { error in completion(error) }
            }
        }

        func createGroup(
            _ id: String, completion: @escaping (_ processCode: Int, _ errorKeys: [String]?, _ error: NCError?) -> Void
        ) {
            let params = CreateGroupParams(groupId: id, groupName: "Group")
            params.inviteeUserIds = ["bob"]
            params.portraitUri = "https://example.org/p.png"
            GroupChannel.createGroup(params: params, completion: completion)
        }

        func members(of group: String, completion: @escaping (_ members: [GroupMemberInfo]?, _ error: NCError?) -> Void) {
            guard let channel = GroupChannel(channelId: group) else { return }
            channel.getMembers(userIds: ["bob"], completion: completion)
        }

        func page(of group: String, completion: @escaping (Int) -> Void) {
            let params = GroupMembersByRoleQueryParams()
            params.groupId = group
            params.role = .normal
            GroupChannel.createGroupMembersByRoleQuery(params: params).loadNextPage { page, error in
                guard let page, error == nil, !page.data.isEmpty else { return completion(0) }
                completion(page.data.count)
            }
        }

        func acknowledge(_ message: Message, completion: @escaping (NCError?) -> Void) {
            guard let channel = DirectChannel(channelId: message.channelIdentifier.channelId) else { return }
            channel.sendReadReceiptResponse(messageIds: [message.messageId], completion: completion)
        }
    }

    @Test func `proven spellings compile and work`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let chat = Chat()
            ann.run {
                NCEngine.addMessageHandler(identifier: "chat", handler: chat)
                NCEngine.addChannelHandler(identifier: "chat", handler: chat)
                NCEngine.addGroupChannelHandler(identifier: "chat", handler: chat)
                NCEngine.addOpenChannelHandler(identifier: "chat", handler: chat)
                NCEngine.addUserHandler(identifier: "chat", handler: chat)
            }
            let sent: (Message?, NCError?) = await completion { end in
                ann.run { chat.sendText(to: "bob", text: "hello", completion: end) }
            }
            #expect((sent.0?.messageId ?? "").isEmpty == false && sent.1 == nil)
            let file: (Message?, NCError?) = await completion { end in
                ann.run { chat.sendFile(to: "bob", path: "/no/such/file", completion: end) }
            }
            #expect(file.1?.code == 34018)
            let channels: ([BaseChannel]?, NCError?) = await completion { end in ann.run { chat.recent(completion: end) } }
            #expect(channels.0?.map(\.channelId) == ["bob"])
            let muted: (NCError?) = await completion { end in ann.run { chat.mute("bob", completion: end) } }
            #expect(muted == nil)
            let pinned: (NCError?) = await completion { end in ann.run { chat.pinAndUnpin("bob", completion: end) } }
            #expect(pinned == nil)
            let group: (Int, [String]?, NCError?) = await completion { end in
                ann.run { chat.createGroup("g", completion: end) }
            }
            #expect(group.0 == 0)
            let members: ([GroupMemberInfo]?, NCError?) = await completion { end in
                ann.run { chat.members(of: "g", completion: end) }
            }
            #expect(members.0?.map(\.userId) == ["bob"])
            let count: Int = await completion { end in ann.run { chat.page(of: "g", completion: end) } }
            #expect(count == 1)
            try await bob.direct("ann").send(TextMessage(text: "back"))
            let event = try await ann.expect("back")
            let acknowledged: (NCError?) = await completion { end in
                ann.run { chat.acknowledge(event.message, completion: end) }
            }
            #expect(acknowledged == nil)
            #expect(chat.received.withLockedValue { $0 } == ["back"])
            ann.run { NCEngine.removeMessageHandler(forIdentifier: "chat") }
            try await bob.direct("ann").send(TextMessage(text: "again"))
            try await ann.expect("again")
            #expect(chat.received.withLockedValue { $0 } == ["back"])
        }
    }
}
