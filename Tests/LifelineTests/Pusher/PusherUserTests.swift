import ConnectionEngine
import HTTPTransport
import PusherProtocol
import Testing
import WireCoding

@testable import Lifeline

@Suite("A signed-in user of Pusher (LL-31)", .timeLimit(.minutes(1)))
struct PusherUserTests {
    private let channel = "#server-to-user-ann"

    @Test("The client signs in by itself, and messages to the user come in the user's channel")
    func messages() async throws {
        let fixture = PusherFixture(
            user: Member(id: "ann", info: #"{"name":"Ann"}"#), signIn: .secret(watchlist: ["ben"]))
        try await fixture.connect()
        async let subscribing = fixture.client.channel(channel).subscribe()
        let data = try await signedIn(fixture)
        #expect(data == #"{"id":"ann","user_info":{"name":"Ann"},"watchlist":["ben"]}"#)
        let room = try await subscribing
        fixture.receive(##"{"event":"hi","channel":"#server-to-user-ann","data":"1"}"##)
        var iterator = room.messages.makeAsyncIterator()
        #expect(await iterator.next()?.text == "1")
        room.unsubscribe()
        // The user stays signed in; the channel can be had again.
        let again = try await fixture.client.channel(channel).subscribe()
        fixture.receive(##"{"event":"hi","channel":"#server-to-user-ann","data":"2"}"##)
        var second = again.messages.makeAsyncIterator()
        #expect(await second.next()?.text == "2")
    }

    @Test("Who is online of the watchlist, who signed in, counts and misses are notices")
    func notices() async throws {
        let fixture = PusherFixture(signIn: .secret(watchlist: ["ben", "cat"]))
        let events = fixture.client.events
        try await fixture.connect()
        _ = try await signedIn(fixture)
        fixture.receive(
            #"{"event":"pusher_internal:watchlist_events","data":{"events":[{"name":"online","user_ids":["ben"]},"#
                + #"{"name":"offline","user_ids":["cat"]}]}}"#)
        _ = try await fixture.client.channel("cache-room").subscribe()
        fixture.receive(PusherFrames.cacheMiss(channel: "cache-room"))
        fixture.receive(
            #"{"event":"pusher_internal:subscription_count","channel":"cache-room","data":"{\"subscription_count\":3}"}"#)
        var told: [String] = []
        for await event in events {
            guard case .notice(let notice, _) = event else { continue }
            told.append([notice.name.rawValue, notice.channel, notice.data].compactMap { $0 }.joined(separator: " "))
            if told.count == 5 { break }
        }
        #expect(
            told == [
                #"signedIn {"user":"ann"}"#, #"usersOnline {"users":["ben"]}"#, #"usersOffline {"users":["cat"]}"#,
                "cacheMissed cache-room", #"subscriptionCount cache-room {"count":3}"#,
            ])
    }

    @Test("Without a sign-in, or for another user, the channel is refused")
    func refused() async throws {
        let stranger = PusherFixture()
        try await stranger.connect()
        let unasked = await #expect(throws: LifelineError.self) { _ = try await stranger.client.channel(channel).subscribe() }
        #expect(unasked?.code == .badRequest)

        let ann = PusherFixture(signIn: .secret())
        try await ann.connect()
        let client = ann.client
        let subscribing = Task { () async throws in _ = try await client.channel("#server-to-user-ben").subscribe() }
        _ = try await signedIn(ann)
        let other = await #expect(throws: LifelineError.self) { try await subscribing.value }
        #expect(other?.code == .accessDenied)
    }

    @Test("A sign-in that is refused for good is a problem that is not tried again")
    func denied() async throws {
        let fixture = PusherFixture(signIn: .custom { _ in throw LifelineError(.accessDenied, "No.") })
        let events = fixture.client.events
        try await fixture.connect()
        var problems: [(code: LifelineError.Code, willRetry: Bool)] = []
        for await event in events {
            guard case .problem(let error, channel: nil, let willRetry, _) = event else { continue }
            problems.append((error.code, willRetry))
            break
        }
        #expect(problems.first?.code == .accessDenied && problems.first?.willRetry == false)
    }

    @Test("An endpoint is asked with the socket id and answers auth and user_data")
    func endpoint() async throws {
        let answer = #"{"auth":"key:signature","user_data":"{\"id\":\"ann\"}"}"#
        let fixture = PusherFixture(
            access: .none, signIn: .endpoint("http://auth/user", headers: ["X-A": "1"]), headers: ["X-Gateway": "2"],
            http: ScriptedHTTP { .success(HTTPCallAnswer(status: 200, body: Array(answer.utf8), url: $0.url)) })
        try await fixture.connect()
        await fixture.sent("pusher:signin")
        let call = try #require(fixture.http.sent.first)
        #expect(call.url == "http://auth/user")
        #expect(String(decoding: call.body, as: UTF8.self) == "socket_id=1.2")
        // What is for the service's gateway is not for the endpoint.
        #expect(
            call.headers == [HTTPField("X-A", "1"), HTTPField("Content-Type", "application/x-www-form-urlencoded")])
    }

    @Test("LL-29: header fields of the user's own go with the upgrade and with every request to the service")
    func headers() async throws {
        let fixture = PusherFixture(headers: ["X-Gateway": "2"])
        try await fixture.connect()
        #expect(
            fixture.transport.calls.contains { call in
                if case .open(_, let endpoint) = call { endpoint.headers == [.init("X-Gateway", "2")] } else { false }
            })
        #expect(try await fixture.client.channel("room").publish(1).isAccepted)
        #expect(fixture.http.sent.first?.headers.contains(HTTPField("X-Gateway", "2")) == true)
    }

    /// Waits for the sign-in and confirms it; answers the user's data.
    private func signedIn(_ fixture: PusherFixture) async throws -> String {
        await fixture.sent("pusher:signin")
        let text = try #require(fixture.texts.last { $0.contains("pusher:signin") })
        let data = try #require(try JSONText(text)["data"]?["user_data"]?.string)
        fixture.receive(PusherFrames.signinSuccess(userData: data))
        return data
    }
}
