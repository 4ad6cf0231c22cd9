import ChatProtocol
import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing
import TransportCommon

@testable import Lifeline

/// How each client uses the tokens that an app provides.
@Suite("Tokens of clients (LL-80 to LL-84)", .timeLimit(.minutes(1)))
struct TokenTests {
    /// Provides `t1`, `t2` and so on, and remembers what it was asked.
    private final class Desk: Sendable {
        private let requests = NIOLockedValueBox<[TokenRequest]>([])

        var reasons: [TokenRequest.Reason] { requests.withLockedValue { $0.map(\.reason) } }

        func token(_ request: TokenRequest) -> String {
            requests.withLockedValue { requests in
                requests.append(request)
                return "t\(requests.count)"
            }
        }

        var provider: TokenProvider { TokenProvider { AccessToken(self.token($0)) } }
    }

    /// Lets pauses pass, but no time of an attempt that is under way, until the next dial, and opens it.
    private func dialAgain(_ fixture: PubNubFixture) async {
        let dials = fixture.transport.dials
        while fixture.transport.dials == dials, !Task.isCancelled {
            if fixture.client.status.phase == .waiting { fixture.timers.advanceToNext() }
            await Task.yield()
        }
        fixture.transport.report(.opened)
        fixture.client.settle()
    }

    private static let forbidden = PubNubProblem(ConnectionFailure(.accessDenied, "Forbidden", origin: .server, httpStatus: 403))

    @Test("PubNub: polls carry the token, and a refused one is replaced by the next attempt")
    func polls() async throws {
        let desk = Desk()
        let fixture = PubNubFixture(presence: false, tokens: desk.provider)
        try await fixture.connect()
        let subscribing = Task { try await fixture.client.channel("room").subscribe() }
        while fixture.service.targets.isEmpty, !Task.isCancelled { await Task.yield() }
        _ = try await subscribing.value
        #expect(fixture.service.targets.allSatisfy { $0.contains("auth=t1") })
        fixture.service.refuse(with: Self.forbidden)
        fixture.client.settle()
        let id = try #require(fixture.service.takeHeld())
        let failure = ConnectionFailure(.networkUnavailable, "Reset.")
        fixture.transport.report(.received([LongPollInbound(id: id, result: .failure(failure))]))
        // The token of before still counts, and is refused there.
        await dialAgain(fixture)
        fixture.service.refuse(with: nil)
        await dialAgain(fixture)
        while !(fixture.service.targets.last?.contains("auth=t2") ?? false), !Task.isCancelled { await Task.yield() }
        #expect(desk.reasons == [.first, .refused])
    }

