import Testing

@testable import PubNubProtocol

@Suite("Reading subscribe answers")
struct PubNubSubscribeReaderTests {
    @Test("Every recorded element is read, parts as they came (PN-13, PN-14)")
    func recorded() throws {
        let answer = PubNubWire.decode(PubNubWire.answer(PubNubWire.messages))
        #expect(answer.cursor == PubNubCursor(timetoken: Timetoken(rawValue: 15_808_216_792_242_600), region: 12))
        let messages = try #require(answer.messages)
        #expect(messages.count == 7)
        #expect(
            messages[0]
                == PubNubMessage(
                    channel: "test-channel1", subscription: "test-channel-group1", publisher: "Serhii",
                    timetoken: Timetoken(rawValue: 15_808_216_792_242_557), region: 12, sequence: 1,
                    payload: #"{"test-message":["message"]}"#))
        #expect(messages[1].metadata == #"{"access-level":"editor"}"#)
        #expect(messages[1].payload == #""Hello there""#)
        #expect(messages[2].timetoken == Timetoken(rawValue: 14_654_005_804_445_482))
        #expect(messages[2].subscription == "demo.*")
        #expect(messages.map(\.kind) == [.message, .message, .message, .signal, .action, .object, .message])
        #expect(messages[5].publisher == nil)
        #expect(messages[6].customType == "text-message")
        #expect(messages[6].payload == #""é\u00e9\n🍵""#)
    }

    @Test("Presence elements are read; a subscription that is the channel itself is none (PN-15)")
    func presence() throws {
        let messages = try #require(PubNubWire.decode(PubNubWire.answer(PubNubWire.presence)).messages)
        #expect(messages.allSatisfy { $0.isPresence })
        #expect(messages[0].subscription == nil)
        #expect(messages[0].publisher == nil)
        #expect(messages[4].subscription == "nul-channel.*")
    }

    @Test("The cursor may be strings or numbers, and its region may be missing (PN-13)")
    func cursors() {
        func cursor(_ timetoken: String, _ region: String) -> PubNubCursor? {
            PubNubWire.decode(PubNubWire.answer([], timetoken: timetoken, region: region)).cursor
        }
        let expected = PubNubCursor(timetoken: Timetoken(rawValue: 15_808_216_792_242_600), region: 12)
        #expect(cursor(#""15808216792242600""#, "12") == expected)
        #expect(cursor("15808216792242600", #""12""#) == expected)
        #expect(cursor(#""15808216792242600""#, "null")?.region == nil)
        #expect(cursor(#""18446744073709551615""#, "0")?.timetoken.rawValue == .max)
        #expect(cursor(#""18446744073709551616""#, "0") == nil)
        #expect(cursor(#""-5""#, "0") == nil)
        #expect(cursor(#""""#, "0") == nil)
        #expect(cursor("1.5", "0") == nil)
        #expect(PubNubWire.decode(#"{"m":[],"t":{"t":"5"}}"#).cursor == PubNubCursor(timetoken: Timetoken(rawValue: 5)))
    }

    @Test("Order of keys, white space, escapes in keys and unknown keys do not matter; the last of a key counts (PN-14)")
    func tolerance() throws {
        let text = #"""
             { "x" : [ { } ] , "m" : [ { "d" : 1 , "d" : [ 1 , 2 ] , "zz" : { "c" : "no" } , "\u0063" : "ch" , "c\u006dt" : "t" ,
             "p" : { "q" : [ ] , "r" : 3 , "t" : 17 } , "e" : "4" , "i" : null , "b" : 5 , "s" : -1 , "u" : null } ] ,
             "t" : { "r" : 1 , "t" : "9" } }
            """#
        let message = try #require(PubNubWire.decode(text).messages?.first)
        #expect(
            message
                == PubNubMessage(
                    channel: "ch", kind: .file, timetoken: Timetoken(rawValue: 17), region: 3, payload: "[ 1 , 2 ]",
                    metadata: "null", customType: "t"))
    }

    @Test("A message without a timetoken has that of the answer (PN-14)")
    func undated() throws {
        let messages = try #require(
            PubNubWire.decode(#"{"m":[{"c":"a","d":1},{"c":"a","d":2,"p":{"t":"8","r":1}}],"t":{"t":"9","r":1}}"#).messages)
        #expect(messages.map(\.timetoken.rawValue) == [9, 8])
    }

    @Test(
        "What is not an answer to a subscription is malformed (PN-16)",
        arguments: [
            "[]", "1", "{}", #"{"t":{"t":"1","r":1}}"#, #"{"m":[]}"#, #"{"t":{"t":"1"},"m":{}}"#, #"{"t":"1","m":[]}"#,
            #"{"t":{"t":"1"},"m":[],}"#, #"{"t":{"t":"1"},"m":[]} x"#, "",
        ])
    func notAnAnswer(text: String) {
        let problem = PubNubWire.decode(text).problem
        #expect(problem?.category == .malformedResponse)
        #expect(problem?.failure.httpStatus == 200)
    }

    @Test("As many messages as the limit are read, further ones are counted as unreadable (PN-12)")
    func tooMany() {
        let element = #"{"c":"a","d":1,"p":{"t":"1","r":1}}"#
        let most = Array(repeating: element, count: PubNubLimits.messagesInAnswer)
        #expect(PubNubWire.decode(PubNubWire.answer(most)).messages?.count == PubNubLimits.messagesInAnswer)
        let part = PubNubWire.decode(PubNubWire.answer(most + [element])).part
        #expect(part?.messages.count == PubNubLimits.messagesInAnswer && part?.unreadable == 1)
    }

    @Test("Payloads may be deep, but not without end")
    func depth() {
        func nested(_ depth: Int) -> String {
            let payload = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return PubNubWire.answer([#"{"c":"a","d":\#(payload),"p":{"t":"1","r":1}}"#])
        }
        #expect(PubNubWire.decode(nested(500)).messages?.count == 1)
        let part = PubNubWire.decode(nested(100_000)).part
        #expect(part?.messages.isEmpty == true && part?.unreadable == 1)
    }
}
