import ConnectionEngine
import Foundation
import PubNubProtocol
import Testing
import WireCoding

@testable import PubNub

/// Stored messages by the Cocoa SDK's methods (rules PL-68 and PL-69).
struct HistoryTests {
    static let page = #"[["a",{"b":1}],15782701000000001,15782701000000003]"#
    static let path = "GET /v2/history/sub-key/sub/channel/c?count=100"

    @Test func `plain messages come as they are`() throws {
        let fixture = Fixture.answering(Self.page)
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c") { heard.add(($0, $1)) }
        let data = try #require(heard.last?.result).data
        #expect(heard.last?.status == nil)
        #expect(data.messages[0] as? String == "a")
        #expect((data.messages[1] as? [String: Any])?["b"] as? Int == 1)
        #expect(data.start == 15_782_701_000_000_001 && data.end == 15_782_701_000_000_003)
        #expect(data.channels.isEmpty)
        #expect(fixture.line() == Self.path)
    }

    @Test func `each way to ask says what it was asked to say`() {
        let fixture = Fixture.answering("[[],0,0]")
        let client = fixture.client
        func expect(_ line: String, _ ask: () -> Void) {
            ask()
            #expect(fixture.lastLine == line)
        }
        let block: PNHistoryCompletionBlock = { _, _ in }
        expect(Self.path + "&include_meta=true") { client.historyForChannel("c", withMetadata: true, completion: block) }
        expect(Self.path + "&start=1&end=2") { client.historyForChannel("c", start: 2, end: 1, withCompletion: block) }
        expect(Self.path + "&start=2&include_meta=true") {
            client.historyForChannel("c", start: 2, end: nil, includeMetadata: true, withCompletion: block)
        }
        expect("GET /v2/history/sub-key/sub/channel/c?count=7") {
            client.historyForChannel("c", start: nil, end: nil, limit: 7, withCompletion: block)
        }
        expect(Self.path + "&include_token=true") {
            client.historyForChannel("c", start: nil, end: nil, includeTimeToken: true, withCompletion: block)
        }
        expect("GET /v2/history/sub-key/sub/channel/c?count=7&include_token=true") {
            client.historyForChannel("c", start: nil, end: nil, limit: 7, includeTimeToken: true, withCompletion: block)
        }
        expect(Self.path + "&reverse=true") {
            client.historyForChannel("c", start: nil, end: nil, limit: 200, reverse: true, withCompletion: block)
        }
        expect(Self.path + "&reverse=true&include_token=true") {
            client.historyForChannel(
                "c", start: nil, end: nil, limit: 0, reverse: true, includeTimeToken: true, withCompletion: block)
        }
        let actions = "GET /v3/history-with-actions/sub-key/sub/channel/c?max=25"
        expect(actions + "&include_meta=false&include_uuid=true&include_message_type=true") {
            client.historyForChannel("c", withMessageActions: true, completion: block)
        }
        expect(actions + "&include_meta=true&include_uuid=true&include_message_type=true") {
            client.historyForChannel("c", withMetadata: true, messageActions: true, completion: block)
        }
        expect(actions + "&start=2&include_meta=false&include_uuid=true&include_message_type=true") {
            client.historyForChannel("c", start: 2, end: nil, includeMessageActions: true, withCompletion: block)
        }
        expect(actions + "&end=1&include_meta=true&include_uuid=true&include_message_type=true") {
            client.historyForChannel(
                "c", start: nil, end: 1, includeMetadata: true, includeMessageActions: true, withCompletion: block)
        }
    }

