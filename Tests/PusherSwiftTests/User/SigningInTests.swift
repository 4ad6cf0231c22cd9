import ConnectionEngine
import Foundation
import PusherProtocol
import Testing

@testable import PusherSwift

/// Signing in through the real session on a scripted socket. Rules PA-67, PA-69 and PA-70.
struct SigningInTests {
    static let userData = #"{"id":"ann","user_info":{"name":"Ann"}}"#
    static let channel = "#server-to-user-ann"

    static func fixture() -> Fixture {
        let options = PusherClientOptions()
        options.userAuthentication = .handler { socketID, completion in
            completion(PusherUserAuth(auth: "k:\(socketID)", userData: userData))
        }
        return Fixture(options: options)
    }

    static func confirm(_ fixture: Fixture) {
        fixture.settle()
        fixture.receive(String(decoding: PusherFrames.signinSuccess(userData: userData), as: UTF8.self))
    }

    static func signedIn() -> Fixture {
        let fixture = fixture()
        fixture.pusher.signin()
        fixture.connect()
        confirm(fixture)
        fixture.confirm(channel)
        return fixture
    }

    // Proof of P12.
    @Test func `a user is signed in, told by callbacks and delegate, and again after a reconnect`() {
        let fixture = Self.fixture()
        let notebook = Notebook()
        fixture.pusher.bind { notebook.note("\($0.eventName) \($0.data ?? "-")") }
        fixture.pusher.signin()
        fixture.pusher.signin()
        fixture.connect()
        fixture.settle()
        let signin = PusherClientFrames.signin(auth: "k:\(Fixture.socketID)", userData: Self.userData)
        #expect(fixture.sent == [signin])
        #expect(!fixture.pusher.user.isSignedIn)
        Self.confirm(fixture)
        #expect(notebook.lines == [#"pusher:signin_success {"user_data":\#(AnyJSON.quote(Self.userData))}"#])
        #expect(fixture.delegate.lines.last == "signed in ann \(Self.userData)")
        #expect(fixture.pusher.user.isSignedIn && fixture.pusher.user.userId == "ann")
        #expect(fixture.pusher.user.userData == Self.userData)
        fixture.lose()
        #expect(!fixture.pusher.user.isSignedIn && fixture.pusher.user.userId == nil)
        fixture.pusher.connect()
        fixture.greet()
        Self.confirm(fixture)
        #expect(fixture.pusher.user.isSignedIn && notebook.lines.count == 2)
    }

