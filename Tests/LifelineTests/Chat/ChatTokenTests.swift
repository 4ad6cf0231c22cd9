import ChatProtocol
import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import Testing
import TransportCommon

@testable import Lifeline

@Suite("Tokens of chat clients (rule NP-25)", .timeLimit(.minutes(1)))
struct ChatTokenTests {
    private struct Oops: Error {}

    @Test("A token that was given is used on each connection")
    func fixed() async throws {
        let fixture = ChatFixture(access: .token("tok"))
        try await fixture.connect()
        fixture.loseLink()
        #expect(fixture.server.hellos.map(\.token) == ["tok", "tok"])
        #expect(fixture.server.hellos.map(\.isReconnect) == [false, true])
    }

    @Test("A provider is asked for each attempt")
    func provider() async throws {
        let count = NIOLockedValueBox(0)
        let fixture = ChatFixture(
            access: .provider {
                count.withLockedValue { count in
                    count += 1
                    return "tok-\(count)"
                }
            })
        try await fixture.connect()
        fixture.transport.report(.closed(ConnectionFailure(.networkUnavailable, "Reset.")))
        while fixture.transport.dials < 2, !Task.isCancelled { await fixture.letPausePass() }
        fixture.transport.report(.opened)
        while fixture.server.hellos.count < 2, !Task.isCancelled { await Task.yield() }
        #expect(fixture.server.hellos.map(\.token) == ["tok-1", "tok-2"])
    }

    @Test("A provider that refuses ends the undertaking; other errors are tried again")
    func providerFails() async throws {
        let count = NIOLockedValueBox(0)
        let fixture = ChatFixture(
            access: .provider {
                let number = count.withLockedValue { count in
                    count += 1
                    return count
                }
                if number == 1 { throw Oops() }
                throw LifelineError(.accessDenied, "Not signed in.")
            })
        let connecting = Task { () async throws in try await fixture.client.connect() }
        while fixture.client.status.phase != .failed, !Task.isCancelled { await fixture.letPausePass() }
        let error = await #expect(throws: LifelineError.self) { try await connecting.value }
        #expect(error?.code == .init(.credentialsRejected))
        #expect(count.withLockedValue { $0 } == 2)
        #expect(fixture.transport.dials == 0)
    }

    @Test("A disconnect while the token is asked for ends the asking")
    func disconnected() async throws {
        let isAsked = NIOLockedValueBox(false)
        let fixture = ChatFixture(
            access: .provider {
                isAsked.withLockedValue { $0 = true }
                // Code that never ends by itself; the disconnect cancels it.
                try await Task.sleep(for: .seconds(3600))
                return "late"
            })
        let connecting = Task { () async throws in try await fixture.client.connect() }
        while !isAsked.withLockedValue({ $0 }), !Task.isCancelled { await Task.yield() }
        await fixture.client.disconnect()
        let error = await #expect(throws: LifelineError.self) { try await connecting.value }
        #expect(error?.code == .disconnected)
        #expect(fixture.transport.dials == 0)
    }

    private func issuer(_ http: ScriptedHTTP = ScriptedHTTP()) -> ChatTokenIssuer {
        ChatTokenIssuer(
            settings: ChatAdapterSettings(
                appKey: "app-key", host: ServiceHost("h", port: 80, tls: false), path: "/chat",
                access: .secret("app-secret", user: "ann", name: "Ann"),
                device: ChatDevice(id: "d", system: "Linux"), yields: false, tracksPresence: false),
            http: http, limit: .seconds(1), unixSeconds: { 1_700_000_000 })
    }

