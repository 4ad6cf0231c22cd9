import ConnectionEngine
import HTTPTransport
import PusherProtocol
import Testing
import TransportCommon
import WireCoding

@testable import Lifeline

@Suite("Publishing and asking over Pusher's HTTP API")
struct PusherCallerTests {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test("LL-13: the request is signed as the server checks it, and carries the data as a string")
    func signedRequest() async throws {
        let fixture = PusherFixture()
        let outcome = try await fixture.client.channel("room").publish(json: #"{"a":"b/c"}"#, event: "new price")
        #expect(outcome == .accepted(id: nil))
        let call = try #require(fixture.http.sent.first)
        #expect(call.method == "POST")
        #expect(call.url.hasPrefix("http://api:81/apps/7/events?"))
        #expect(call.headers == [HTTPField("Content-Type", "application/json")])
        #expect(
            String(decoding: call.body, as: UTF8.self) == #"{"name":"new price","channels":["room"],"data":"{\"a\":\"b/c\"}"}"#)
        try check(call)
    }

    @Test("LL-60: with a clock that is off the request is made again with the service's time")
    func clock() async throws {
        let served = 1_700_003_600
        let http = ScriptedHTTP { call in
            let isNow = call.url.contains("auth_timestamp=\(served)")
            return .success(
                HTTPCallAnswer(
                    status: isNow ? 200 : 401, headers: [HTTPField("Date", HTTPDate.text(unixTime: Int64(served)))],
                    body: Array("{}".utf8), url: call.url))
        }
        let host = ServiceHost("h", port: 80, tls: false)
        let settings = PusherSettings(
            key: "key", host: host, api: host, path: nil, access: .secret("s3cret", appID: "7"), user: nil)
        let caller = PusherCaller(
            settings: settings, credentials: PusherCredentials(appID: "7", secret: "s3cret", encryptionMasterKey: nil),
            http: http,
            limit: .seconds(1), unixSeconds: { 1_700_000_000 })
        let publication = try Publication(channel: "room", event: "e", value: 1)
        #expect(try await caller.publish(publication) == .accepted(id: nil))
        #expect(try await caller.publish(publication) == .accepted(id: nil))
        #expect(http.sent.count == 3)
    }

    @Test("LL-13: behind a path of its own host the API is asked there, and signed without it")
    func prefix() throws {
        let host = ServiceHost("h", port: 80, tls: false)
        for (path, api, start) in [
            ("/real/time/", host, "http://h:80/real/time/apps/7/events?"), ("/", host, "http://h:80/apps/7/events?"),
            ("/real", ServiceHost("api", port: 81, tls: false), "http://api:81/apps/7/events?"),
        ] {
            let settings = PusherSettings(
                key: "key", host: host, api: api, path: path, access: .secret("s3cret", appID: "7"), user: nil)
            let credentials = PusherCredentials(appID: "7", secret: "s3cret", encryptionMasterKey: nil)
            let caller = PusherCaller(
                settings: settings, credentials: credentials, http: ScriptedHTTP(), limit: .seconds(1),
                unixSeconds: { 1_700_000_000 })
            let call = try caller.request(for: Publication(channel: "room", event: "e", value: 1))
            #expect(call.url.hasPrefix(start))
            try check(call)
        }
    }

    @Test("LL-13: data for an encrypted channel is encrypted with the channel's key")
    func encrypted() async throws {
        let fixture = PusherFixture(
            access: .secret("s3cret", appID: "7", encryptionMasterKey: PusherAccess.base64(key)))
        let channel = "private-encrypted-room"
        _ = try await fixture.client.channel(channel).publish(json: #""hello""#)
        let call = try #require(fixture.http.sent.first)
        let data = try #require(try JSONText(bytes: call.body)["data"]?.string)
        let secret = PusherEncryption.sharedSecret(channel: channel, masterKey: key)
        #expect(try PusherEncryption.decrypt(data, sharedSecret: secret) == #""hello""#)
        try check(call)
    }

    @Test("LL-13: without a master key an encrypted channel is refused before anything is sent")
    func encryptedWithoutKey() async {
        let fixture = PusherFixture()
        let error = await #expect(throws: LifelineError.self) {
            try await fixture.client.channel("private-encrypted-room").publish(1)
        }
        #expect(error?.code == .badRequest)
        #expect(fixture.http.sent.isEmpty)
    }

    @Test("A channel name that the service does not take is refused before anything is sent")
    func badName() async {
        let fixture = PusherFixture()
        let error = await #expect(throws: LifelineError.self) { try await fixture.client.channel("a b").publish(1) }
        #expect(error?.code == .badRequest)
        #expect(fixture.http.sent.isEmpty)
    }

    @Test(
        "LL-13: the status of the answer decides",
        arguments: [
            (200, "accepted"), (202, "accepted"), (400, "refused badRequest 400"), (401, "refused accessDenied 401"),
            (403, "refused accessDenied 403"), (413, "refused badRequest 413"), (429, "refused overloaded 429"),
            (500, "unknown unknown 500"), (503, "unknown unknown 503"),
        ])
    func outcomeOfStatus(status: Int, expected: String) {
        #expect(words(PusherCaller.outcome(of: HTTPCallAnswer(status: status, url: ""))) == expected)
    }

    @Test(
        "LL-13: a web page that says 200 is no answer of the service", arguments: ["text/html; charset=utf-8", "Text/HTML", nil])
    func outcomeOfPage(type: String?) {
        let page = HTTPCallAnswer(
            status: 200, headers: type.map { [HTTPField("Content-Type", $0)] } ?? [], body: Array("<html>Sign in</html>".utf8),
            url: "")
        #expect(words(PusherCaller.outcome(of: page)) == "unknown malformedResponse 200")
    }

    @Test(
        "LL-13: refused when the request cannot have left, unknown otherwise",
        arguments: [
            (ConnectionFailure(.networkUnavailable, "Refused.", errno: 111, precedesSending: true), "refused networkUnavailable"),
            (ConnectionFailure(.networkUnavailable, "Reset.", errno: 104), "unknown networkUnavailable"),
            (ConnectionFailure(.tlsUntrusted, "Expired.", precedesSending: true), "refused tlsUntrusted"),
            (ConnectionFailure(.networkUnavailable, "No route.", errno: 113), "unknown networkUnavailable"),
            (ConnectionFailure(.timeout, "Late."), "unknown timeout"),
            (ConnectionFailure(.timeout, "No connection.", precedesSending: true), "refused timeout"),
            (ConnectionFailure.cancelledByCaller, "unknown cancelled"),
        ])
    func outcomeOfFailure(failure: ConnectionFailure, expected: String) {
        #expect(words(PublishOutcome(ofRequest: failure)) == expected)
    }

    @Test("A refusal carries the service's words on one line, and not all of them")
    func refusalWords() {
        let body = Array(("first\r\nsecond" + String(repeating: "x", count: 500)).utf8)
        guard case .refused(let error) = PusherCaller.outcome(of: HTTPCallAnswer(status: 400, body: body, url: "")) else {
            Issue.record("not refused")
            return
        }
        #expect(error.reason.contains("first second"))
        #expect(error.reason.count < 300)
    }

    @Test("LL-25: who is on a presence channel is a signed question; ids are texts or numbers")
    func members() async throws {
        let fixture = PusherFixture(
            http: ScriptedHTTP {
                .success(HTTPCallAnswer(status: 200, body: Array(#"{"users":[{"id":"ann"},{"id":7},{}]}"#.utf8), url: $0.url))
            })
        let members = try await fixture.client.channel("presence-a=b").members()
        #expect(members == [Member(id: "ann"), Member(id: "7")])
        let call = try #require(fixture.http.sent.first)
        #expect(call.method == "GET")
        #expect(call.url.hasPrefix("http://api:81/apps/7/channels/presence-a=b/users?"))
        #expect(call.body.isEmpty)
        try check(call, "GET", "/apps/7/channels/presence-a=b/users")
    }

    @Test(
        "LL-25: an answer without users is an error",
        arguments: [
            (200, "<html>", "malformedResponse"), (200, "[]", "malformedResponse"), (401, "Wrong.", "accessDenied"),
            (400, "No.", "badRequest"), (503, "", "overloaded"),
        ])
    func membersRefused(status: Int, body: String, expected: String) async {
        let fixture = PusherFixture(
            http: ScriptedHTTP { .success(HTTPCallAnswer(status: status, body: Array(body.utf8), url: $0.url)) })
        let error = await #expect(throws: LifelineError.self) {
            _ = try await fixture.client.channel("presence-room").members()
        }
        #expect(error?.code.rawValue == expected)
        #expect(error.map { !"\($0)".contains("s3cret") } == true)
    }

    @Test("LL-25: without the app's secret nobody can be asked")
    func membersWithoutSecret() async {
        let fixture = PusherFixture(access: .none)
        let error = await #expect(throws: LifelineError.self) {
            _ = try await fixture.client.channel("presence-room").members()
        }
        #expect(
            error
                == .unsupported(
                    feature: "question who is on a channel without the app's secret", service: "Pusher Channels"))
    }

    @Test("LL-28: what a cache channel keeps cannot be kept out of it")
    func cachedAnyway() async {
        let fixture = PusherFixture()
        let error = await #expect(throws: LifelineError.self) {
            _ = try await fixture.client.channel("cache-room").publish(1, options: PublishOptions(isStored: false))
        }
        #expect(error?.code == .unsupported)
        #expect(fixture.http.sent.isEmpty)
    }

