import Testing

@testable import PubNubProtocol

@Suite("History of PubNub")
struct PubNubHistoryCallTests {
    @Test("The older service is asked for what was asked, 100 at most (PL-20)")
    func historyTarget() throws {
        let path = "GET /v2/history/sub-key/sub/channel/a%3Ab"
        #expect(try CallScript.line(PubNubHistoryCall(channel: "a:b")) == path + "?count=100")
        let call = PubNubHistoryCall(
            channel: "a:b", start: Timetoken(rawValue: 2), end: Timetoken(rawValue: 1), limit: 500, isReversed: true,
            includesTimetoken: true, includesMetadata: true)
        #expect(
            try CallScript.line(call) == path + "?count=100&start=2&end=1&reverse=true&include_token=true&include_meta=true")
        #expect(CallScript.refusal(PubNubHistoryCall(channel: "a", limit: 0)) != nil)
    }

    @Test("Plain messages, and an empty page")
    func plainHistory() throws {
        let call = PubNubHistoryCall(channel: "c")
        let page = try CallScript.answer(call, #"[["a", {"b": 1} ,null],15782701000000001,"15782701000000003"]"#)
        #expect(page.messages.map(\.payload) == ["\"a\"", #"{"b": 1}"#, "null"])
        #expect(page.first == Timetoken(rawValue: 15_782_701_000_000_001))
        #expect(page.last == Timetoken(rawValue: 15_782_701_000_000_003))
        #expect(
            try CallScript.answer(call, "[[],0,0]") == PubNubHistoryPage(messages: [], first: .zero, last: .zero))
    }

    @Test("With timetokens and metadata; an empty string is no metadata (PL-22)")
    func richHistory() throws {
        let call = PubNubHistoryCall(channel: "c", includesTimetoken: true, includesMetadata: true)
        let page = try CallScript.answer(
            call,
            #"[[{"message":{"a":1},"timetoken":15782701000000001,"meta":{"m":true}},{"message":"x","meta":"","timetoken":"2"}],1,2]"#
        )
        #expect(page.messages[0].payload == #"{"a":1}"#)
        #expect(page.messages[0].timetoken == Timetoken(rawValue: 15_782_701_000_000_001))
        #expect(page.messages[0].metadata == #"{"m":true}"#)
        #expect(page.messages[1].metadata == nil)
        #expect(page.messages[1].timetoken == Timetoken(rawValue: 2))
    }

    @Test("A keyset without history says so in place of a message (PL-24)")
    func noHistory() {
        let words = "Use of the history API requires the Storage & Playback add-on which is not enabled."
        let problem = CallScript.problem(PubNubHistoryCall(channel: "c"), #"[["\#(words)"],0,0]"#)
        #expect(problem?.category == .accessDenied)
        #expect(problem?.information == words)
        #expect(CallScript.problem(PubNubHistoryCall(channel: "c"), #"[["\#(words)"],1,1]"#) == nil)
    }

    @Test("The newer service takes many channels, 25 messages of each (PL-21)")
    func fetchTarget() throws {
        #expect(
            try CallScript.line(PubNubFetchCall(channels: ["a"]))
                == "GET /v3/history/sub-key/sub/channel/a?max=100&include_meta=false&include_uuid=true&include_message_type=true")
        let many = PubNubFetchCall(
            channels: ["a b", "c"], start: Timetoken(rawValue: 5), limit: 30, includesMetadata: true, includesPublisher: false,
            includesKind: false, includesCustomType: true)
        #expect(
            try CallScript.line(many)
                == "GET /v3/history/sub-key/sub/channel/a%20b,c?max=25&start=5&include_meta=true&include_uuid=false"
                + "&include_message_type=false&include_custom_message_type=true")
        #expect(
            try CallScript.line(PubNubFetchCall(channels: ["a"], limit: 10, includesActions: true))
                == "GET /v3/history-with-actions/sub-key/sub/channel/a"
                + "?max=10&include_meta=false&include_uuid=true&include_message_type=true")
        #expect(CallScript.refusal(PubNubFetchCall(channels: [])) != nil)
        #expect(CallScript.refusal(PubNubFetchCall(channels: ["a", "b"], includesActions: true)) != nil)
        #expect(CallScript.refusal(PubNubFetchCall(channels: Array(repeating: "a", count: 501))) != nil)
        #expect(CallScript.refusal(PubNubFetchCall(channels: ["a"], limit: 0)) != nil)
    }

    @Test("Names come encoded, and every way to say nothing reads as nothing (PL-23, PL-26)")
    func fetchAnswer() throws {
        let body = #"""
            {"status": 200, "error": false, "error_message": "", "channels": {"a%20b%2F": [
            {"message": {"x": 1}, "timetoken": "15782701000000001", "meta": "", "uuid": "u", "message_type": null,
             "custom_message_type": "t"},
            {"message": null, "timetoken": 2, "meta": {"k": "v"}, "message_type": "1"},
            {"message": "f", "timetoken": "3", "message_type": 4}, {"message": "g", "timetoken": "4", "message_type": ""}],
            "%zz": []}}
            """#
        let fetched = try CallScript.answer(PubNubFetchCall(channels: ["a b/", "%zz"]), body)
        #expect(fetched.channels.map(\.name) == ["a b/", "%zz"])
        let messages = fetched["a b/"]
        #expect(messages.map(\.payload) == [#"{"x": 1}"#, "null", "\"f\"", "\"g\""])
        #expect(messages.map(\.kind) == [.message, .signal, .file, .message])
        #expect(messages.map(\.timetoken?.rawValue) == [15_782_701_000_000_001, 2, 3, 4])
        #expect(messages[0].metadata == nil)
        #expect(messages[0].publisher == "u")
        #expect(messages[0].customType == "t")
        #expect(messages[1].metadata == #"{"k": "v"}"#)
        #expect(messages[1].publisher == nil)
        #expect(fetched.more == nil)
        #expect(fetched["none"] == [])
        #expect(try CallScript.answer(PubNubFetchCall(channels: ["a"]), #"{"channels":{}}"#).channels == [])
    }

    @Test("Actions come flat, with where to go on (PL-25)")
    func actions() throws {
        let body = #"""
            {"status":200,"channels":{"c":[{"message":"m","timetoken":"10","actions":{"reaction":{"smile":[
            {"uuid":"a","actionTimetoken":"11"},{"uuid":"b","actionTimetoken":"12"}],"sad":[{"uuid":"a","actionTimetoken":13}]}}}]},
            "error_message":"","error":false,"more":{"url":"/v3/history-with-actions/…","start":"10","max":25}}
            """#
        let fetched = try CallScript.answer(PubNubFetchCall(channels: ["c"], includesActions: true), body)
        let actions = try #require(fetched["c"].first?.actions)
        #expect(actions.map(\.value) == ["smile", "smile", "sad"])
        #expect(actions.map(\.publisher) == ["a", "b", "a"])
        #expect(actions.map(\.timetoken.rawValue) == [11, 12, 13])
        #expect(actions.allSatisfy { $0.type == "reaction" && $0.messageTimetoken == Timetoken(rawValue: 10) })
        #expect(fetched.more == PubNubMore(start: Timetoken(rawValue: 10), limit: 25))
    }

    @Test("An error with status 200 is told in the service's words (PL-7)")
    func errors() {
        let call = PubNubFetchCall(channels: ["a"])
        let problem = CallScript.problem(call, #"{"status":200,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
        #expect(problem?.category == .unknown)
        #expect(problem?.information == "Invalid Arguments")
        #expect(CallScript.problem(call, #"{"status":200}"#)?.category == .malformedResponse)
        #expect(CallScript.problem(call, "[]")?.category == .malformedResponse)
    }

    @Test(
        "A stored message that cannot be read does not cost the others, of either service (PN-40)",
        arguments: [
            "1", "null", "{}", #"{"timetoken":"1"}"#, #"{"message":"\q"}"#, #"{"message":"\ud800"}"#, #"{"message":[1}"#,
            #"{"message":{"x":1}"#, #"{"message":"x}"#, "{\"message\":\"a\u{1}\"}", "", #"{"message":tru}"#,
        ])
    func damaged(_ bad: String) throws {
        let (first, last) = (#"{"message":"first","timetoken":"1"}"#, #"{"message":"last","timetoken":3}"#)
        let list = "[\(first),\(bad),\(last)]"
        let fetched = try CallScript.answer(
            PubNubFetchCall(channels: ["a", "b"]), #"{"status":200,"channels":{"a":\#(list),"b":[\#(last)]}}"#)
        #expect(fetched["a"].map(\.payload.text) == [#""first""#, #""last""#] && fetched["b"].count == 1)
        #expect(fetched.unreadable == 1)
        let page = try CallScript.answer(PubNubHistoryCall(channel: "a", includesTimetoken: true), "[\(list),1,3]")
        #expect(page.messages.map(\.payload.text) == [#""first""#, #""last""#] && page.unreadable == 1)
        #expect(page.last.rawValue == 3)
    }

    @Test("Deleting says from where to where")
    func delete() throws {
        let call = PubNubDeleteCall(channel: "c", start: Timetoken(rawValue: 1), end: Timetoken(rawValue: 2))
        #expect(try CallScript.line(call) == "DELETE /v3/history/sub-key/sub/channel/c?start=1&end=2")
        #expect(CallScript.problem(call, #"{"status":200,"error":false,"error_message":""}"#) == nil)
    }

    @Test("PL-99: a deletion that ends at timetoken 0 is refused before it is sent")
    func deletionUpToZero() throws {
        #expect(CallScript.refusal(PubNubDeleteCall(channel: "c", end: .zero)) != nil)
        #expect(CallScript.refusal(PubNubDeleteCall(channel: "c", start: Timetoken(rawValue: 1), end: .zero)) != nil)
        #expect(
            try CallScript.line(PubNubDeleteCall(channel: "c", start: .zero))
                == "DELETE /v3/history/sub-key/sub/channel/c?start=0")
    }

    @Test("Counts are asked with one timetoken for all or one for each (PL-27)")
    func counts() throws {
        let one = PubNubCountsCall(channels: ["a", "b"], timetokens: [Timetoken(rawValue: 7)])
        let each = PubNubCountsCall(channels: ["a", "b"], timetokens: [Timetoken(rawValue: 7), Timetoken(rawValue: 8)])
        #expect(try CallScript.line(one) == "GET /v3/history/sub-key/sub/message-counts/a,b?timetoken=7")
        #expect(try CallScript.line(each) == "GET /v3/history/sub-key/sub/message-counts/a,b?channelsTimetoken=7%2C8")
        let body = #"{"status":200,"error":false,"error_message":"","channels":{"a":3,"b":0},"more":{"a":{"is_more":false}}}"#
        #expect(try CallScript.answer(each, body) == ["a": 3, "b": 0])
        let many = (0...PubNubCountsCall.maximumChannels).map { "c\($0)" }
        #expect(CallScript.refusal(PubNubCountsCall(channels: many, timetokens: one.timetokens)) != nil)
        #expect(CallScript.refusal(PubNubCountsCall(channels: Array(many.dropLast()), timetokens: one.timetokens)) == nil)
        #expect(CallScript.refusal(PubNubCountsCall(channels: ["a"], timetokens: [])) != nil)
        #expect(CallScript.refusal(PubNubCountsCall(channels: [], timetokens: [Timetoken(rawValue: 7)])) != nil)
        #expect(
            CallScript.refusal(PubNubCountsCall(channels: ["a", "b", "c"], timetokens: each.timetokens))
                == "There are 2 timetokens for 3 channels. Pass one timetoken for all channels, or one for each.")
    }
}
