import ConnectionEngine
import HTTPTransport
import PubNubProtocol
import Testing
import TransportCommon

@testable import Lifeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Calls to PubNub through the neutral API")
struct PubNubCallerTests {
    private func outcome(
        _ http: ScriptedHTTP, cipherKey: String? = nil, event: String = Message.defaultEvent, channel: String = "room"
    ) async throws(LifelineError) -> PublishOutcome {
        try await PubNubFixture(cipherKey: cipherKey, http: http).client.channel(channel).publish(json: #"{"a":1}"#, event: event)
    }

    private func words(_ outcome: PublishOutcome) -> String {
        switch outcome {
        case .accepted(let id): "accepted \(id ?? "")"
        case .refused(let error): "refused \(error.code)"
        case .unknown(let error): "unknown \(error.code)"
        }
    }

    @Test("A publish is a POST of the payload, and is accepted with its timetoken (LL-15)")
    func accepted() async throws {
        let http = ScriptedHTTP.json { _ in #"[1,"Sent","15782703013118714"]"# }
        #expect(try await outcome(http) == .accepted(id: "15782703013118714"))
        let call = try #require(http.sent.first)
        #expect(call.method == "POST")
        #expect(call.url.hasPrefix("http://h:80/publish/pub/sub/0/room/0?"))
        #expect(String(decoding: call.body, as: UTF8.self) == #"{"a":1}"#)
        #expect(call.headers == [HTTPField("Content-Type", "application/json")])
        #expect(!call.url.contains("custom_message_type"))
    }

    @Test("With a clock that is off a signed request is made again with the service's time (LL-60)")
    func clock() async throws {
        let served = 1_700_003_600
        let http = ScriptedHTTP { call in
            let isNow = call.url.contains("timestamp=\(served)")
            let body = isNow ? #"[1,"Sent","5"]"# : #"{"message":"Invalid Timestamp","error":true,"status":400}"#
            return .success(
                HTTPCallAnswer(
                    status: isNow ? 200 : 400,
                    headers: [
                        HTTPField("Date", HTTPDate.text(unixTime: Int64(served))), HTTPField("Content-Type", "text/javascript"),
                    ],
                    body: Array(body.utf8), url: call.url))
        }
        var settings = PubNubSettings(
            endpoint: HTTPEndpoint(host: "h", port: 80, usesTLS: false), publishKey: "pub", subscribeKey: "sub", userID: "ann",
            sdk: "test")
        settings.secretKey = "hush"
        let caller = PubNubCaller(
            host: ServiceHost("h", port: 80, tls: false), settings: settings, cipher: nil, http: http, limit: .seconds(1),
            unixSeconds: { 1_700_000_000 }, now: { .zero })
        let publication = try Publication(channel: "room", event: Message.defaultEvent, value: 1)
        #expect(try await caller.publish(publication) == .accepted(id: "5"))
        #expect(try await caller.publish(publication) == .accepted(id: "5"))
        #expect(http.sent.count == 3)
    }

    @Test("An event's name is the custom type; one that cannot be is a wrong call (LL-18)")
    func event() async throws {
        let http = ScriptedHTTP.json { _ in #"[1,"Sent","1"]"# }
        _ = try await outcome(http, event: "new-price")
        #expect(http.sent.first?.url.contains("custom_message_type=new-price") == true)
        let error = await #expect(throws: LifelineError.self) { _ = try await outcome(http, event: "e") }
        #expect(error?.code == .badRequest)
        #expect(http.sent.count == 1)
    }

    @Test("With a cipher key the payload leaves encrypted")
    func encrypted() async throws {
        let http = ScriptedHTTP.json { _ in #"[1,"Sent","1"]"# }
        _ = try await outcome(http, cipherKey: "enigma")
        let body = String(decoding: http.sent.first?.body ?? [], as: UTF8.self)
        #expect(try PubNubCipher(key: "enigma").decrypt(message: body) == #"{"a":1}"#)
    }

    @Test(
        "An answer that says no is refused; one that may come from anything on the way is unknown (LL-15)",
        arguments: [
            (400, #"[0,"Invalid Key","1"]"#, "refused badRequest"),
            (403, #"{"message":"Forbidden","error":true,"status":403}"#, "refused accessDenied"),
            (413, #"[0,"Message Too Large","1"]"#, "refused unknown"), (429, "{}", "refused overloaded"),
            (500, "{}", "unknown unknown"), (503, "{}", "unknown overloaded"), (200, "<html>", "unknown malformedResponse"),
            (200, #"[0,"Odd","1"]"#, "refused badRequest"), (200, "[]", "unknown malformedResponse"),
            (302, "", "refused malformedResponse"),
        ])
    func statuses(status: Int, body: String, expected: String) async throws {
        #expect(words(try await outcome(ScriptedHTTP.json(status: status) { _ in body })) == expected)
    }

    @Test("A request that cannot have left is refused, one that may have is unknown (LL-13)")
    func failures() async throws {
        for (failure, expected) in [
            (ConnectionFailure(.timeout, "Late."), "unknown timeout"),
            (ConnectionFailure(.networkUnavailable, "Reset."), "unknown networkUnavailable"),
            (ConnectionFailure(.tlsUntrusted, "No.", precedesSending: true), "refused tlsUntrusted"),
            (ConnectionFailure(.networkUnavailable, "No route.", errno: ENETUNREACH), "unknown networkUnavailable"),
            (
                ConnectionFailure(.networkUnavailable, "No route.", errno: ENETUNREACH, precedesSending: true),
                "refused networkUnavailable"
            ),
            (ConnectionFailure(.tlsFailed, "Broken record."), "unknown tlsFailed"),
            (ConnectionFailure(.badRequest, "No URL."), "refused badRequest"),
        ] {
            #expect(words(try await outcome(ScriptedHTTP { _ in .failure(failure) })) == expected)
        }
    }

    @Test("The service's own words come with an error")
    func information() async throws {
        let http = ScriptedHTTP.json(status: 400) { _ in #"[0,"Invalid Key","1"]"# }
        guard case .refused(let error) = try await outcome(http) else {
            Issue.record("not refused")
            return
        }
        #expect(error.reason.hasSuffix("It says: Invalid Key"))
        #expect(error.number == 400)
    }

    @Test("History is read page by page until there is enough or no more, oldest first (LL-20)")
    func history() async throws {
        // 130 messages, numbered by their timetokens.
        let http = ScriptedHTTP.json { call in
            func parameter(_ name: String) -> Int? {
                call.url.split(whereSeparator: { $0 == "?" || $0 == "&" }).first { $0.hasPrefix("\(name)=") }
                    .flatMap { Int($0.dropFirst(name.count + 1)) }
            }
            let end = parameter("start") ?? 131
            let start = max(1, end - (parameter("max") ?? 0))
            let items = (start..<end).map {
                #"{"message":\#($0),"timetoken":"\#($0)","uuid":"u","message_type":null,"custom_message_type":"c\#($0)"}"#
            }
            let channels = items.isEmpty ? "" : #""room":[\#(items.joined(separator: ","))]"#
            return #"{"status":200,"error":false,"error_message":"","channels":{\#(channels)}}"#
        }
        let channel = PubNubFixture(http: http).client.channel("room")
        let last = try await channel.history(last: 120)
        #expect(last.map(\.data) == (11...130).map { "\($0)" })
        #expect(last.first?.id == "11")
        #expect(last.first?.event == "c11")
        #expect(last.first?.user == "u")
        #expect(http.sent.count == 2)
        #expect(try await channel.history(last: 500).count == 130)
        #expect(try await channel.history(last: 1).map(\.data) == ["130"])
    }

    @Test("History that cannot be decrypted or is denied is an error (LL-20)")
    func historyErrors() async throws {
        let stored = ScriptedHTTP.json { _ in
            #"{"status":200,"channels":{"room":[{"message":"x","timetoken":"1","uuid":"u"}]}}"#
        }
        let undecryptable = await #expect(throws: LifelineError.self) {
            _ = try await PubNubFixture(cipherKey: "k", http: stored).client.channel("room").history(last: 1)
        }
        #expect(undecryptable?.code == .init(.decryptionFailed))
        let denied = ScriptedHTTP.json(status: 403) { _ in #"{"message":"Forbidden","status":403}"# }
        let error = await #expect(throws: LifelineError.self) {
            _ = try await PubNubFixture(http: denied).client.channel("room").history(last: 1)
        }
        #expect(error?.code == .accessDenied)
    }

    @Test("Who is there can be asked without a subscription; long lists take several requests (LL-17)")
    func members() async throws {
        let http = ScriptedHTTP.json { call in
            let users = call.url.contains("offset=1000") ? ["\"last\""] : (0..<1000).map { "\"u\($0)\"" }
            return #"{"status":200,"occupancy":1001,"uuids":[\#(users.joined(separator: ","))]}"#
        }
        let members = try await PubNubFixture(http: http).client.channel("room").members()
        #expect(members.count == 1001)
        #expect(members.last == Member(id: "last"))
        #expect(http.sent.count == 2)
    }

    @Test("Pusher cannot be asked, and says so")
    func unsupported() async {
        let error = await #expect(throws: LifelineError.self) { _ = try await PusherFixture().client.channel("a").members() }
        #expect(error?.code == .unsupported)
    }
}
