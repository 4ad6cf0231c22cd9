import ChatProtocol
import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Publishing and asking over chat", .timeLimit(.minutes(1)))
struct ChatCallsTests {
    private func draft(_ channel: String, _ json: String, event: String = "message") throws -> ChatMessageDraft {
        try ChatAdapter.draft(of: Publication(channel: channel, event: event, json: json))
    }

    @Test("NP-27: the event is the type, an object the content, and anything else stands in content")
    func drafts() throws {
        let text = try draft("direct:ben", #"{"content":"hi"}"#)
        #expect(text.type == "RC:TxtMsg")
        #expect(text.content == Array(#"{"content":"hi"}"#.utf8))
        #expect(text.conversation == .direct)
        #expect(text.to == "ben")
        let other = try draft("room", "\"hi\"", event: "my:type")
        #expect(other.type == "my:type")
        #expect(other.content == Array(#"{"content":"hi"}"#.utf8))
        #expect(other.conversation == .open)
        #expect(text.clientID != other.clientID)
        #expect(text.clientID.utf8.count == 32)
    }

    @Test("NP-27: what cannot be sent is refused before anything is", arguments: ["system:x", "direct:", "room"])
    func unusable(channel: String) throws {
        let event = channel == "room" ? String(repeating: "e", count: 33) : "message"
        let error = #expect(throws: LifelineError.self) { try draft(channel, "1", event: event) }
        #expect(error?.code == (channel == "system:x" ? .unsupported : .badRequest))
    }

    @Test("A message that the server has taken is accepted, with its id; one that it does not want is refused")
    func outcomes() async throws {
        let fixture = ChatFixture { request in
            guard case .send(let draft) = request else { return .success(.done) }
            return draft.to == "ben"
                ? .success(.sent(ChatMessageID(rawValue: 77)))
                : .failure(ChatRequestRefusal(.blockedByReceiver, "The receiver blocks the sender."))
        }
        try await fixture.connect()
        #expect(try await fixture.client.channel("direct:ben").publish(1) == .accepted(id: "77"))
        guard case .refused(let error) = try await fixture.client.channel("direct:eve").publish(1) else {
            Issue.record("not refused")
            return
        }
        #expect(error.number == 405)
        #expect(error.code == .accessDenied)
    }

    @Test("A message whose answer is lost is sent again as the same, and accepted once")
    func sentAgain() async throws {
        let fixture = ChatFixture { _ in nil }
        try await fixture.connect()
        async let outcome = fixture.client.channel("direct:ben").publish(1)
        while fixture.server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        fixture.server.answer { _ in .success(.sent(ChatMessageID(rawValue: 5))) }
        fixture.loseLink()
        #expect(try await outcome == .accepted(id: "5"))
        #expect(fixture.server.requests.count == 2)
        #expect(fixture.server.requests.first == fixture.server.requests.last)
    }

    @Test("A message that was written and never answered is unknown; one that never left is refused")
    func notAnswered() async throws {
        let fixture = ChatFixture { _ in nil }
        let early = Task { () async throws in try await fixture.client.channel("direct:ben").publish(0) }
        // Its time begins when it is there.
        while fixture.waitingMessages == 0, !Task.isCancelled { await Task.yield() }
        fixture.timers.advance(by: .seconds(31))
        guard case .refused(let error) = try await early.value else {
            Issue.record("not refused")
            return
        }
        #expect(error.number == 30_002)

        try await fixture.connect()
        async let outcome = fixture.client.channel("direct:ben").publish(1)
        while fixture.server.requests.isEmpty, !Task.isCancelled { await Task.yield() }
        await fixture.disconnect()
        guard case .unknown = try await outcome else {
            Issue.record("not unknown")
            return
        }
    }

    @Test("History is read page by page, newest first, and returned oldest first")
    func history() async throws {
        let fixture = ChatFixture { request in
            guard case .history(let history) = request else { return .success(.done) }
            let newest: UInt64 = if case .before(let id) = history.place { id.rawValue - 1 } else { 250 }
            let ids = (0..<UInt64(history.limit)).map { newest - $0 }
            return .success(.history(ids.map { ChatFixture.message($0).body }, hasMore: true))
        }
        try await fixture.connect()
        let messages = try await fixture.client.channel("direct:ben").history(last: 130)
        #expect(messages.map(\.id) == (121...250).map { "\($0)" })
        #expect(messages.first?.channel == "direct:ben")
        #expect(fixture.server.requests.count == 2)
    }

    @Test("History without a connection is an error, not an empty list")
    func offline() async throws {
        let fixture = ChatFixture()
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("room").history(last: 1) }
        #expect(error?.code == .disconnected)
    }

    @Test("Members are those in an open channel, or all of a group; others cannot be asked for")
    func members() async throws {
        let fixture = ChatFixture { request in
            switch request {
            case .openInfo:
                .success(.openInfo(ChatOpenInfo(created: 1, count: 1, members: [ChatOpenMember(user: "ann", entered: 1)])))
            case .groupMembers(let page):
                .success(
                    .members(
                        [ChatGroupMember(user: page.after == nil ? "a" : "b", role: page.after == nil ? .owner : .member)],
                        hasMore: page.after == nil))
            default: .success(.done)
            }
        }
        try await fixture.connect()
        #expect(try await fixture.client.channel("room").members() == [Member(id: "ann")])
        #expect(
            try await fixture.client.channel("group:g").members()
                == [Member(id: "a", info: #"{"role":"owner"}"#), Member(id: "b", info: #"{"role":"member"}"#)])
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("direct:ben").members() }
        #expect(error?.code == .unsupported)
    }

    @Test("NP-32: lists that go on for ever come to an end")
    func endless() async throws {
        let fixture = ChatFixture { request in
            guard case .groupMembers(let page) = request else { return .success(.done) }
            // The group "same" has one page again and again, the other one ever new pages.
            let user = page.group == "same" ? "a" : "\((page.after.flatMap { Int($0) } ?? 0) + 1)"
            return .success(.members([ChatGroupMember(user: user, role: .member)], hasMore: true))
        }
        try await fixture.connect()
        #expect(try await fixture.client.channel("group:same").members().map(\.id) == ["a", "a"])
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("group:other").members() }
        #expect(error?.code == .init(.malformedResponse))
        #expect(fixture.server.requests.count == 1_002)
    }
}
