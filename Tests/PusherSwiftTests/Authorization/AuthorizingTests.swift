import ConnectionEngine
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The five methods, through the real session on a scripted socket and scripted HTTP. Rules PA-30 to PA-39.
struct AuthorizingTests {
    private static let url = "http://localhost:9292/pusher/auth"

    private func fixture(_ method: AuthMethod) -> Fixture {
        Fixture(options: PusherClientOptions(authMethod: method))
    }

    private func auths(_ fixture: Fixture) -> [String] {
        fixture.settle()
        return fixture.sent.compactMap { text in
            let object = AnyJSON.parse(text) as? [String: Any]
            let data = object?["data"] as? [String: Any]
            guard let auth = data?["auth"] as? String else { return nil }
            return auth + ((data?["channel_data"] as? String).map { " \($0)" } ?? "")
        }
    }

    @Test(arguments: ["private-test-channel", "private-reservations-for-venue@venue_id=399ccd9a;date=2017-01-13"])
    func `an endpoint authorises`(name: String) {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        fixture.http.answer(200, #"{"auth":"testKey123:12345678gfder78ikjbg"}"#)
        fixture.pusher.subscribe(name)
        fixture.connect()
        #expect(auths(fixture) == ["testKey123:12345678gfder78ikjbg"])
        #expect(fixture.http.requests.map(\.url.absoluteString) == [Self.url])
        fixture.confirm(name)
        #expect(fixture.delegate.lines.last == "subscribed \(name)")
    }

    @Test(arguments: [(403, "forbidden"), (200, "{}"), (200, "<html></html>"), (400, String(repeating: "x", count: 4000))])
    func `an endpoint that refuses is seen by callbacks and delegate`(status: Int, body: String) {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        let notebook = Notebook()
        fixture.http.answer(status, body)
        let channel = fixture.pusher.subscribe("private-a")
        fixture.pusher.bind { notebook.note("\($0.eventName) \($0.channelName ?? "-") \($0.data?.prefix(9) ?? "-")") }
        fixture.connect()
        #expect(notebook.lines == ["pusher:subscription_error private-a \(body.prefix(9))"])
        let failure = fixture.delegate.failures.first
        #expect(failure?.name == "private-a" && failure?.status == status && failure?.data == String(body.prefix(1024)))
        #expect(failure?.error?.domain == "com.pusher.PusherSwift" && failure?.error?.code == status)
        #expect(!channel.subscribed && fixture.connection.connectionState == .connected)
    }

    @Test func `an endpoint that fails for now is asked again`() {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        fixture.http.answer(500, "")
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(fixture.delegate.failures.map(\.status) == [500])
        fixture.http.answer(200, #"{"auth":"k:s"}"#)
        fixture.timers.advance(by: .seconds(2))
        #expect(auths(fixture) == ["k:s"])
    }

    @Test func `an endpoint that does not answer is a timeout, and its late answer counts for nothing`() {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        fixture.timers.advance(by: .seconds(10))
        fixture.settle()
        #expect(fixture.delegate.failures.first?.error?.localizedDescription.contains("10") == true)
        #expect(auths(fixture).isEmpty)
    }

    @Test func `a URL that is none fails visibly`() {
        let fixture = fixture(.endpoint(authEndpoint: "not a URL"))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(fixture.delegate.failures.count == 1 && fixture.http.requests.isEmpty)
    }

    /// Hazard 8.
    // Proof of U9.
    @Test(
        arguments: [
            ("secret", "private-channel", nil, nil, "6aae8814fabd5285245422096705abbed64ea59614648814ffb0bf2dc5d19168"),
            ("secret", "private-test-channel", nil, nil, "0d0d2e7c2cd967246d808180ef0f115dad51979e48cac9ad203928141f9e6a6f"),
            (
                "superSecretSecret", "private-channel", nil, nil,
                "e1d0947a10d6ff1a25990798910b2505687bb096e3e8b6c97eef02c6b1abb4c7"
            ),
            ("secret", "presence-channel", nil, nil, "5ce61ee2b8594e22b66323913d7c7af9d8e815659365be3627733993f4ce3824"),
            ("secret", "presence-channel", "123", nil, "c2b53f001321bc088814f210fb63c259b464f590890eee2dde6387ea9b469a30"),
            ("secret", "presence-channel", "123", "friends", "80cfefb0ef08fb55353dbbc0480e6160059fac14fce862e9ed1f0121ae8a440f"),
        ] as [(String, String, String?, String?, String)])
    func `inline signatures are right and keep the key's case`(
        secret: String, name: String, user: String?, info: String?, signature: String
    ) {
        let fixture = fixture(.inline(secret: secret))
        if let user {
            fixture.connection.userDataFetcher = {
                PusherPresenceChannelMember(userId: user, userInfo: info.map { [$0: 0] })
            }
        }
        fixture.pusher.subscribe(name)
        fixture.connect()
        #expect(auths(fixture).first?.hasPrefix("testKey123:\(signature)") == true)
    }

    @Test func `user info that is no JSON fails visibly`() {
        let fixture = fixture(.inline(secret: "secret"))
        fixture.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "1", userInfo: Date()) }
        fixture.pusher.subscribe("presence-a")
        fixture.connect()
        #expect(fixture.delegate.failures.count == 1 && auths(fixture).isEmpty)
    }

