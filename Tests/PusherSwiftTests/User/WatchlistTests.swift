import PusherProtocol
import Testing

@testable import PusherSwift

/// Rule PA-70.
struct WatchlistTests {
    private let frame = String(
        decoding: PusherFrames.watchlistEvents([
            PusherWatchlistChange(name: "online", userIDs: ["bob", "eve"]),
            PusherWatchlistChange(name: "offline", userIDs: ["zoe"]),
        ]), as: UTF8.self)

    @Test func `changes reach the callbacks of their name, on the callback queue`() {
        let fixture = SigningInTests.signedIn()
        let notebook = Notebook()
        let watchlist = fixture.pusher.user.watchlist
        let online = watchlist.bind(eventName: "online") { notebook.note("online \($0.userIds)") }
        watchlist.bind(eventName: "offline") { notebook.note("\($0.name) \($0.userIds)") }
        watchlist.bind { _ in notebook.note(DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere") }
        fixture.receive(frame)
        #expect(notebook.lines == [#"online ["bob", "eve"]"#, "callbacks", #"offline ["zoe"]"#, "callbacks"])
        watchlist.unbind(eventName: "offline", callbackId: online)
        watchlist.unbind(callbackId: online)
        fixture.receive(frame)
        #expect(notebook.lines.count == 7)
        watchlist.unbindAll()
        fixture.receive(frame)
        #expect(notebook.lines.count == 7)
    }

    @Test func `what a callback holds may call the user and the watchlist when it is released`() {
        let fixture = SigningInTests.signedIn()
        let notebook = Notebook()
        let user = fixture.pusher.user
        func owner() -> CallingBack {
            CallingBack {
                user.unbindAll()
                user.watchlist.unbindAll()
                notebook.note("gone")
            }
        }
        let bound = user.bind { [owner = owner()] _ in _ = owner }
        user.unbind(callbackId: bound)
        let watched = user.watchlist.bind { [owner = owner()] _ in _ = owner }
        user.watchlist.unbind(callbackId: watched)
        #expect(notebook.lines == ["gone", "gone"])
    }

    // Proof of P12.
    @Test(.timeLimit(.minutes(1))) func `changes are a sequence that ends with the client`() async {
        var fixture: Fixture? = SigningInTests.signedIn()
        let events = fixture?.pusher.user.watchlist.events()
        fixture?.receive(frame)
        fixture = nil
        var seen: [String] = []
        for await event in events! { seen.append("\(event.name) \(event.userIds.count)") }
        #expect(seen == ["online 2", "offline 1"])
    }

    @Test(.timeLimit(.minutes(1))) func `events to the user are a sequence, by name or all`() async {
        let fixture = SigningInTests.signedIn()
        let named = fixture.pusher.user.events(named: "b")
        let all = fixture.pusher.user.events(limit: 2)
        for name in ["a", "b", "c"] { fixture.receive(name, on: SigningInTests.channel, "1") }
        fixture.pusher.user.unbindAll()
        var seen: [String] = []
        for await event in named { seen.append(event.eventName) }
        for await event in all { seen.append(event.eventName) }
        #expect(seen == ["b", "b", "c"])
    }

    @Test func `a message that cannot be read is told in the log`() {
        let fixture = SigningInTests.signedIn()
        fixture.receive(#"{"event":"pusher_internal:watchlist_events","data":"{}"}"#)
        #expect(fixture.delegate.log.last?.contains("watchlist") == true)
    }
}
