import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-18 and PA-41: what is over after `unsubscribe`, also within callbacks.
struct UnsubscribingTests {
    private let fixture = Fixture()
    private let notebook = Notebook()

    @Test func `a global callback that unsubscribes keeps the event from the channel's`() {
        fixture.pusher.subscribe("a").bind(eventName: "e") { [notebook] _ in notebook.note("channel") }
        fixture.pusher.bind { [fixture, notebook] event in
            notebook.note("global")
            fixture.pusher.unsubscribe(event.channelName ?? "-")
        }
        fixture.deliver(.message("e", "a", "1"))
        #expect(notebook.lines == ["global"])
    }

    @Test func `a callback that unsubscribes at the confirmation hears nothing of it any more`() {
        let room = fixture.pusher.subscribe("presence-a", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") })
        fixture.deliver(.subscribed("presence-a", members: ["1"], myID: "1"))
        room.bind(eventName: "pusher:subscription_succeeded") { [fixture] _ in fixture.pusher.unsubscribe("presence-a") }
        fixture.deliver(.subscribed("presence-a", members: ["1", "2"], myID: "1", isRenewal: true))
        #expect(notebook.lines.isEmpty && fixture.delegate.lines == ["subscribed presence-a"])
    }

    @Test func `a reserved name fails visibly each time`() {
        fixture.connect()
        for _ in 0..<2 {
            fixture.pusher.subscribe("#server-to-user-1")
            fixture.settle()
            fixture.pusher.unsubscribe("#server-to-user-1")
        }
        let failures = fixture.delegate.lines.filter { $0.hasPrefix("failed") }
        #expect(failures == ["failed #server-to-user-1", "failed #server-to-user-1"])
    }

    @Test(.timeLimit(.minutes(1))) func `sequences of events end, callbacks stay`() async {
        let channel = fixture.pusher.subscribe("a")
        channel.bind(eventName: "e") { _ in }
        let sequences = [channel.events(named: "e"), channel.events(named: "f")]
        fixture.deliver(.message("e", "a", "1"), .message("f", "a", "2"))
        fixture.pusher.unsubscribe("a")
        var seen: [String?] = []
        for events in sequences {
            for await event in events { seen.append(event.data) }
        }
        #expect(seen == ["1", "2"])
        #expect(channel.eventHandlers.mapValues(\.count) == ["e": 1])
    }

    @Test func `unsubscribing while the authorizer thinks sends nothing, and its answer is nobody's`() {
        let authority = AuthorizingTests.Authority(nil, isSlow: true)
        let fixture = Fixture(options: PusherClientOptions(authMethod: .authorizer(authorizer: authority)))
        fixture.connect()
        fixture.pusher.subscribe("private-a")
        fixture.settle()
        fixture.pusher.unsubscribe("private-a")
        fixture.pusher.subscribe("private-a")
        fixture.settle()
        let answers = authority.pending.withLockedValue { $0 }
        #expect(answers.count == 2)
        answers[0](PusherAuth(auth: "k:first"))
        fixture.settle()
        #expect(fixture.sent.isEmpty)
        answers[1](PusherAuth(auth: "k:second"))
        fixture.settle()
        #expect(fixture.sent == [#"{"event":"pusher:subscribe","data":{"channel":"private-a","auth":"k:second"}}"#])
    }
}
