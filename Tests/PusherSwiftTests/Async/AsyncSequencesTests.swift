import Testing

@testable import PusherSwift

/// Rule PA-41.
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
}
