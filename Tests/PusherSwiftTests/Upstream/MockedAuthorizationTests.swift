import Dispatch
import Foundation
import Testing

@testable import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What upstream's tests of authorisation expect, with a mock socket and a mock `URLSession` as they have them.
struct MockedAuthorizationTests {
    private let socket = MockSocket()
    private let notebook = Notebook()
    private static var endpoint: AuthMethod { .endpoint(authEndpoint: "http://localhost:9292/pusher/auth") }

    private func fixture(_ method: AuthMethod, _ status: Int = 200, _ body: String = "") -> Fixture {
        let fixture = Fixture(options: PusherClientOptions(authMethod: method, autoReconnect: false))
        fixture.connection.socket = socket
        fixture.connection.URLSession = MockSession.answering(status, body)
        return fixture
    }

    private func subscribe(_ name: String, _ fixture: Fixture, auth: PusherAuth? = nil) -> PusherChannel {
        let channel = fixture.pusher.subscribe(name, auth: auth)
        channel.bind(eventName: "pusher:subscription_succeeded") { [notebook] _ in notebook.note("succeeded") }
        fixture.pusher.connect()
        fixture.settle()
        return channel
    }

    // Proof of U1.
    @Test(
        arguments: [
            "private-test-channel",
            "private-reservations-for-venue@venue_id=399edd2d-3f4a-43k9-911c-9e4b6bdf0f16;date=2017-01-13",
        ])
    func `an endpoint authorises a channel`(name: String) throws {
        let fixture = fixture(Self.endpoint, 200, #"{"auth":"testKey123:12345678gfder78ikjbg"}"#)
        #expect(subscribe(name, fixture).subscribed && fixture.delegate.lines.last == "subscribed \(name)")
        #expect(socket.sent.last?.contains(#""auth":"testKey123:12345678gfder78ikjbg""#) == true)
        let request = try #require((fixture.connection.URLSession as? MockSession)?.requests.first)
        #expect(request.httpMethod == "POST")
        let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        #expect(body.hasPrefix("socket_id=45481.3166671&channel_name=private-") && !body.contains("@"))
    }

    // Proof of U1.
    @Test func `a secret authorises a channel`() {
        #expect(subscribe("private-channel", fixture(.inline(secret: "secret"))).subscribed && notebook.lines == ["succeeded"])
    }

    // Proof of U1.
    @Test func `without a method a channel stays unsubscribed`() {
        let fixture = fixture(.noMethod)
        #expect(!subscribe("private-test-channel", fixture).subscribed)
        #expect(fixture.delegate.lines.last == "failed private-test-channel" && socket.sent.isEmpty)
    }

    // Proof of U1.
    @Test func `an endpoint's 500 without a body is an event, on the callback queue`() {
        let fixture = fixture(Self.endpoint, 500)
        fixture.pusher.bind { [notebook] event in
            let queue = DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere"
            notebook.note("\(event.eventName) \(event.channelName ?? "-") '\(event.data ?? "-")' \(queue)")
        }
        #expect(!subscribe("private-test-channel", fixture).subscribed)
        #expect(notebook.lines == ["pusher:subscription_error private-test-channel '' callbacks"])
        #expect(fixture.delegate.failures.first?.status == 500)
    }

    // Proof of U1.
    @Test func `a request builder's header is sent`() throws {
        let method = AuthMethod.authRequestBuilder(authRequestBuilder: AuthorizingTests.Builder())
        let fixture = fixture(method, 200, #"{"auth":"testKey123:12345678gfder78ikjbg"}"#)
        #expect(subscribe("private-test-channel", fixture).subscribed)
        let request = try #require((fixture.connection.URLSession as? MockSession)?.requests.first)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "myToken")
    }

    // Proof of U1.
    @Test(
        arguments: [
            ("private-manual-auth", nil), ("presence-manual-auth", #"{"user_id":16,"user_info":{"twitter":"hamchapman"}}"#),
        ] as [(String, String?)])
    func `authorisation brought along is sent as it is`(name: String, channelData: String?) {
        let auth = PusherAuth(auth: "testKey123:12345678gfder78ikjbgmanualauth", channelData: channelData)
        #expect(subscribe(name, fixture(.noMethod), auth: auth).subscribed)
        #expect(socket.sent.last?.contains("testKey123:12345678gfder78ikjbgmanualauth") == true)
    }

    // Proof of U1.
    @Test(
        arguments: [("private-a", nil), ("presence-a", #"{"user_id":"777", "user_info":{"twitter":"hamchapman"}}"#)]
            as [(String, String?)])
    func `an authorizer's answer is sent as it is`(name: String, channelData: String?) throws {
        let authority = AuthorizingTests.Authority(PusherAuth(auth: "testKey123:blah", channelData: channelData))
        let channel = subscribe(name, fixture(.authorizer(authorizer: authority)))
        #expect(channel.subscribed)
        let frame = try #require(AnyJSON.parse(socket.sent.last ?? "") as? [String: Any])
        #expect((frame["data"] as? [String: Any])?["channel_data"] as? String == channelData)
        #expect((channel as? PusherPresenceChannel)?.myId == channelData.map { _ in "777" })
    }
}
