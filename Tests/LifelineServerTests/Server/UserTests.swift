import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

/// Two applications that have everything in common but their credentials.
let twins: [Application] = {
    var other = quietApplication
    (other.id, other.key, other.secret) = ("1002", "other-key", "other-secret")
    return [quietApplication, other]
}()

@Suite("Users, watchlists and terminating (SP-13 to SP-16, HB-50 to HB-53)", .timeLimit(.minutes(1)))
struct UserTests {
    private let clock = ManualClock()

    /// Two event loops, a clock that stands still, and many looks at what is due.
    private func configure(_ configuration: inout ServerConfiguration) {
        configuration.threads = 2
        configuration.clock = ServerClock(monotonic: clock.clock.monotonic, unixSeconds: ServerClock.system.unixSeconds)
        configuration.closeTimeout = .milliseconds(160)
        configuration.applications = InMemoryApplicationRegistry(twins)
    }

    private func events(_ text: String) -> String { #"{"events":[\#(text)]}"# }

    @Test("A sign-in is answered with the same user data as text, then with those of the watchlist who are online (7.4)")
    func online() async throws {
        try await withServer(quietApplication, configure) { server in
            let bob = try await TestClient.connect(server)
            try await bob.signIn("bob")
            let ann = try await TestClient.connect(server)
            let userData = #"{"id":"ann","user_info":{"name":"<Ä>"},"watchlist":["bob","cid"]}"#
            let answer = try await ann.signIn(userData: userData)
            #expect(answer.dataIsString)
            #expect(try #require(answer.data).contains(#""user_data":""#))
            let list = try await ann.expect(PusherEventName.watchlistEvents)
            #expect(list.dataIsString && list.channel == nil)
            #expect(list.data == events(#"{"name":"online","user_ids":["bob"]}"#))
            try await ann.expectSilence()
            try await bob.expectSilence()
        }
    }

    // Proof of G2.
    @Test("Watchers hear of the first connection and of the end of the last one, over all event loops")
    func comingAndGoing() async throws {
        try await withServer(quietApplication, configure) { server in
            var watchers: [TestClient] = []
            for number in 0..<4 {
                watchers.append(try await TestClient.connect(server))
                try await watchers[number].signIn("w\(number)", watching: ["bob"])
            }
            var bobs: [TestClient] = []
            for _ in 0..<4 {
                let bob = try await TestClient.connect(server)
                try await bob.signIn("bob")
                bobs.append(bob)
            }
            for watcher in watchers {
                #expect(
                    try await watcher.expect(PusherEventName.watchlistEvents).data
                        == events(#"{"name":"online","user_ids":["bob"]}"#))
            }
            for bob in bobs {
                for watcher in watchers { try await watcher.expectSilence() }
                clock.advance(by: 5)
                try await bob.sendClose(1000)
                #expect(try await bob.next() == .close(1000, ""))
                #expect(try await bob.next() == .end)
            }
            // Within the grace nobody hears of it.
            for watcher in watchers { try await watcher.expectSilence() }
            clock.advance(by: 3)
            for watcher in watchers {
                #expect(
                    try await watcher.expect(PusherEventName.watchlistEvents).data
                        == events(#"{"name":"offline","user_ids":["bob"]}"#))
            }
        }
    }

    // Proof of SP-15.
    @Test("Of a watchlist that is too long the first are watched, with error 4302")
    func tooLong() async throws {
        try await withServer(quietApplication, configure) { server in
            let ann = try await TestClient.connect(server)
            try await ann.signIn("ann", watching: (0..<101).map { "u\($0)" })
            let error = try await ann.expectError()
            #expect(error.code == 4302)
            #expect(error.message.contains("100"))
            // A client that nobody holds hangs up, and who comes and goes within a batch is no news.
            let (last, tooMany) = (try await TestClient.connect(server), try await TestClient.connect(server))
            try await tooMany.signIn("u100")
            try await last.signIn("u99")
            #expect(
                try await ann.expect(PusherEventName.watchlistEvents).data == events(#"{"name":"online","user_ids":["u99"]}"#))
            for client in [last, tooMany] { try await client.expectSilence() }
        }
    }

    @Test(
        "A watchlist that is none is refused with a text that says so, and the connection is not signed in",
        arguments: [#"{"a":1}"#, #""bob""#, "5", #"[["bob"]]"#, #"[""]"#, "[null]", "[{}]"])
    func malformed(watchlist: String) async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            let error = try await ann.failToSignIn(userData: #"{"id":"ann","watchlist":\#(watchlist)}"#)
            #expect(error.code == 4009)
            #expect(error.message.contains("watchlist"))
            try await ann.requestSubscription("#server-to-user-ann")
            #expect(try await ann.expectError().code == 4009)
            try await ann.signIn("ann")
        }
    }

    @Test("Signing in again as the same user replaces the watchlist; as another one it fails")
    func again() async throws {
        try await withServer(quietApplication, configure) { server in
            let bob = try await TestClient.connect(server)
            try await bob.signIn("bob")
            let ann = try await TestClient.connect(server)
            try await ann.signIn("ann")
            try await ann.signIn("ann", watching: ["bob", "ann"])
            #expect(
                try await ann.expect(PusherEventName.watchlistEvents).data
                    == events(#"{"name":"online","user_ids":["bob","ann"]}"#))
            #expect(try await ann.failToSignIn(userData: #"{"id":"bob"}"#).code == 4009)
            try await ann.expectSilence()
        }
    }

    @Test("Users whose ids only look the same share neither channel nor name nor end (HB-11)")
    func equivalentIDs() async throws {
        try await withServer(quietApplication, configure) { server in
            // The first letter is the Kelvin sign.
            let (own, foreign) = ("#server-to-user-Kim", "#server-to-user-\u{212A}im")
            let kim = try await TestClient.connect(server)
            try await kim.signIn("Kim")
            try await kim.subscribe(own)
            let other = try await TestClient.connect(server)
            try await other.signIn("\u{212A}im")
            try await other.requestSubscription(own)
            #expect(try await other.expectError().code == 4009)
            try await other.subscribe(foreign)
            try await kim.requestSubscription(foreign)
            #expect(try await kim.expectError().code == 4009)
            let both = #"{"name":"e","channels":["\#(own)","\#(foreign)"],"data":"1"}"#
            #expect(try await server.post("/apps/1001/events", both).status == 200)
            for client in [kim, other] { try await client.expect("e") }
            try server.publish(channel: own, event: "secret", data: "1")
            try await kim.expect("secret")
            try await other.expectSilence()
            // The path is signed as it came or decoded, so one form is enough.
            let target = server.signedTarget("POST", "/apps/1001/users/%E2%84%AAim/terminate_connections")
            #expect(try await server.request("POST", target).status == 200)
            #expect(try await other.expectFarewell() == 4009)
            try await kim.expectSilence()
        }
    }

    @Test("Without user authentication a sign-in says what to do")
    func switchedOff() async throws {
        var application = quietApplication
        application.allowsUserAuthentication = false
        try await withServer(application) { server in
            let ann = try await TestClient.connect(server)
            let error = try await ann.failToSignIn(userData: #"{"id":"ann"}"#)
            #expect(error.code == 4009)
            #expect(error.message.contains("switch it on"))
            try await ann.expectSilence()
        }
    }

    @Test("Terminating ends all signed-in connections of the user, on every event loop, and nobody else's")
    func terminate() async throws {
        try await withServer(quietApplication, configure) { server in
            var hit: [TestClient] = []
            var spared: [TestClient] = []
            for _ in 0..<4 {
                let ann = try await TestClient.connect(server)
                try await ann.signIn("ann")
                hit.append(ann)
                let twin = try await TestClient.connect(server, key: "other-key", secret: "other-secret")
                try await twin.signIn("ann")
                let bob = try await TestClient.connect(server)
                try await bob.signIn("bob")
                // Known by presence only, which is no sign-in.
                let present = try await TestClient.connect(server)
                try await present.subscribe("presence-x\(hit.count)", user: "ann")
                spared += [twin, bob, present]
            }
            #expect(try await server.post("/apps/1001/users/ann/terminate_connections", "{}").status == 200)
            for ann in hit { #expect(try await ann.expectFarewell() == 4009) }
            for other in spared { try await other.expectSilence() }
            let back = try await TestClient.connect(server)
            try await back.signIn("ann")
        }
    }

    @Test("Applications with the same user ids do not hear of each other")
    func apart() async throws {
        try await withServer(quietApplication, configure) { server in
            let ann = try await TestClient.connect(server)
            try await ann.signIn("ann", watching: ["bob", "last"])
            let twin = try await TestClient.connect(server, key: "other-key", secret: "other-secret")
            try await twin.signIn("bob")
            let last = try await TestClient.connect(server)
            try await last.signIn("last")
            #expect(
                try await ann.expect(PusherEventName.watchlistEvents).data == events(#"{"name":"online","user_ids":["last"]}"#))
            for client in [twin, last] { try await client.expectSilence() }
        }
    }

    @Test("A signed-in user joins presence channels as such, with both forms of signature that pusher-js sends")
    func presence() async throws {
        try await withServer(quietApplication, configure) { server in
            let ann = try await TestClient.connect(server)
            try await ann.signIn(userData: #"{"id":"ann","user_info":{"name":"Ann"}}"#)
            let joined = try await ann.subscribe("presence-a")
            #expect(joined.data == #"{"presence":{"count":1,"ids":["ann"],"hash":{"ann":{"name":"Ann"}}}}"#)
            let other = try await ann.subscribe("presence-b", user: "someone")
            #expect(PusherMember.list(parsing: other.data ?? "")?.map(\.userID) == ["someone"])
        }
    }
}
