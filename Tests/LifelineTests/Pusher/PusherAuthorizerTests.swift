import ConnectionEngine
import HTTPTransport
import PusherProtocol
import Testing

@testable import Lifeline

@Suite("Authorising Pusher's channels", .timeLimit(.minutes(1)))
struct PusherAuthorizerTests {
    @Test("LL-12: with the secret the client signs itself, and says who it is on presence channels")
    func secret() async throws {
        let info = #"{"name":"Ann"}"#
        let result = await run(.secret("s3cret", appID: "7"), "presence-x", user: Member(id: "ann", info: info))
        let grant = try result.get()
        #expect(grant.channelData == #"{"user_id":"ann","user_info":{"name":"Ann"}}"#)
        let expected = PusherSignature.channelAuth(
            socketID: "1.2", channel: "presence-x", channelData: grant.channelData, key: "key", secret: "s3cret")
        #expect(grant.auth == expected)
    }

    @Test("LL-12: presence without a user, and encryption without a key, are refused with words that help")
    func secretRefuses() async {
        let presence = await failure(.secret("s3cret", appID: "7"), "presence-x")
        #expect(presence?.reason.contains("user id") == true)
        let encrypted = await failure(.secret("s3cret", appID: "7"), "private-encrypted-x")
        #expect(encrypted?.reason.contains("master key") == true)
        let info = await failure(.secret("s3cret", appID: "7"), "presence-x", user: Member(id: "a", info: "{no"))
        #expect(info?.reason == "The user's info is not JSON: `info` of `user` in `pusher(…)` must be JSON text.")
    }

    @Test("LL-70: a content type of the app's own takes the place of ours", arguments: ["Content-Type", "content-type"])
    func contentType(_ name: String) {
        let job = PusherAuthorizeJob(channel: "private-a", socketID: "1.1", purpose: .subscription)
        let call = PusherAuthorizer.request(
            job, url: "http://a/auth", headers: [name: "application/x-www-form-urlencoded; charset=utf-8"])
        #expect(call.headers == [HTTPField(name, "application/x-www-form-urlencoded; charset=utf-8")])
    }

    @Test("LL-12: an endpoint is asked with a percent-encoded form and its own headers")
    func endpoint() async throws {
        let http = ScriptedHTTP {
            .success(HTTPCallAnswer(status: 200, body: Array(#"{"auth":"k:s","shared_secret":"abc"}"#.utf8), url: $0.url))
        }
        let grant = try await run(.endpoint("http://a/auth", headers: ["X-A": "b"]), "private-a,b", http: http).get()
        #expect(grant == PusherAuthorization(auth: "k:s", sharedSecret: "abc"))
        let call = try #require(http.sent.first)
        #expect(call.method == "POST")
        #expect(call.headers == [HTTPField("X-A", "b"), HTTPField("Content-Type", "application/x-www-form-urlencoded")])
        #expect(String(decoding: call.body, as: UTF8.self) == "socket_id=1.2&channel_name=private-a%2Cb")
    }

    @Test(
        "LL-12: an endpoint's refusal keeps its status",
        arguments: [(403, StatusCategory.accessDenied), (401, .accessDenied), (500, .unknown)])
    func endpointRefuses(status: Int, category: StatusCategory) async {
        let http = ScriptedHTTP { .success(HTTPCallAnswer(status: status, url: $0.url)) }
        let failure = await failure(.endpoint("http://a/auth"), "private-a", http: http)
        #expect(failure?.httpStatus == status)
        if category == .accessDenied { #expect(failure?.category == .accessDenied) }
    }

    @Test("LL-12: an endpoint's answer that is no authorisation is malformed")
    func endpointMalformed() async {
        let http = ScriptedHTTP { .success(HTTPCallAnswer(status: 200, body: Array("<html>".utf8), url: $0.url)) }
        #expect(await failure(.endpoint("http://a/auth"), "private-a", http: http)?.category == .malformedResponse)
    }

    @Test("LL-12: code of one's own may refuse for good; the text of other errors stays out")
    func custom() async {
        struct Odd: Error { let secret = "s3cret" }
        let denied = await failure(.custom { _ in throw LifelineError(.accessDenied, "Not you.") }, "private-a")
        #expect(denied == ConnectionFailure(.accessDenied, "Not you."))
        let odd = await failure(.custom { _ in throw Odd() }, "private-a")
        #expect(odd?.category == .unknown)
        #expect(odd?.reason.contains("s3cret") == false)
    }

    @Test("LL-12: cancelling the job cancels the code")
    func cancel() async {
        let authorizer = authorizer(
            .custom { _ in
                // Code that never ends by itself; the test cancels it.
                try await Task.sleep(for: .seconds(3600))
                return PusherAccess.Grant(auth: "")
            })
        let result = await withCheckedContinuation { continuation in
            let cancel = authorizer.start(job("private-a")) { continuation.resume(returning: $0) }
            cancel()
        }
        let cancelled = ConnectionFailure(.cancelled, "The app's authorisation code was cancelled before it returned.")
        #expect(result == .failure(cancelled))
    }

    private func authorizer(_ access: PusherAccess, user: Member? = nil, http: ScriptedHTTP = ScriptedHTTP()) -> PusherAuthorizer
    {
        let host = ServiceHost("h", port: 80, tls: false)
        return PusherAuthorizer(
            settings: PusherSettings(key: "key", host: host, api: host, path: nil, access: access, user: user), http: http,
            limit: .seconds(2))
    }

    private func job(_ channel: String) -> PusherAuthorizeJob {
        PusherAuthorizeJob(channel: channel, socketID: "1.2", purpose: .subscription)
    }

    private func run(
        _ access: PusherAccess, _ channel: String, user: Member? = nil, http: ScriptedHTTP = ScriptedHTTP()
    ) async -> Result<PusherAuthorization, ConnectionFailure> {
        let authorizer = authorizer(access, user: user, http: http)
        return await withCheckedContinuation { continuation in
            _ = authorizer.start(job(channel)) { continuation.resume(returning: $0) }
        }
    }

    private func failure(
        _ access: PusherAccess, _ channel: String, user: Member? = nil, http: ScriptedHTTP = ScriptedHTTP()
    ) async -> ConnectionFailure? {
        guard case .failure(let failure) = await run(access, channel, user: user, http: http) else { return nil }
        return failure
    }
}