    @Test("With a secret a token is issued by a signed request")
    func issued() async throws {
        let http = ScriptedHTTP {
            .success(
                HTTPCallAnswer(
                    status: 200, body: Array(#"{"code":0,"result":{"userId":"ann","accessToken":"tok-9"}}"#.utf8), url: $0.url))
        }
        #expect(try await issuer(http).token() == "tok-9")
        let call = try #require(http.sent.first)
        #expect(call.method == "POST")
        #expect(call.url == "http://h:80/chat/v4/auth/access-token/issue")
        #expect(String(decoding: call.body, as: UTF8.self) == #"{"userId":"ann","name":"Ann"}"#)
        func header(_ name: String) -> String { call.headers.first { $0.name == name }?.value ?? "" }
        #expect(header("App-Key") == "app-key")
        #expect(header("Timestamp") == "1700000000999")
        #expect(
            ChatServerSignature.isValid(
                header("Signature"), secret: "app-secret", nonce: header("Nonce"), timestamp: "1700000000999"))
        #expect(!call.headers.contains { $0.value.contains("app-secret") })
    }

    @Test(
        "An answer without a token is a failure of its kind",
        arguments: [
            (401, #"{"code":1004,"errorMessage":"no"}"#, StatusCategory.refused), (403, "", .refused),
            (404, "<html>", .refused), (429, "{}", .overloaded), (503, "{}", .overloaded), (200, "{}", .malformedResponse),
            (200, "<html>", .malformedResponse), (302, "", .malformedResponse), (511, "<html>", .malformedResponse),
            (407, "", .proxyUnavailable), (408, "", .timeout), (500, "", .overloaded),
        ])
    func answers(status: Int, body: String, category: StatusCategory) {
        let answer = HTTPCallAnswer(status: status, body: Array(body.utf8), url: "http://h/")
        let error = #expect(throws: ConnectionFailure.self) { try ChatTokenIssuer.token(in: answer) }
        #expect(error?.category == category)
        #expect(error?.httpStatus == status)
        if status == 200, !body.hasPrefix("{") { #expect(error?.reason.contains("sign-in") == true) }
    }

    @Test("A clock that is off: the request is made again with the server's time, and later ones begin with it (LL-60, LL-61)")
    func clock() async throws {
        let served = 1_700_003_600
        let http = ScriptedHTTP { call in
            let timestamp = call.headers.first { $0.name == "Timestamp" }.flatMap { Int($0.value) } ?? 0
            let isNow = abs(timestamp / 1000 - served) < 300
            let body = isNow ? #"{"code":0,"result":{"accessToken":"tok"}}"# : #"{"code":1004}"#
            return .success(
                HTTPCallAnswer(
                    status: isNow ? 200 : 401, headers: [HTTPField("Date", HTTPDate.text(unixTime: Int64(served)))],
                    body: Array(body.utf8), url: call.url))
        }
        let issuer = issuer(http)
        #expect(try await issuer.token() == "tok")
        #expect(http.sent.count == 2)
        let nonces = Set(http.sent.compactMap { call in call.headers.first { $0.name == "Nonce" }?.value })
        #expect(nonces.count == 2)
        #expect(try await issuer.token() == "tok")
        #expect(http.sent.count == 3)
    }

    @Test("A refusal with the right time is the issuer's, and is not asked for twice (LL-61)")
    func refusedByIssuer() async throws {
        let http = ScriptedHTTP { call in
            .success(
                HTTPCallAnswer(
                    status: 401, headers: [HTTPField("Date", HTTPDate.text(unixTime: 1_700_000_010))],
                    body: Array(#"{"code":1004}"#.utf8), url: call.url))
        }
        let issuer = issuer(http)
        let error = await #expect(throws: ConnectionFailure.self) { try await issuer.token() }
        #expect(error?.category == .refused && error?.httpStatus == 401 && error?.reason.contains("secret") == true)
        #expect(http.sent.count == 1)
    }

    @Test("Credentials do not print their secret")
    func secrecy() {
        let credentials = ChatCredentials(secret: "s3cret", user: "ann", name: "Ann")
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!dumped.contains("s3cret"))
        #expect(!"\(credentials)".contains("s3cret"))
        #expect(!"\(NexconnAccess.secret("s3cret", user: "ann"))".contains("s3cret"))
    }
}
