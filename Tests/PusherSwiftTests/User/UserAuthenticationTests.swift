import ConnectionEngine
import Foundation
import PusherProtocol
import Testing

@testable import PusherSwift

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The ways to vouch for a user. Rule PA-68.
struct UserAuthenticationTests {
    private func fixture(_ method: UserAuthMethod) -> Fixture {
        let options = PusherClientOptions()
        options.userAuthentication = method
        let fixture = Fixture(key: "278d425bdf160c739803", options: options)
        fixture.pusher.signin()
        return fixture
    }

    private func signin(_ fixture: Fixture) -> PusherSigninData? {
        fixture.settle()
        let text = fixture.sent.first { $0.contains("pusher:signin") }
        return text.flatMap { try? PusherEnvelope(parsing: $0) }.flatMap { PusherSigninData(parsing: $0.data) }
    }

    @Test func `an endpoint gets the socket id, and headers and fields of the app`() {
        let fixture = fixture(.endpoint(authEndpoint: "http://localhost:9292/pusher/user-auth"))
        fixture.connection.options.authHeaders = ["X-CSRF-Token": "abc"]
        fixture.connection.options.authParams = ["tenant": "a b"]
        fixture.http.answer(200, #"{"auth":"k:s","user_data":"{\"id\":\"ann\"}"}"#)
        fixture.connect()
        #expect(signin(fixture)?.auth == "k:s" && signin(fixture)?.userData == #"{"id":"ann"}"#)
        let request = fixture.http.requests.first
        #expect(request?.body == Array("socket_id=45481.3166671&tenant=a%20b".utf8))
        #expect(request?.headers.contains(.init(name: "X-CSRF-Token", value: "abc")) == true)
    }

    @Test(arguments: [#"{"auth":"k:s"}"#, #"{"auth":"k:s","user_data":"{}"}"#, #"{"auth":"k:s","user_data":"{\"id\":7}"}"#])
    func `an answer without a usable user fails clearly`(body: String) {
        let fixture = fixture(.endpoint(authEndpoint: "http://localhost/a"))
        fixture.http.answer(200, body)
        fixture.connect()
        #expect(fixture.delegate.failures.first?.error?.localizedDescription.contains("user_data") == true)
        #expect(signin(fixture) == nil)
    }

    @Test func `an endpoint that fails for now is asked again`() {
        let fixture = fixture(.endpoint(authEndpoint: "http://localhost/a"))
        fixture.http.answer(500, "")
        fixture.connect()
        #expect(fixture.delegate.failures.map(\.status) == [500])
        fixture.http.answer(200, #"{"auth":"k:s","user_data":"{\"id\":\"ann\"}"}"#)
        fixture.timers.advance(by: .seconds(2))
        #expect(signin(fixture) != nil)
    }

    /// The signature is the one of Pusher's documentation.
    @Test func `a secret signs, with the user that the app names`() {
        let fixture = fixture(.inline(secret: "7ad3773142a6692b25b8"))
        fixture.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "12345") }
        fixture.pusher.connect()
        fixture.transport.report(.opened)
        fixture.receive(#"{"event":"pusher:connection_established","data":{"socket_id":"1234.1234"}}"#)
        #expect(signin(fixture)?.userData == #"{"id":"12345"}"#)
        #expect(
            signin(fixture)?.auth
                == "278d425bdf160c739803:4708d583dada6a56435fb8bc611c77c359a31eebde13337c16ab43aa6de336ba")
    }

    @Test func `a secret signs info and watchlist as well`() {
        let fixture = fixture(.inline(secret: "s", watchlist: ["bob", "eve"]))
        fixture.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "a\"b", userInfo: ["n": 1]) }
        fixture.connect()
        #expect(signin(fixture)?.userData == #"{"id":"a\"b","user_info":{"n":1},"watchlist":["bob","eve"]}"#)
    }

    @Test func `a request of the app's own is sent as it is`() {
        final class Builder: UserAuthRequestBuilder {
            func requestFor(socketID: String) -> URLRequest? {
                var request = URLRequest(url: URL(string: "http://localhost/own?id=\(socketID)")!)
                request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let fixture = fixture(.authRequestBuilder(authRequestBuilder: Builder()))
        fixture.http.answer(200, #"{"auth":"k:s","user_data":"{\"id\":\"ann\"}"}"#)
        fixture.connect()
        #expect(signin(fixture) != nil)
        #expect(fixture.http.requests.first?.url.query == "id=45481.3166671")
        #expect(fixture.http.requests.first?.headers == [.init(name: "Authorization", value: "Bearer t")])
    }

    @Test func `what gives nothing fails visibly`() {
        final class Builder: UserAuthRequestBuilder {
            func requestFor(socketID: String) -> URLRequest? { nil }
        }
        let methods: [UserAuthMethod] = [
            .noMethod, .handler { $1(nil) }, .authRequestBuilder(authRequestBuilder: Builder()), .inline(secret: "s"),
            .endpoint(authEndpoint: "no URL"),
        ]
        for method in methods {
            let fixture = fixture(method)
            fixture.connect()
            fixture.settle()
            #expect(fixture.delegate.failures.count == 1 && signin(fixture) == nil)
            fixture.timers.advance(by: .seconds(9))
            #expect(fixture.delegate.failures.count == 1)
        }
    }

    @Test func `options for Objective-C read and write the method`() {
        let options = PusherClientOptions()
        #expect(options.userAuthEndpoint == nil && options.userAuthenticator == nil)
        options.userAuthEndpoint = "http://a/b"
        #expect(options.userAuthEndpoint == "http://a/b")
        options.userAuthenticator = UserAuthHandler { _, completion in completion(nil) }
        #expect(options.userAuthEndpoint == nil && options.userAuthenticator != nil)
        options.userAuthenticator = nil
        if case .noMethod = options.userAuthentication {} else { Issue.record("a method is left") }
    }
}
