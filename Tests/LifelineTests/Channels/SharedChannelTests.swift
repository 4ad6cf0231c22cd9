import ConnectionEngine
import Testing

@testable import Lifeline

/// Several rooms of one channel.
@Suite(.timeLimit(.minutes(1))) struct SharedChannelTests {
    private func texts(_ messages: Messages) async -> [String] {
        var texts: [String] = []
        for await message in messages { texts.append(message.text) }
        return texts
    }

    @Test func `LL-110: each room ends by itself, and the last one unsubscribes the channel`() async throws {
        let (client, adapter) = scriptedClient()
        let events = client.events
        let first = try await client.channel("room").subscribe()
        let second = try await client.channel("room").subscribe()
        let (early, late) = (first.messages, second.messages)
        adapter.message("1")
        first.unsubscribe()
        first.unsubscribe()
        #expect(first.isEnded && !second.isEnded)
        adapter.message("2")
        #expect(await texts(early) == ["1"])
        #expect(!adapter.calls.contains(.unsubscribe("room")))
        second.unsubscribe()
        adapter.message("3")
        adapter.tell(.unsubscribed(channel: "room"))
        #expect(await texts(late) == ["1", "2"])
        #expect(adapter.calls == [.subscribe("room"), .subscribe("room"), .unsubscribe("room")])
        var told: [String] = []
        for await event in events.prefix(5) {
            switch event {
            case .message(let message): told.append(message.text)
            case .unsubscribed: told.append("unsubscribed")
            default: told.append("subscribed")
            }
        }
        #expect(told == ["subscribed", "subscribed", "1", "2", "unsubscribed"])
    }

    @Test func `LL-5: the first sequence of each room begins with that room's subscription`() async throws {
        let (client, adapter) = scriptedClient()
        let first = try await client.channel("room").subscribe()
        adapter.message("1")
        let second = try await client.channel("room").subscribe()
        adapter.message("2")
        let (early, late) = (first.messages, second.messages)
        client.channel("room").unsubscribe()
        #expect(await texts(early) == ["1", "2"] && first.isEnded)
        #expect(await texts(late) == ["2"] && second.isEnded)
        #expect(adapter.calls.last == .unsubscribe("room"))
    }

    @Test func `LL-7: a slow consumer of one room drops messages of that room only`() async throws {
        let (client, adapter) = scriptedClient(backlog: 2)
        let slow = try await client.channel("room").subscribe()
        adapter.message("1")
        adapter.message("2")
        let second = try await client.channel("room").subscribe()
        adapter.message("3")
        let (behind, upToDate) = (slow.messages, second.messages)
        client.channel("room").unsubscribe()
        #expect(await texts(upToDate) == ["3"])
        #expect(await texts(behind) == ["1", "2"])
        #expect(behind.droppedCount == 1 && upToDate.droppedCount == 0)
    }

    @Test func `LL-110: whoever subscribes while another caller waits for the confirmation gets a room as well`() async throws {
        let (client, adapter) = scriptedClient(confirms: false)
        let tasks = (0..<2).map { _ in Task { try await client.channel("room").subscribe() } }
        while adapter.calls.count < 2 { await Task.yield() }
        adapter.confirm("room")
        let (first, second) = (try await tasks[0].value, try await tasks[1].value)
        let (early, late) = (first.messages, second.messages)
        adapter.message("1")
        first.unsubscribe()
        adapter.message("2")
        second.unsubscribe()
        #expect(await texts(early) == ["1"])
        #expect(await texts(late) == ["1", "2"])
        #expect(adapter.calls == [.subscribe("room"), .subscribe("room"), .unsubscribe("room")])
    }

    @Test func `LL-110: a caller that gives up leaves the rooms of others alone`() async throws {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.answersNext("room")
        let room = try await client.channel("room").subscribe()
        let other = Task { try await client.channel("room").subscribe() }
        while adapter.calls.count < 2 { await Task.yield() }
        other.cancel()
        await #expect(throws: LifelineError.self) { _ = try await other.value }
        #expect(adapter.calls == [.subscribe("room"), .subscribe("room")] && !room.isEnded)
        let messages = room.messages
        adapter.message("1")
        room.unsubscribe()
        #expect(await texts(messages) == ["1"])
    }

    @Test func `LL-110: a room that ends while another caller subscribes does not take the channel away from it`() async throws {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.answersNext("room")
        let room = try await client.channel("room").subscribe()
        adapter.beforeSubscribing { room.unsubscribe() }
        adapter.answersNext("room")
        let other = try await client.channel("room").subscribe()
        #expect(adapter.calls == [.subscribe("room"), .subscribe("room")])
        #expect(room.isEnded && !other.isEnded)
    }

    @Test func `LL-110: when the only caller left gives up, the channel is unsubscribed and that is told`() async throws {
        let (client, adapter) = scriptedClient(confirms: false)
        let events = client.events
        adapter.answersNext("room")
        let room = try await client.channel("room").subscribe()
        let other = Task { try await client.channel("room").subscribe() }
        while adapter.calls.count < 2 { await Task.yield() }
        room.unsubscribe()
        #expect(adapter.calls.count == 2)
        other.cancel()
        await #expect(throws: LifelineError.self) { _ = try await other.value }
        #expect(adapter.calls.last == .unsubscribe("room"))
        adapter.tell(.unsubscribed(channel: "room"))
        for await event in events {
            if case .unsubscribed(let channel, _) = event {
                #expect(channel == "room")
                break
            }
        }
    }

    @Test func `LL-110: all rooms are told of failures and gaps, and a final refusal ends all of them`() async throws {
        let (client, adapter) = scriptedClient()
        let rooms = [try await client.channel("room").subscribe(), try await client.channel("room").subscribe()]
        let deliveries = rooms.map(\.deliveries)
        adapter.tell(.gap(channel: "room", since: Moment(nanoseconds: 5), .connectionLost))
        adapter.tell(.subscriptionFailed(channel: "room", LifelineError(.timeout, "Later."), willRetry: true))
        adapter.tell(.subscriptionFailed(channel: "room", LifelineError(.accessDenied, "No."), willRetry: false))
        for deliveries in deliveries {
            var told: [String] = []
            for await delivery in deliveries {
                switch delivery {
                case .gap: told.append("gap")
                case .failed(let error, let willRetry): told.append("\(error.code) \(willRetry)")
                case .message: told.append("message")
                }
            }
            #expect(told == ["gap", "timeout true", "accessDenied false"])
        }
        for room in rooms {
            #expect(room.isEnded)
            room.unsubscribe()
        }
        #expect(!adapter.calls.contains(.unsubscribe("room")), "the service has forgotten the channel by itself")
        let again = try await client.channel("room").subscribe()
        #expect(!again.isEnded)
    }

    @Test func `LL-110: a later room knows who is there, and the end of one room empties its own list only`() async throws {
        let (client, adapter) = scriptedClient(members: [Member(id: "ann")])
        let first = try await client.channel("presence-room").subscribe()
        adapter.tell(.joined(channel: "presence-room", Member(id: "ben")))
        let second = try await client.channel("presence-room").subscribe()
        adapter.tell(.joined(channel: "presence-room", Member(id: "ben")))
        let (early, late) = (try first.presence, try second.presence)
        let (before, after) = (early.changes, late.changes)
        #expect(early.members.map(\.id) == ["ann", "ben"] && late.members == early.members)
        adapter.tell(.left(channel: "presence-room", memberID: "ann"))
        first.unsubscribe()
        adapter.tell(.joined(channel: "presence-room", Member(id: "cat")))
        #expect(early.members.isEmpty)
        #expect(late.members.map(\.id) == ["ben", "cat"])
        second.unsubscribe()
        var told: [[String]] = []
        for changes in [before, after] {
            var words: [String] = []
            for await change in changes { words.append("\(change.action) \(change.member.id)") }
            told.append(words)
        }
        #expect(told == [["leave ann"], ["leave ann", "join cat"]])
    }

    @Test func `LL-111: a released room keeps the channel for events, until the last other room is unsubscribed`() async throws {
        let (client, adapter) = scriptedClient()
        let events = client.events
        _ = try await client.channel("room").subscribe()
        #expect(client.core.hub.rooms(of: "room").isEmpty)
        adapter.message("1")
        var isHeard = false
        for await event in events {
            if case .message(let message) = event {
                isHeard = message.text == "1"
                break
            }
        }
        #expect(isHeard)
        #expect(adapter.calls == [.subscribe("room")])
        let task = Task { try await client.channel("room").subscribe() }
        let room = try await task.value
        room.unsubscribe()
        #expect(adapter.calls.last == .unsubscribe("room"))
    }

    @Test func `LL-111: a caller that gives up leaves a channel alone that a released room keeps`() async throws {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.answersNext("room")
        _ = try await client.channel("room").subscribe()
        let other = Task { try await client.channel("room").subscribe() }
        while adapter.calls.count < 2 { await Task.yield() }
        other.cancel()
        await #expect(throws: LifelineError.self) { _ = try await other.value }
        #expect(adapter.calls == [.subscribe("room"), .subscribe("room")])
        client.channel("room").unsubscribe()
        #expect(adapter.calls.last == .unsubscribe("room"))
    }

    @Test func `LL-111: a sequence keeps its room, and a loop does as well`() async throws {
        let (client, adapter) = scriptedClient()
        let messages = try await client.channel("room").subscribe().messages
        let other = try await client.channel("room").subscribe()
        other.unsubscribe()
        #expect(!adapter.calls.contains(.unsubscribe("room")))
        adapter.message("1")
        let loop = Task { [messages] in
            for await message in messages { return message.text }
            return ""
        }
        #expect(await loop.value == "1")
        let presence = try await client.channel("presence-room").subscribe().presence
        #expect(client.core.hub.rooms(of: "presence-room").count == 1)
        #expect(presence.members.isEmpty)
    }
}
