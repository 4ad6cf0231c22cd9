import PubNubProtocol
import Testing

@testable import LifelineServer

@Suite("Message actions of PubNub's API (rules PV-70 to PV-73)")
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
        let token = message + 1
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

    @Test("Pages are the newest actions, and say where to go on")
    func pages() async throws {
        let fixture = PubNubRESTFixture()
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
}
