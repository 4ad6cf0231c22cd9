import PubNubProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Message actions of PubNub's API (rules PV-70 to PV-75)")
struct PubNubActionTests {
    static let base = "/v1/message-actions/demo/channel/room"

    static func add(
        _ fixture: PubNubRESTFixture, _ body: String, to message: UInt64, by user: String = "me"
    ) async throws -> PubNubRESTFixture.Answer {
        try await fixture.ask(base + "/message/\(message)?uuid=\(user)", method: "POST", body: body)
    }

    @Test("An action is added, told to subscribers, listed and shown in the history")
    func life() async throws {
        let fixture = PubNubRESTFixture()
        let message = fixture.store(#""hi""#, on: "room")
        let answer = try await Self.add(fixture, #"{"type":"reaction","value":"smile"}"#, to: message)
        // Timetokens are two units apart (HB-22).
        let token = message + 2
        let item =
            #"{"type": "reaction", "value": "smile", "uuid": "me", "actionTimetoken": "\#(token)", "messageTimetoken": "\#(message)"}"#
        #expect(answer.status == 200)
        #expect(answer.body == #"{"status": 200, "data": \#(item)}"#)
        let event =
            #""d":{"source":"actions","version":"1.0","data":{"messageTimetoken":"\#(message)","type":"reaction","value":"smile","#
            + #""actionTimetoken":"\#(token)"},"event":"added"}"#
        let told = try #require(fixture.delivered(on: "room").last)
        #expect(told.contains(#""e":3,"i":"me""#) && told.contains(event))
        #expect(try await fixture.body(Self.base) == #"{"status": 200, "data": [\#(item)]}"#)
        #expect(
            try await fixture.body("/v3/history-with-actions/sub-key/demo/channel/room?include_uuid=true")
                == #"{"status":200,"channels":{"room":[{"message":"hi","timetoken":"\#(message)","uuid":"u","actions":"#
                + #"{"reaction":{"smile":[{"uuid":"me","actionTimetoken":"\#(token)"}]}}}]},"error_message":"","error":false}"#)
        #expect(
            try await fixture.body(Self.base + "/message/\(message)/action/\(token)?uuid=me", method: "DELETE")
                == #"{"status": 200, "data": {}}"#)
        #expect(fixture.delivered(on: "room").last?.contains(#""event":"removed""#) == true)
        #expect(try await fixture.body(Self.base) == #"{"status": 200, "data": []}"#)
    }

    @Test("The same twice, somebody else's, and what is not there are refused")
    func refusals() async throws {
        let fixture = PubNubRESTFixture()
        let body = #"{"type":"t","value":"v"}"#
        fixture.store("1", on: "room", at: 5)
        _ = try await Self.add(fixture, body, to: 5)
        let twice = try await Self.add(fixture, body, to: 5)
        #expect(twice.status == 409)
        #expect(twice.body == #"{"status": 409, "error": {"source": "actions", "message": "Action Already Added"}}"#)
        let page = try await fixture.body(Self.base)
        let token = try #require(page.components(separatedBy: #""actionTimetoken": ""#).last?.prefix(17))
        func removal(_ message: Int, _ user: String) async throws -> String {
            try await fixture.body(Self.base + "/message/\(message)/action/\(token)?uuid=\(user)", method: "DELETE")
        }
        #expect(
            try await removal(5, "other")
                == #"400 {"status": 400, "error": {"source": "actions", "message": "Not deleting message action: wrong uuid specified"}}"#
        )
        #expect(
            try await removal(6, "me")
                == #"400 {"status": 400, "error": {"source": "actions", "message": "No matching message actions to delete"}}"#)
    }

    @Test(
        "A body that lacks something is refused with the place",
        arguments: [
            (#"{"type":"t"}"#, "value"), (#"{"value":"v"}"#, "type"), (#"{"type":"_t","value":"v"}"#, "type"),
            (#"{"type":"sixteen letters!","value":"v"}"#, "type"),
            (#"{"type":"t","value":"\#(String(repeating: "v", count: 4097))"}"#, "value"),
        ])
    func invalid(body: String, location: String) async throws {
        let answer = try await Self.add(PubNubRESTFixture(), body, to: 5)
        #expect(answer.status == 400)
        let details = #""location": "\#(location)", "locationType": "body"}]}}"#
        #expect(
            answer.body.hasPrefix(
                #"{"status": 400, "error": {"source": "actions", "message": "Request payload contained invalid input.""#))
        #expect(answer.body.hasSuffix(details))
    }

    @Test(
        "Channels that nobody can publish to have no actions, in any call (rule PV-133)",
        arguments: [
            "room-pnpres", "a.*", "a,b", "a%2Cb", "a%2Fb", "a%5Cb", "a%01b", "*", String(repeating: "c", count: 93),
        ])
    func channels(channel: String) async throws {
        let fixture = PubNubRESTFixture()
        let base = "/v1/message-actions/demo/channel/\(channel)"
        for (target, method, body) in [
            (base + "/message/5?uuid=u", "POST", #"{"type":"t","value":"v"}"#),
            (base + "/message/5/action/6?uuid=u", "DELETE", ""),
            (base, "GET", ""),
        ] {
            let answer = try await fixture.ask(target, method: method, body: body)
            #expect(answer.status == 400 && answer.body.contains("Invalid Character in Channel Name"), "\(method) \(answer)")
        }
        #expect(fixture.application.withState { $0.streams.visible } < UInt64(PubNubRESTFixture.start + 1) * 10_000_000)
        #expect(fixture.delivered(on: "room-pnpres").isEmpty)
    }

    @Test("A value of 4096 bytes is taken, a user id of more than 92 characters is not (rule PV-134)")
    func lengths() async throws {
        let fixture = PubNubRESTFixture()
        let body = #"{"type":"t","value":"\#(String(repeating: "v", count: 4096))"}"#
        fixture.store("1", on: "room", at: 5)
        #expect(try await Self.add(fixture, body, to: 5, by: String(repeating: "u", count: 92)).status == 200)
        let answer = try await Self.add(fixture, body, to: 5, by: String(repeating: "u", count: 93))
        #expect(answer.status == 400 && answer.body.contains(#""location": "uuid""#))
    }

    @Test("A page of long actions ends at 1 MiB, and the next ones bring the rest (rule PV-134)")
    func longPages() async throws {
        let fixture = PubNubRESTFixture()
        // Six bytes of JSON for each character: 24 KiB for an action.
        let value = String(repeating: #"\u0001"#, count: 4096)
        for number in 0..<100 {
            fixture.store("1", on: "room", at: UInt64(number + 1))
            _ = try await Self.add(fixture, #"{"type":"t","value":"\#(value)"}"#, to: UInt64(number + 1))
        }
        var start: String?
        var seen = 0
        var pages = 0
        repeat {
            let body = try await fixture.body(Self.base + (start.map { "?start=\($0)" } ?? ""))
            #expect(body.utf8.count < 1_100_000)
            let page = try JSONText(body)
            seen += page["data"]?.elements?.count ?? 0
            start = page["more"]?["start"]?.string
            pages += 1
        } while start != nil && pages < 10
        #expect(seen == 100 && pages == 3)
    }

    @Test("Deleting messages deletes the actions on them, and no others (PV-74)")
    func deletedMessages() async throws {
        let fixture = PubNubRESTFixture()
        let tokens = (0..<3).map { fixture.store("\($0)", on: "room") }
        let elsewhere = fixture.store("1", on: "other")
        for token in tokens {
            for user in ["me", "you"] {
                #expect(try await Self.add(fixture, #"{"type":"t","value":"\#(token)"}"#, to: token, by: user).status == 200)
            }
        }
        let other = "/v1/message-actions/demo/channel/other"
        #expect(
            try await fixture.ask(
                "\(other)/message/\(elsewhere)?uuid=me", method: "POST", body: #"{"type":"t","value":"v"}"#
            ).status == 200)
        func listed() async throws -> [String] {
            try JSONText(try await fixture.body(Self.base))["data"]?.elements?.compactMap { $0["messageTimetoken"]?.string } ?? []
        }
        let history = "/v3/history/sub-key/demo/channel/room"
        #expect(try await fixture.ask("\(history)?start=\(tokens[0])&end=\(tokens[1])", method: "DELETE").status == 200)
        #expect(try await listed() == [tokens[0], tokens[0], tokens[2], tokens[2]].map(String.init))
        #expect(try await fixture.ask(history, method: "DELETE").status == 200)
        #expect(try await listed().isEmpty)
        #expect(try await fixture.body(other).contains(#""value": "v""#))
        // Their places are free again, and nobody was told.
        #expect(fixture.delivered(on: "room").count { $0.contains("removed") } == 0)
        let again = fixture.store("3", on: "room")
        #expect(try await Self.add(fixture, #"{"type":"t","value":"v"}"#, to: again).status == 200)
        #expect(try await listed() == ["\(again)"])
    }

    @Test(
        "An action needs a message in the history of its channel (PV-75)",
        arguments: ["5", "15800000000000009", "99999999999999999", "9223372036854775807", "18446744073709551615"])
    func missingMessage(token: String) async throws {
        let fixture = PubNubRESTFixture()
        let message = fixture.store("1", on: "room")
        let body = #"{"type":"t","value":"v"}"#
        let answer = try await fixture.ask("\(Self.base)/message/\(token)?uuid=me", method: "POST", body: body)
        #expect(answer.status == 404)
        #expect(
            answer.body
                == #"{"status": 404, "error": {"source": "actions", "#
                + #""message": "There is no message with this timetoken in the history of the channel."}}"#)
        let elsewhere = "/v1/message-actions/demo/channel/other/message/\(message)?uuid=me"
        #expect(try await fixture.ask(elsewhere, method: "POST", body: body).status == 404)
        #expect(fixture.delivered(on: "room").isEmpty)
        #expect(try await Self.add(fixture, body, to: message).status == 200)
    }

    @Test("Pages are the newest actions, and say where to go on")
    func pages() async throws {
        let fixture = PubNubRESTFixture()
        fixture.store("1", on: "room", at: 5)
        for number in 0..<5 {
            fixture.pass(seconds: 1)
            _ = try await Self.add(fixture, #"{"type":"t","value":"\#(number)"}"#, to: 5)
        }
        let page = try await fixture.body(Self.base + "?limit=2")
        #expect(page.contains(#""value": "3""#) && page.contains(#""value": "4""#) && !page.contains(#""value": "2""#))
        let start = (PubNubRESTFixture.start + 4) * 10_000_000
        #expect(
            page.hasSuffix(
                #""more": {"url": "/v1/message-actions/demo/channel/room?start=\#(start)&limit=2", "start": "\#(start)", "limit": 2}}"#
            ),
            "\(page)")
        let rest = try await fixture.body(Self.base + "?start=\(start)&limit=5")
        #expect(rest.contains(#""value": "0""#) && !rest.contains(#""value": "3""#) && !rest.contains("more"))
    }

    @Test("Whoever follows `more.url` gets no more than down to `end`, and a start of 0 is none (PV-73)")
    func ends() async throws {
        let fixture = PubNubRESTFixture()
        var tokens: [UInt64] = []
        for number in 0..<9 {
            fixture.pass(seconds: 1)
            tokens.append(fixture.store("\(number)", on: "room"))
            _ = try await Self.add(fixture, #"{"type":"t","value":"\#(number)"}"#, to: tokens[number])
        }
        let history = "/v3/history-with-actions/sub-key/demo/channel/room?max=2&end=\(tokens[4])"
        for (first, list) in [(history, "channels"), (Self.base + "?limit=2&end=\(tokens[4])", "data")] {
            var target: String? = first
            var (seen, pages) = (0, 0)
            while let page = target, pages < 9 {
                let body = try JSONText(try await fixture.body(page))
                seen += (list == "data" ? body["data"] : body["channels"]?["room"])?.elements?.count ?? 0
                target = body["more"]?["url"]?.string
                pages += 1
            }
            #expect(seen == 5, "\(first)")
        }
        let all = try JSONText(try await fixture.body(Self.base + "?start=0&end=0"))
        #expect(all["data"]?.elements?.count == 9)
    }
}