    @Test func `messages with something beside them are dictionaries`() throws {
        let fixture = Fixture.answering(
            #"[[{"message":"a","timetoken":15782701000000001,"meta":{"k":1}},{"message":"b","timetoken":2,"meta":""}],1,2]"#)
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.history().channel("c").includeTimeToken(true).includeMetadata(true).performWithCompletion {
            heard.add(($0, $1))
        }
        let messages = try #require(heard.last?.result).data.messages.compactMap { $0 as? [String: Any] }
        #expect(messages[0]["message"] as? String == "a")
        #expect(messages[0]["timetoken"] as? NSNumber == 15_782_701_000_000_001)
        #expect((messages[0]["metadata"] as? [String: Any])?["k"] as? Int == 1)
        #expect(messages[1]["metadata"] == nil)
    }

    @Test func `several channels come by channel, with actions too`() throws {
        let body = #"""
            {"status":200,"error":false,"error_message":"","channels":{"a%20b":[{"message":"m","timetoken":"10","uuid":"u",
            "message_type":null,"actions":{"reaction":{"smile":[{"uuid":"v","actionTimetoken":"11"}]}}}]}}
            """#
        let fixture = Fixture.answering(body)
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.history().channels(["a b", "c"]).limit(500).performWithCompletion { heard.add(($0, $1)) }
        #expect(
            fixture.line()
                == "GET /v3/history/sub-key/sub/channel/a%20b,c"
                + "?max=25&include_meta=false&include_uuid=true&include_message_type=true")
        let result = try #require(heard.last?.result)
        #expect(result.operation == .historyForChannelsOperation)
        #expect(result.data.messages.isEmpty)
        let message = try #require(result.data.channels["a b"]?.first as? [String: Any])
        #expect(message["uuid"] as? String == "u" && message["timetoken"] as? NSNumber == 10)
        #expect(message["messageType"] as? NSNumber == 0)
        let actions = message["actions"] as? [String: [String: [[String: Any]]]]
        #expect(actions?["reaction"]?["smile"]?.first?["actionTimetoken"] as? NSNumber == 11)
    }

    @Test func `what does not go together is refused`() throws {
        let fixture = Fixture.answering("{}")
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.history().channels(["a", "b"]).reverse(true).performWithCompletion { heard.add(($0, $1)) }
        fixture.client.history().channels(["a", "b"]).includeMessageActions(true).performWithCompletion { heard.add(($0, $1)) }
        fixture.client.history().performWithCompletion { heard.add(($0, $1)) }
        #expect(heard.all.allSatisfy { $0.result == nil && $0.status?.category == .PNBadRequestCategory })
        #expect(heard.count == 3 && fixture.calls.sent.isEmpty)
    }

    private func sealed(_ json: String, key: String = "enigma") throws -> String {
        try PubNubCipher(key: key).encrypt(message: json)
    }

    @Test func `encrypted messages are opened`() throws {
        let fixture = Fixture.answering("[[\(try sealed(#"{"x":1}"#)),\(try sealed("\"b\""))],1,2]") { $0.cipherKey = "enigma" }
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c") { heard.add(($0, $1)) }
        let messages = try #require(heard.last?.result).data.messages
        #expect((messages[0] as? [String: Any])?["x"] as? Int == 1)
        #expect(messages[1] as? String == "b")
    }

    @Test func `what cannot be opened is a status with all messages`() throws {
        let foreign = try sealed("\"b\"", key: "other")
        let fixture = Fixture.answering("[[\(try sealed("\"a\"")),\(foreign),\"plain\"],1,2]") { $0.cipherKey = "enigma" }
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c") { heard.add(($0, $1)) }
        let outcome = try #require(heard.last)
        #expect(outcome.result == nil)
        let status = try #require(outcome.status)
        #expect(status.category == .PNDecryptionErrorCategory && status.isError)
        let data = try #require(status.associatedObject as? PNHistoryData)
        #expect(data.messages.map { $0 as? String } == ["a", foreign.trimmingCharacters(in: ["\""]), "plain"])
        status.retry()
        #expect(heard.count == 2)
    }

    @Test func `a history with actions that cannot be opened is named as the Cocoa SDK names it (PL-93)`() throws {
        let foreign = try sealed("\"b\"", key: "other")
        let fixture = Fixture.answering(
            #"{"status":200,"channels":{"c":[{"message":\#(foreign),"timetoken":"1","actions":{}}]}}"#
        ) { $0.cipherKey = "enigma" }
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c", withMessageActions: true) { heard.add(($0, $1)) }
        let status = try #require(heard.last?.status)
        #expect(status.operation == .historyOperation && status.category == .PNDecryptionErrorCategory)
    }

    @Test func `without a limit several channels come with one message each (PL-90)`() {
        let fixture = Fixture.answering(#"{"status":200,"channels":{}}"#)
        for (channels, expected) in [(["a", "b"], "max=1"), (["a"], "max=100")] {
            fixture.client.history().channels(channels).performWithCompletion { _, _ in }
            #expect(fixture.lastLine.contains("?\(expected)&"), "\(fixture.lastLine)")
        }
    }

    @Test func `a start behind the end is put in order (PL-91)`() {
        let fixture = Fixture.answering("[[],0,0]", #"{"status":200,"channels":{}}"#, #"{"status":200}"#)
        fixture.client.historyForChannel("c", start: 9, end: 2) { _, _ in }
        #expect(fixture.lastLine.hasSuffix("&start=2&end=9"))
        fixture.client.history().channels(["c"]).start(9).end(2).performWithCompletion { _, _ in }
        #expect(fixture.lastLine.contains("&start=2&end=9&"))
        fixture.client.deleteMessagesFromChannel("c", start: 9, end: 2) { _ in }
        #expect(fixture.lastLine == "DELETE /v3/history/sub-key/sub/channel/c?start=2&end=9")
    }

    @Test func `encrypted text beside push payloads is opened, also when it is a string in a string (PL-92)`() throws {
        let text = try sealed(#"{"x":1}"#)
        let quoted = JSONValue.string(text).text
        let fixture = Fixture.answering(#"[[{"pn_other":\#(text),"pn_apns":{}},{"pn_other":\#(quoted),"pn_apns":{}}],1,2]"#) {
            $0.cipherKey = "enigma"
        }
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c") { heard.add(($0, $1)) }
        let messages = try #require(heard.last?.result).data.messages
        #expect(messages.map { ($0 as? [String: Any])?["x"] as? Int } == [1, 1])
    }

    @Test func `denied history is access denied`() throws {
        let fixture = Fixture(
            calls: ScriptedCalls(.status(403, #"{"message":"Forbidden","payload":{"channels":["c"]},"error":true,"status":403}"#))
        )
        let heard = Outcomes<PNHistoryResult>()
        fixture.client.historyForChannel("c") { heard.add(($0, $1)) }
        let status = try #require(heard.last?.status)
        #expect(status.category == .PNAccessDeniedCategory && status.errorData.channels == ["c"])
    }

    @Test func `messages are deleted and counted`() throws {
        let fixture = Fixture.answering(
            #"{"status":200,"error":false,"error_message":""}"#, #"{"status":200,"channels":{"a":3,"b":0}}"#)
        let deleted = Heard<PNAcknowledgmentStatus>()
        fixture.client.deleteMessagesFromChannel("c", start: 1, end: 2) { deleted.add($0) }
        #expect(deleted.last?.category == .PNAcknowledgmentCategory && deleted.last?.operation == .deleteMessageOperation)
        #expect(fixture.line() == "DELETE /v3/history/sub-key/sub/channel/c?start=1&end=2")
        let counted = Outcomes<PNMessageCountResult>()
        fixture.client.messageCounts().channels(["a", "b"]).timetokens([7]).performWithCompletion { counted.add(($0, $1)) }
        #expect(counted.last?.result?.data.channels == ["a": 3, "b": 0])
        #expect(fixture.lastLine == "GET /v3/history/sub-key/sub/message-counts/a,b?timetoken=7")
    }
}