    @Test("Credentials do not print their secrets")
    func noSecretsInText() {
        let credentials = PusherCredentials(appID: "7", secret: "s3cret", encryptionMasterKey: "masterkey")
        var dumped = ""
        dump(PusherAccess(kind: .secret(credentials)), to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("s3cret") && !text.contains("masterkey"))
        }
    }

    private func words(_ outcome: PublishOutcome) -> String {
        func words(_ name: String, _ error: LifelineError) -> String {
            [name, error.code.rawValue, error.number.map(String.init) ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        }
        return switch outcome {
        case .accepted: "accepted"
        case .refused(let error): words("refused", error)
        case .unknown(let error): words("unknown", error)
        }
    }

    /// As a server does.
    private func check(_ call: HTTPCall, _ method: String = "POST", _ path: String = "/apps/7/events") throws {
        let parts = call.url.split(separator: "?", maxSplits: 1)
        let parameters = parts[1].split(separator: "&").map { pair -> PusherRequestSignature.Parameter in
            let sides = pair.split(separator: "=", maxSplits: 1)
            return (String(sides[0]), String(sides[1]))
        }
        try PusherRequestSignature.check(
            method: method, path: path, parameters: parameters, body: call.body, key: "key", secret: "s3cret",
            now: 1_700_000_000)
    }
}