    @Test("PubNub: a call that is refused is made once more with another token, and the events tell of it")
    func calls() async throws {
        let desk = Desk()
        let http = ScriptedHTTP { call in
            let isGood = call.url.contains("auth=t2")
            let body = isGood ? #"[1,"Sent","15782703013118714"]"# : #"{"status":403,"error":true,"message":"Forbidden"}"#
            return .success(
                HTTPCallAnswer(
                    status: isGood ? 200 : 403, headers: [HTTPField("Content-Type", "application/json")], body: Array(body.utf8),
                    url: call.url))
        }
        let client = PubNubFixture(http: http, tokens: desk.provider).client
        var events = client.events.makeAsyncIterator()
        #expect(try await client.channel("room").publish(json: "1") == .accepted(id: "15782703013118714"))
        #expect(desk.reasons == [.first, .refused] && http.sent.count == 2)
        guard case .notice(let notice, _) = await events.next() else { return #expect(Bool(false), "no notice") }
        #expect(notice == ServiceNotice(.tokenRenewed, data: #"{"reason":"refused"}"#))
        #expect(try await client.channel("room").publish(json: "1") == .accepted(id: "15782703013118714"))
        #expect(http.sent.count == 3)
    }

    @Test("PubNub: a token that stays refused is the refusal, after one more attempt")
    func staysRefused() async throws {
        let desk = Desk()
        let http = ScriptedHTTP { call in
            .success(
                HTTPCallAnswer(
                    status: 403, headers: [HTTPField("Content-Type", "application/json")],
                    body: Array(#"{"status":403,"error":true,"message":"Forbidden"}"#.utf8), url: call.url))
        }
        let outcome = try await PubNubFixture(http: http, tokens: desk.provider).client.channel("room").publish(json: "1")
        guard case .refused(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(error.code == .accessDenied && http.sent.count == 2)
    }

    @Test("LL-13, LL-15: PubNub: without a token nothing is sent, so that a message is refused and not unknown")
    func none() async throws {
        struct Offline: Error {}
        let http = ScriptedHTTP { call in .success(HTTPCallAnswer(status: 200, body: [], url: call.url)) }
        let client = PubNubFixture(http: http, tokens: TokenProvider { _ in throw Offline() }).client
        let outcome = try await client.channel("room").publish(json: "1")
        guard case .refused(let error) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(http.sent.isEmpty)
        #expect(error.isPassing)
    }

    @Test("Chat: a token is used on each connection while it holds; a refused one is replaced, and the client goes on")
    func chat() async throws {
        let desk = Desk()
        let fixture = ChatFixture(access: .tokens(desk.provider))
        try await fixture.connect()
        fixture.client.settle()
        fixture.transport.report(.closed(ConnectionFailure(.networkUnavailable, "Reset.")))
        while fixture.transport.dials < 2, !Task.isCancelled { await fixture.letPausePass() }
        fixture.transport.report(.opened)
        while fixture.server.hellos.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(fixture.server.hellos.map(\.token) == ["t1", "t1"])
        fixture.receive(ChatServerFrames.bye(ChatBye(code: .tokenExpired, reason: "Expired.", mayRetry: false)))
        fixture.transport.report(.closed(ConnectionFailure(.unexpectedDisconnect, "Closed.")))
        let dials = fixture.transport.dials
        while fixture.transport.dials == dials, !Task.isCancelled { await fixture.letPausePass() }
        fixture.transport.report(.opened)
        while fixture.server.hellos.count < 3, !Task.isCancelled { await Task.yield() }
        #expect(fixture.server.hellos.last?.token == "t2" && desk.reasons == [.first, .refused])
    }

    @Test("A provider that refuses ends the attempts, in words of its own")
    func ended() async throws {
        let provider = TokenProvider { _ in throw LifelineError(.accessDenied, "Signed out.") }
        let fixture = ChatFixture(access: .tokens(provider))
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.connect() }
        #expect(error?.reason == "Signed out." && fixture.client.status.phase == .failed)
    }

    @Test("Pusher: headers of the endpoint are asked for once, and again when it has answered 401 or 403", arguments: [401, 403])
    func endpoint(status: Int) async throws {
        let desk = Desk()
        let http = ScriptedHTTP { call in
            let isGood = call.headers.contains { $0.name == "Authorization" && $0.value == "Bearer t2" }
            return .success(
                HTTPCallAnswer(
                    status: isGood ? 200 : status, body: Array((isGood ? #"{"auth":"key:sig"}"# : "no").utf8), url: call.url))
        }
        let access = PusherAccess.endpoint("http://app/auth") { ["Authorization": "Bearer \(desk.token($0))"] }
        let fixture = PusherFixture(access: access, http: http)
        try await fixture.connect()
        _ = try await fixture.client.channel("private-a").subscribe()
        _ = try await fixture.client.channel("private-b").subscribe()
        #expect(desk.reasons == [.first, .refused] && http.sent.count == 3)
    }

    @Test("Tokens appear in no description")
    func descriptions() {
        let token = AccessToken("s3cret")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token)".contains("s3cret") && !dumped.contains("s3cret") && !String(reflecting: token).contains("s3cret"))
    }
}
