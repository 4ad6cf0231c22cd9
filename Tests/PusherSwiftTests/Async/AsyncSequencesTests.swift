import ConnectionEngine
import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-41 and PA-71.
struct AsyncSequencesTests {
    @Test(.timeLimit(.minutes(1))) func `states begin with the present one and end with the connection`() async {
        var fixture: Fixture? = Fixture()
        let states = fixture?.connection.states
        fixture?.deliver(.phase(.connecting), .phase(.connected), .phase(.waiting), .phase(.suspended))
        fixture = nil
        var seen: [ConnectionState] = []
        for await state in states! { seen.append(state) }
        #expect(seen == [.disconnected, .connecting, .connected, .reconnecting])
    }

    @Test(.timeLimit(.minutes(1))) func `events of a name are a sequence until they are unbound`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribe("a")
        let events = channel.events(named: "e")
        fixture.deliver(.message("e", "a", "1"), .message("f", "a", "2"), .message("e", "a", "3"))
        channel.unbindAll()
        var seen: [String?] = []
        for await event in events { seen.append(event.data) }
        #expect(seen == ["1", "3"])
    }

    @Test(.timeLimit(.minutes(1))) func `a consumer that stops leaves nothing behind`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribe("a")
        let task = Task {
            for await _ in channel.events(named: "e") { break }
            for await _ in fixture.connection.states { break }
        }
        while channel.eventHandlers.isEmpty { await Task.yield() }
        fixture.deliver(.message("e", "a", "1"))
        await task.value
        #expect(channel.eventHandlers.isEmpty)
        #expect(fixture.connection.state.withLockedValue { $0.stateStreams.count } == 0)
    }

    @Test(.timeLimit(.minutes(1))) func `a slow consumer gets the newest`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribe("a")
        let events = channel.events(named: "e", limit: 2)
        for number in 1...5 { fixture.deliver(.message("e", "a", "\(number)")) }
        channel.unbindAll()
        var seen: [String?] = []
        for await event in events { seen.append(event.data) }
        #expect(seen == ["4", "5"])
    }

    // Proof of P12.
    @Test(.timeLimit(.minutes(1))) func `every event of the connection is a sequence`() async {
        var fixture: Fixture? = Fixture()
        fixture?.pusher.subscribe("a")
        let events = fixture?.pusher.events(limit: 3)
        fixture?.deliver(
            .message("dropped", "a"), .message("x", "a"), .message("elsewhere", "b"), .message("y"), .message("z", "a"))
        fixture = nil
        var seen: [String] = []
        for await event in events! { seen.append(event.eventName) }
        #expect(seen == ["x", "y", "z"])
    }

    @Test(.timeLimit(.minutes(1))) func `a consumer of all events that stops leaves nothing behind`() async {
        let fixture = Fixture()
        let task = Task { for await _ in fixture.pusher.events() { break } }
        while fixture.connection.globalChannel.globalCallbacks.isEmpty { await Task.yield() }
        fixture.deliver(.message("e"))
        await task.value
        #expect(fixture.connection.globalChannel.globalCallbacks.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func `statuses tell why`() async {
        var fixture: Fixture? = Fixture()
        let statuses = fixture?.connection.statuses
        fixture?.deliver(
            .phase(.connecting), .phase(.waiting, attempt: 2, cause: ConnectionFailure(.timeout, "late", closeCode: 4201)))
        fixture = nil
        var seen: [PusherConnectionStatus] = []
        for await status in statuses! { seen.append(status) }
        #expect(seen.map(\.state) == [.connecting, .reconnecting])
        #expect(seen.last?.reason == "late" && seen.last?.code == 4201 && seen.last?.attempt == 2)
    }

    private func text(_ change: PusherMembershipChange) -> String {
        switch change {
        case .current(let members): "now " + members.map(\.userId).joined(separator: ",")
        case .joined(let member): "+" + member.userId
        case .left(let member): "-" + member.userId
        }
    }

    @Test(.timeLimit(.minutes(1))) func `members are a sequence that begins with everybody and ends with the channel`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a")
        let early = channel.memberChanges()
        fixture.deliver(.subscribed("presence-a", members: ["1", "2"], myID: "1"))
        let late = channel.memberChanges()
        fixture.deliver(
            .memberAdded(channel: "presence-a", PusherMember(userID: "3")),
            .memberAdded(channel: "presence-a", PusherMember(userID: "3")),
            .memberRemoved(channel: "presence-a", PusherMember(userID: "2")),
            .subscribed("presence-a", members: ["1", "4"], myID: "1", isRenewal: true))
        fixture.pusher.unsubscribe("presence-a")
        for changes in [early, late] {
            var seen: [String] = []
            for await change in changes { seen.append(text(change)) }
            #expect(seen == ["now 1,2", "+3", "-2", "now 1,4"])
        }
        #expect(channel.state.withLockedValue { $0.memberStreams.isEmpty })
    }

    @Test(.timeLimit(.minutes(1))) func `a consumer of members that is slow is right in the end`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a")
        fixture.deliver(.subscribed("presence-a", members: ["0"], myID: "0"))
        let changes = channel.memberChanges(limit: 2)
        for number in 1...5 { fixture.deliver(.memberAdded(channel: "presence-a", PusherMember(userID: "\(number)"))) }
        fixture.pusher.unsubscribe("presence-a")
        var seen: [String] = []
        for await change in changes { seen.append(text(change)) }
        #expect(seen == ["+5", "now 0,1,2,3,4,5"])
    }

    @Test(.timeLimit(.minutes(1))) func `the number of subscribers is a sequence of which the newest waits`() async {
        let fixture = Fixture()
        let channel = fixture.pusher.subscribe("a")
        fixture.deliver(.subscribed("a"), .subscriptionCount(channel: "a", 1))
        let counts = channel.subscriptionCounts
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        for number in 2...5 { fixture.deliver(.subscriptionCount(channel: "a", number)) }
        #expect(await iterator.next() == 5)
        fixture.pusher.unsubscribe("a")
        #expect(await iterator.next() == nil)
    }
}
