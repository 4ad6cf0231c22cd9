import HTTPTransport
import PubNubProtocol
import Testing

@testable import Lifeline

@Suite("Reactions to messages", .timeLimit(.minutes(1)))
struct ReactionsTests {
    private func event(_ event: String, _ type: String = "reaction", message: String = "1000") -> String {
        #"{"source":"actions","version":"1.0","event":"\#(event)","data":{"type":"\#(type)","value":"👍","#
            + #""messageTimetoken":"\#(message)","actionTimetoken":"1001"}}"#
    }

    @Test func `LL-126: gaps and what was dropped for a slow consumer are changes of their own`() async throws {
        let (client, adapter) = scriptedClient(backlog: 2)
        let room = try await client.channel("room").subscribe()
        var changes = try room.reactions.makeAsyncIterator()
        func reaction(_ user: String) -> Reaction { Reaction("👍", messageID: "1", user: user) }
        adapter.tell(.gap(channel: "room", since: .zero, .connectionLost))
        adapter.tell(.reaction(channel: "room", .added(reaction("ann"))), .reaction(channel: "other", .added(reaction("eve"))))
        guard case .missed(let gap)? = await changes.next() else { return #expect(Bool(false), "no gap") }
        #expect(gap.reason == .connectionLost)
        #expect(await changes.next() == .added(reaction("ann")))
        for user in ["a", "b", "c", "d"] { adapter.tell(.reaction(channel: "room", .removed(reaction(user)))) }
        var told: [ReactionChange] = []
        room.unsubscribe()
        while let change = await changes.next() { told.append(change) }
        let dropped = told.reduce(0) { sum, change in
            if case .missed(let gap) = change, gap.reason == .slowConsumer { sum + gap.dropped } else { sum }
        }
        #expect(dropped > 0 && dropped + told.filter { if case .removed = $0 { true } else { false } }.count == 4)
    }

    @Test func `LL-126: PubNub's actions of another type are messages, as are those that come by a wildcard`() async throws {
        let fixture = PubNubFixture(presence: false)
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        let messages = room.messages
        var changes = try room.reactions.makeAsyncIterator()
        fixture.publish(
            PubNubFixture.message(event("added"), 1002, kind: .action),
            PubNubFixture.message(event("added", "receipt"), 1003, kind: .action),
            PubNubFixture.message(event("changed"), 1004, kind: .action),
            PubNubFixture.message(event("added", message: "x"), 1005, kind: .action),
            PubNubFixture.message("1", 1006, kind: .action), PubNubFixture.message(event("added"), 1007),
            PubNubFixture.message(event("removed"), 1008, kind: .action))
        guard case .added(let reaction)? = await changes.next() else { return #expect(Bool(false), "nothing was added") }
        #expect(reaction == Reaction("👍", messageID: "1000", user: "ben", addedAt: Timetoken(rawValue: 1001).date))
        #expect(await changes.next() == .removed(reaction))
        var ids: [String?] = []
        for await message in messages.prefix(5) { ids.append(message.id) }
        #expect(ids == ["1003", "1004", "1005", "1006", "1007"])
        let all = fixture.client.channel("rooms.*")
        #expect(!all.supports(.reactions))
        let error = #expect(throws: LifelineError.self) { try fixture.client.core.adapter.check(.reactions, of: "rooms.*") }
        #expect(error?.code == .badRequest)
    }

    @Test func `LL-125: what the service has already, or has not any more, is no error; other refusals are`() async throws {
        let http = ScriptedHTTP { call in
            let (status, body): (Int, String) =
                if call.method == "POST" {
                    (409, #"{"status":409,"error":{"source":"actions","message":"Action Already Added"}}"#)
                } else if call.method == "DELETE" {
                    (404, #"{"status":404,"error":{"source":"actions","message":"No message action found."}}"#)
                } else {
                    (
                        200,
                        #"{"status":200,"error":false,"error_message":"","channels":{"room":[{"message":1,"timetoken":"1000","#
                            + #""actions":{"reaction":{"👍":[{"uuid":"ben","actionTimetoken":"1001"},{"uuid":"ann","actionTimetoken":"1002"}]},"#
                            + #""receipt":{"read":[{"uuid":"ann","actionTimetoken":"1003"}]}}}]}}"#
                    )
                }
            return .success(HTTPCallAnswer(status: status, body: Array(body.utf8), url: call.url))
        }
        let fixture = PubNubFixture(http: http)
        let channel = fixture.client.channel("room")
        try await channel.addReaction("👍", to: "1000")
        try await channel.removeReaction("👍", from: "1000")
        #expect(fixture.http.sent.last?.url.contains("/message/1000/action/1002?") == true)
        #expect(try await channel.reactions(to: "1000").map(\.user) == ["ben", "ann"])
        // Nothing is removed that the user has not said.
        try await channel.removeReaction("🎉", from: "1000")
        #expect(fixture.http.sent.last?.method == "GET")
        for id in ["", "x", "0", "18446744073709551615"] {
            let error = await #expect(throws: LifelineError.self) { _ = try await channel.reactions(to: id) }
            #expect(error?.code == .badRequest, "\(id)")
        }
        let denied = PubNubFixture(
            http: ScriptedHTTP { .success(HTTPCallAnswer(status: 403, body: Array(#"{"status":403}"#.utf8), url: $0.url)) })
        let error = await #expect(throws: LifelineError.self) {
            try await denied.client.channel("room").addReaction("👍", to: "1000")
        }
        #expect(error?.code == .accessDenied)
    }
}