    @Test func `events to the user reach the user's callbacks and global ones, until they are unbound`() {
        let fixture = Self.signedIn()
        let notebook = Notebook()
        let user = fixture.pusher.user
        let id = user.bind(eventName: "hello") { notebook.note("hello \($0.data ?? "-")") }
        let all = user.bind { notebook.note("any \($0.eventName)") }
        fixture.pusher.bind { notebook.note("global \($0.eventName) \($0.channelName ?? "-")") }
        fixture.receive("hello", on: Self.channel, "1")
        fixture.receive("other", on: Self.channel, "2")
        fixture.receive("hello", on: "#server-to-user-bob", "3")
        #expect(
            notebook.lines == [
                "global hello \(Self.channel)", "hello 1", "any hello", "global other \(Self.channel)", "any other",
            ])
        user.unbind(eventName: "other", callbackId: id)
        user.unbind(callbackId: all)
        fixture.receive("hello", on: Self.channel, "4")
        #expect(notebook.lines.suffix(2) == ["global hello \(Self.channel)", "hello 4"])
        user.unbind(eventName: "hello", callbackId: id)
        fixture.receive("hello", on: Self.channel, "5")
        user.bind(eventName: "hello") { _ in notebook.note("not any more") }
        user.unbindAll(forEventName: "hello")
        fixture.receive("hello", on: Self.channel, "6")
        #expect(notebook.lines.count == 9)
    }

    @Test func `signing out ends it, and nothing of the user is told any more`() {
        let fixture = Self.signedIn()
        let notebook = Notebook()
        fixture.pusher.user.bind { notebook.note($0.eventName) }
        fixture.pusher.user.watchlist.bind { notebook.note($0.name) }
        fixture.pusher.signout()
        #expect(!fixture.pusher.user.isSignedIn)
        fixture.deliver(.message("late", Self.channel), .watchlist([PusherWatchlistChange(name: "online", userIDs: ["x"])]))
        fixture.deliver(.signedIn(PusherProtocol.PusherUser(id: "late", userData: "{}")))
        fixture.settle()
        #expect(notebook.lines == [])
        #expect(fixture.sent.last == PusherClientFrames.unsubscribe(channel: Self.channel))
        fixture.lose()
        fixture.pusher.connect()
        fixture.greet()
        #expect(fixture.sent.filter { $0.contains("signin") } == [])
    }

    @Test func `a refusal is told as an event and to the delegate, with status and body`() {
        let options = PusherClientOptions()
        options.userAuthEndpoint = "http://localhost/user-auth"
        let fixture = Fixture(options: options)
        let notebook = Notebook()
        fixture.pusher.bind { notebook.note("\($0.eventName) \($0.data ?? "-")") }
        fixture.http.answer(403, "who are you?")
        fixture.pusher.signin()
        fixture.connect()
        let reason = "The authorisation endpoint answered with HTTP 403."
        #expect(notebook.lines == [#"pusher:signin_error {"type":"AuthError","error":"\#(reason)","status":403}"#])
        #expect(fixture.delegate.failures.map(\.status) == [403])
        #expect(fixture.delegate.failures.map(\.data) == ["who are you?"])
        #expect(fixture.delegate.failures.first?.error?.code == 403)
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `the server's refusal is told with its words`() {
        let fixture = Self.fixture()
        fixture.pusher.signin()
        fixture.connect()
        fixture.settle()
        fixture.receive(String(decoding: PusherFrames.error(code: 4009, message: "Invalid signature"), as: UTF8.self))
        #expect(fixture.delegate.failures.first?.error?.localizedDescription == "Invalid signature")
        #expect(fixture.delegate.lines.suffix(2) == ["sign-in failed", "error 4009: Invalid signature"])
    }

    @Test(.timeLimit(.minutes(1))) func `waiting for the sign-in gives the user`() async throws {
        let fixture = Self.fixture()
        let pusher = fixture.pusher
        // First, since the server's greeting is for a connection that has been asked for: beside another thread's work that may come later.
        fixture.connect()
        let task = Task { try await pusher.signin() }
        while !fixture.sent.contains(where: { $0.contains("signin") }) { await Task.yield() }
        Self.confirm(fixture)
        let user = try await task.value
        #expect(user.userId == "ann" && user.userData == Self.userData && user == pusher.user.current)
        #expect(try await pusher.signin() == user)
    }

    @Test(.timeLimit(.minutes(1))) func `waiting for the sign-in throws what it failed of`() async {
        let fixture = Fixture()
        fixture.connect()
        let pusher = fixture.pusher
        let error = await #expect(throws: PusherSigninError.self) { try await pusher.signin() }
        #expect(error?.category == "badRequest" && error?.message.contains("userAuthentication is not set") == true)
        let waiting = Task { try await pusher.signin() }
        waiting.cancel()
        await #expect(throws: PusherSigninError.self) { try await waiting.value }
    }

    @Test func `a presence channel may leave it to the sign-in who the member is`() {
        let fixture = Self.signedIn()
        fixture.connection.options.authMethod = .authorizer(authorizer: Plain())
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a")
        fixture.settle()
        #expect(fixture.sent.last == PusherClientFrames.subscribe(channel: "presence-a", auth: "k:plain"))
        fixture.confirm("presence-a", #"{"presence":{"ids":["ann"],"hash":{"ann":null},"count":1}}"#)
        #expect(channel.myId == "ann" && channel.me()?.userId == "ann")
    }

    final class Plain: Authorizer {
        func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
        ) {
            completionHandler(PusherAuth(auth: "k:plain"))
        }
    }
}
