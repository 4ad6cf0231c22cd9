import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Two users, one server, real sockets.
@Suite(.timeLimit(.minutes(2))) struct ConversationTests {
    @Test func `a text reaches the other user, with its id, its time and its order`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let channel = try ann.direct("bob")
            let words = NIOLockedValueBox<[String]>([])
            let params = SendMessageParams(content: TextMessage(text: "hello"))
            let (sent, error): (Message?, NCError?) = await completion { end in
                channel.sendMessage(
                    params: params,
                    attachedHandler: { message in
                        let state = message.map { "\($0.sentStatus) \($0.messageId.isEmpty) \($0.clientId > 0)" } ?? "nil"
                        words.withLockedValue { $0.append("attached \(state)") }
                    },
                    completionHandler: { message, error in
                        words.withLockedValue { $0.append("completed") }
                        end(message, error)
                    })
            }
            #expect(words.withLockedValue { $0 } == ["attached sending true true", "completed"])
            #expect(error == nil && sent?.sentStatus == .sent && sent?.direction == .send)
            let event = try await bob.expect("hello")
            #expect(event.message.messageId == sent?.messageId && event.message.sentTime == sent?.sentTime)
            #expect(event.message.senderUserId == "ann" && event.message.direction == .receive)
            #expect(event.message.channelIdentifier == ChannelIdentifier(channelType: .direct, channelId: "ann"))
            #expect(event.left == 0 && !event.offline && !event.hasPackage)
        }
    }

    @Test func `what was missed comes in order and once, and its end is told`() async throws {
        try await ChatWorld.run { world in
            let bob = try await world.user("bob")
            await bob.leave()
            let ann = try await world.user("ann")
            let channel = try ann.direct("bob")
            for number in 1...250 { try await channel.send(TextMessage(text: "\(number)")) }
            try await bob.connect()
            #expect(bob.texts == (1...250).map(String.init))
            let events = bob.log.events.compactMap(\.received)
            #expect(events.allSatisfy { $0.offline && $0.message.isOffline })
            #expect(events.last?.left == 0 && events.last?.hasPackage == false)
            #expect(events.first?.hasPackage == true && events.first?.left == 199)
            #expect(bob.log.events.last?.isSyncCompleted == true)
        }
    }

    @Test func `hundreds of messages both ways keep their order, and every call ends once`() async throws {
        try await ChatWorld.run { world in
            let (ann, bob) = (try await world.user("ann"), try await world.user("bob"))
            let (ended, end) = AsyncStream.makeStream(of: Int.self)
            func flood(_ channel: DirectChannel, _ offset: Int) {
                for number in offset..<(offset + 200) {
                    channel.sendMessage(
                        params: SendMessageParams(content: TextMessage(text: "\(number)")), attachedHandler: nil
                    ) { _, _ in
                        end.yield(number)
                    }
                }
            }
            flood(try ann.direct("bob"), 0)
            flood(try bob.direct("ann"), 1000)
            try await bob.expect("199")
            try await ann.expect("1199")
            #expect(bob.texts == (0..<200).map(String.init))
            #expect(ann.texts == (1000..<1200).map(String.init))
            var ends: [Int: Int] = [:]
            for await number in ended.prefix(400) { ends[number, default: 0] += 1 }
            let (_, error): (BaseChannel?, NCError?) = await completion { try? ann.direct("bob").reload(completion: $0) }
            #expect(error == nil)
            for user in [ann, bob] { await user.flush() }
            end.finish()
            for await number in ended { ends[number, default: 0] += 1 }
            #expect(ends.count == 400 && ends.values.allSatisfy { $0 == 1 })
        }
    }

    @Test func `calls of nobody who is signed in end with a clear error`() async throws {
        let user = ChatTestUser("ann", token: "t", port: 1)
        let channel = try user.direct("bob")
        await #expect(throws: NCError.self) { try await channel.send(TextMessage(text: "t")) }
        let (message, error): (Message?, NCError?) = await completion { end in
            channel.sendMessage(params: SendMessageParams(content: TextMessage(text: "t")), completionHandler: end)
        }
        #expect(message == nil && error?.code == -4)
        let query = user.run {
            BaseChannel.createMessagesQuery(params: MessagesQueryParams(channelIdentifier: channel.identifier))
        }
        await #expect(throws: NCError.self) { try await query.nextPage() }
    }
}

extension ChatTestUser {
    /// Waits until all that was handed to the callback queue has run.
    func flush() async {
        await withCheckedContinuation { continuation in
            engine.work.async { self.engine.registry.run { continuation.resume() } }
        }
    }
}