    // Proof of U12.
    @Test func `without a method the failure is PusherSwift's`() {
        let fixture = fixture(.noMethod)
        let channel = fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(
            fixture.delegate.failures.first?.error?.localizedFailureReason
                == "Authentication method required for private / presence channels but none provided.")
        #expect(!channel.subscribed && fixture.http.requests.isEmpty)
    }

    final class Builder: AuthRequestBuilderProtocol {
        let asked = Notebook()
        let isEmpty: Bool

        init(isEmpty: Bool = false) { self.isEmpty = isEmpty }

        func requestFor(socketID: String, channelName: String) -> URLRequest? {
            asked.note("\(socketID) \(channelName) \(DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere")")
            guard !isEmpty, let url = URL(string: "http://localhost:9292/builder") else { return nil }
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = Data("socket_id=\(socketID)&channel_name=\(channelName)".utf8)
            request.addValue("myToken", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    @Test func `a request builder is asked on the callback queue and its request is sent`() {
        let builder = Builder()
        let fixture = fixture(.authRequestBuilder(authRequestBuilder: builder))
        fixture.http.answer(200, #"{"auth":"testKey123:authorizerblah123"}"#)
        fixture.pusher.subscribe("private-test-channel")
        fixture.connect()
        #expect(auths(fixture) == ["testKey123:authorizerblah123"])
        #expect(builder.asked.lines == ["45481.3166671 private-test-channel callbacks"])
        #expect(fixture.http.requests.first?.headers.contains(.init(name: "Authorization", value: "myToken")) == true)
    }

    @Test func `a request builder without a request fails visibly`() {
        let fixture = fixture(.authRequestBuilder(authRequestBuilder: Builder(isEmpty: true)))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        #expect(fixture.delegate.failures.count == 1 && fixture.http.requests.isEmpty)
    }

    final class Authority: Authorizer {
        let answer: PusherAuth?
        let asked = Notebook()
        let pending = NIOLockedValueBox<[@Sendable (PusherAuth?) -> Void]>([])
        let isSlow: Bool

        init(_ answer: PusherAuth?, isSlow: Bool = false) {
            self.answer = answer
            self.isSlow = isSlow
        }

        func fetchAuthValue(
            socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
        ) {
            asked.note("\(channelName) \(DispatchQueue.getSpecific(key: Fixture.marker) ?? "elsewhere")")
            if isSlow {
                pending.withLockedValue { $0.append(completionHandler) }
            } else {
                completionHandler(answer)
            }
        }
    }

    @Test func `an authorizer is asked on the callback queue`() {
        let authority = Authority(PusherAuth(auth: "k:s", channelData: #"{"user_id":"777", "user_info":{"a":"b"}}"#))
        let fixture = fixture(.authorizer(authorizer: authority))
        let channel = fixture.pusher.subscribeToPresenceChannel("presence-a")
        fixture.connect()
        #expect(auths(fixture) == [#"k:s {"user_id":"777", "user_info":{"a":"b"}}"#])
        #expect(authority.asked.lines == ["presence-a callbacks"])
        fixture.confirm("presence-a", #"{"presence":{"count":1,"ids":["777"],"hash":{"777":{"a":"b"}}}}"#)
        #expect(channel.myId == "777" && channel.me()?.userId == "777")
    }

    // Proof of P7.
    /// Hazard 7.
    // Proof of PA-35.
    @Test func `an authorizer that gives nil fails visibly`() {
        let fixture = fixture(.authorizer(authorizer: Authority(nil)))
        let notebook = Notebook()
        let channel = fixture.pusher.subscribe("private-a")
        channel.bind(eventName: "pusher:subscription_error") { _ in notebook.note("error") }
        fixture.connect()
        #expect(notebook.lines == ["error"] && fixture.delegate.lines.last == "failed private-a")
        #expect(fixture.delegate.log.contains("[PUSHER ERROR] Auth info passed to authorizer completionHandler was nil"))
    }

    @Test func `an authorizer may answer twice and late`() {
        let authority = Authority(nil, isSlow: true)
        let fixture = fixture(.authorizer(authorizer: authority))
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        let completions = authority.pending.withLockedValue { $0 }
        for completion in completions + completions { completion(PusherAuth(auth: "k:s")) }
        #expect(auths(fixture) == ["k:s"])
        fixture.pusher.subscribe("private-b")
        fixture.settle()
        fixture.lose()
        authority.pending.withLockedValue { $0 }.last?(PusherAuth(auth: "k:late"))
        #expect(auths(fixture) == ["k:s"])
    }

    @Test func `authorisation brought along is used once`() {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        fixture.http.answer(200, #"{"auth":"k:endpoint"}"#)
        let channel = fixture.pusher.subscribe("private-a", auth: PusherAuth(auth: "k:own"))
        fixture.connect()
        #expect(auths(fixture) == ["k:own"] && channel.auth == nil)
        fixture.lose()
        fixture.timers.advanceToNext()
        fixture.greet()
        #expect(auths(fixture) == ["k:endpoint"])
    }

    @Test func `authorisation given again on a connection is not used on the next one`() {
        let fixture = fixture(.endpoint(authEndpoint: Self.url))
        fixture.http.answer(200, #"{"auth":"k:endpoint"}"#)
        fixture.connect()
        let channel = fixture.pusher.subscribe("private-a", auth: PusherAuth(auth: "k:own"))
        fixture.confirm("private-a")
        fixture.pusher.subscribe("private-a", auth: PusherAuth(auth: "k:again"))
        #expect(auths(fixture) == ["k:own"] && channel.auth?.auth == "k:again")
        fixture.lose()
        fixture.timers.advanceToNext()
        fixture.transport.report(.opened)
        fixture.receive(MockSocket.greeting("9.9"))
        #expect(auths(fixture) == ["k:endpoint"] && channel.auth == nil)
    }

    @Test func `presence authorisation brought along has channel data or fails visibly`() {
        let fixture = fixture(.noMethod)
        fixture.pusher.subscribe("presence-a", auth: PusherAuth(auth: "k:s", channelData: #"{"user_id":16}"#))
        fixture.pusher.subscribe("presence-b", auth: PusherAuth(auth: "k:s"))
        fixture.connect()
        #expect(auths(fixture) == [#"k:s {"user_id":16}"#])
        #expect(fixture.delegate.failures.map(\.name) == ["presence-b"])
    }

    @Test func `a session of the app's own is used`() async {
        let fixture = fixture(.endpoint(authEndpoint: "http://127.0.0.1:1/auth"))
        fixture.connection.URLSession = URLSession(configuration: .ephemeral)
        fixture.pusher.subscribe("private-a")
        fixture.connect()
        while fixture.delegate.failures.isEmpty { await Task.yield() }
        #expect(fixture.http.requests.isEmpty && fixture.delegate.failures.first?.error != nil)
    }
}
