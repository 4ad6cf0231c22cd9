import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Typing indicators", .timeLimit(.minutes(1)))
struct TypingTests {
    @Test func `LL-121: a user whose time is over by the client's clock does not type any more`() async throws {
        let (client, adapter) = scriptedClient()
        let typing = try await client.channel("room").subscribe().typing
        var users = typing.users.makeAsyncIterator()
        #expect(await users.next() == [])
        adapter.tell(.typing(channel: "room", user: "ann", isTyping: true))
        #expect(await users.next() == ["ann"])
        adapter.advance(by: .seconds(5))
        adapter.tell(.typing(channel: "room", user: "ben", isTyping: true))
        #expect(await users.next() == ["ann", "ben"])
        adapter.advance(by: .seconds(1))
        #expect(await users.next() == ["ben"])
        adapter.advance(by: .seconds(5))
        #expect(await users.next() == [])
        #expect(adapter.clockwork.runningCount == 0)
    }

    @Test func `LL-121: a message, a leave and a word of one's own end it; a consumer that is late gets the newest list`()
        async throws
    {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("presence-room").subscribe()
        var users = try room.typing.users.makeAsyncIterator()
        #expect(await users.next() == [])
        for user in ["ann", "ben", "cat"] {
            adapter.tell(.joined(channel: "presence-room", Member(id: user)))
            adapter.tell(.typing(channel: "presence-room", user: user, isTyping: true))
        }
        #expect(await users.next() == ["ann", "ben", "cat"])
        adapter.tell(
            .message(Message(channel: "presence-room", event: "e", text: "1", user: "ann", receivedAt: adapter.clock())))
        #expect(await users.next() == ["ben", "cat"])
        adapter.tell(.left(channel: "presence-room", memberID: "cat"))
        #expect(await users.next() == ["ben"])
        adapter.tell(.typing(channel: "presence-room", user: "ben", isTyping: false))
        #expect(await users.next() == [])
        adapter.tell(.typing(channel: "other", user: "ben", isTyping: true))
        room.unsubscribe()
        #expect(await users.next() == nil)
    }

    @Test func `LL-121: all rooms of a channel show the same, and nothing runs once the last one is gone`() async throws {
        let (client, adapter) = scriptedClient()
        let first = try await client.channel("room").subscribe()
        adapter.tell(.typing(channel: "room", user: "ann", isTyping: true))
        let second = try await client.channel("room").subscribe()
        #expect(try second.typing.current == ["ann"])
        first.unsubscribe()
        #expect(try first.typing.current.isEmpty)
        #expect(try second.typing.current == ["ann"])
        second.unsubscribe()
        let third = try await client.channel("room").subscribe()
        #expect(try third.typing.current.isEmpty)
        adapter.tell(.typing(channel: "room", user: "ben", isTyping: true))
        #expect(try third.typing.current == ["ben"])
        withExtendedLifetime(client) {}
    }

    @Test func `LL-122: keystrokes are throttled for all rooms together; a message begins anew`() async throws {
        let (client, adapter) = scriptedClient()
        let (room, other) = (try await client.channel("room").subscribe(), try await client.channel("room").subscribe())
        func told() -> [Bool] {
            adapter.calls.compactMap { if case .typing(let isTyping, "room") = $0 { isTyping } else { nil } }
        }
        for _ in 0..<3 { try await room.typing.keystroke() }
        try await other.typing.keystroke()
        #expect(told() == [true])
        adapter.advance(by: .seconds(4))
        try await other.typing.keystroke()
        try await room.typing.stop()
        try await other.typing.stop()
        #expect(told() == [true, true, false])
        try await room.typing.keystroke()
        _ = try await room.publish(1)
        try await room.typing.keystroke()
        #expect(told() == [true, true, false, true, true])
        room.unsubscribe()
        let error = await #expect(throws: LifelineError.self) { try await room.typing.stop() }
        #expect(error?.code == .notSubscribed)
    }
}
