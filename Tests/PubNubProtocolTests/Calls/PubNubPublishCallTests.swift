import Testing

@testable import PubNubProtocol

@Suite("Publishing to PubNub")
struct PubNubPublishCallTests {
    @Test("A message goes in the path, with the slash and all else encoded (PL-10)")
    func get() throws {
        let call = PubNubPublishCall(channel: "a/b c", message: #"{"x": "é/"}"#)
        #expect(try CallScript.line(call) == "GET /publish/pub/sub/0/a%2Fb%20c/0/%7B%22x%22%3A%20%22%C3%A9%2F%22%7D")
    }

    @Test("By POST it goes in the body as it is (PL-10)")
    func post() throws {
        let call = PubNubPublishCall(channel: "c", message: #"[1,2]"#, usesPost: true)
        #expect(try CallScript.line(call) == "POST /publish/pub/sub/0/c/0")
        #expect(try call.request(CallScript.settings).body == Array("[1,2]".utf8))
    }

    @Test("Only what was asked for is said about keeping, copying and filtering (PL-11, PL-12)")
    func parameters() throws {
        var call = PubNubPublishCall(
            channel: "c", message: "1", metadata: #"{"a":1}"#, isStored: true, ttl: 24, customType: "chat-text", sequence: 7)
        let prefix = "GET /publish/pub/sub/0/c/0/1?"
        #expect(
            try CallScript.line(call) == prefix + "store=1&ttl=24&meta=%7B%22a%22%3A1%7D&custom_message_type=chat-text&seqn=7")
        call.isStored = false
        call.isReplicated = false
        #expect(
            try CallScript.line(call)
                == prefix + "store=0&meta=%7B%22a%22%3A1%7D&norep=true&custom_message_type=chat-text&seqn=7")
        #expect(try CallScript.line(PubNubPublishCall.fire(channel: "c", message: "1")) == prefix + "store=0&norep=true")
    }

    @Test("A signal has a path of its own and no parameters of a message (PL-14)")
    func signal() throws {
        #expect(
            try CallScript.line(PubNubSignalCall(channel: "c", message: #""hi""#)) == "GET /signal/pub/sub/0/c/0/%22hi%22")
        #expect(
            try CallScript.line(PubNubSignalCall(channel: "c", message: "1", customType: "typing"))
                == "GET /signal/pub/sub/0/c/0/1?custom_message_type=typing")
    }

    @Test("The recorded answer gives the exact timetoken, as a string or a number (PL-6)")
    func answer() throws {
        let call = PubNubPublishCall(channel: "c", message: "1")
        let expected = PubNubPublished(timetoken: Timetoken(rawValue: 15_782_703_013_118_714), information: "Sent")
        #expect(try CallScript.answer(call, #"[1,"Sent","15782703013118714"]"#) == expected)
        #expect(try CallScript.answer(call, #"[1, "Sent", 15782703013118714]"#) == expected)
        #expect(
            try CallScript.answer(PubNubSignalCall(channel: "c", message: "1"), #"[1,"Sent","15782703013118714"]"#) == expected)
    }

    @Test("A refusal with a good status is told in the service's words (PL-7)")
    func refusal() {
        let problem = CallScript.problem(PubNubPublishCall(channel: "c", message: "1"), #"[0,"Invalid JSON","1578"]"#)
        #expect(problem?.category == .badRequest)
        #expect(problem?.information == "Invalid JSON")
    }

    @Test(
        "What is no answer to a publish is malformed",
        arguments: ["[]", "[1]", #"[1,"Sent"]"#, #"[1,"Sent","x"]"#, #"[2,"Sent","15"]"#, "{}", "17", "null", "", "<html>"])
    func malformed(body: String) {
        #expect(
            CallScript.problem(PubNubPublishCall(channel: "c", message: "1"), body)?.category == .malformedResponse)
    }

    @Test(
        "Names that cannot go on the wire are refused, with what to do (PL-1, PL-2)",
        arguments: [
            ("", "The channel is empty. Pass one with at least one character."),
            ("a,b", "The channel has a comma in it. Pass each channel on its own."),
            ("a\n", "The channel has a control character in it. Remove that character."),
        ])
    func names(channel: String, words: String) {
        #expect(CallScript.refusal(PubNubPublishCall(channel: channel, message: "1")) == words)
    }

    @Test("Without keys nothing is sent (PL-3)")
    func keys() {
        var settings = CallScript.settings
        settings.publishKey = ""
        let call = PubNubPublishCall(channel: "c", message: "1")
        #expect(CallScript.refusal(call, settings)?.hasPrefix("The publish key is empty.") == true)
        settings.subscribeKey = ""
        #expect(CallScript.refusal(PubNubWhereNowCall(userID: "u"), settings)?.hasPrefix("The subscribe key is empty.") == true)
    }

    @Test(
        "Custom types outside of the rules are refused (PL-4)",
        arguments: ["ab", String(repeating: "a", count: 51), "pn_x", "pn-x", "-ab", "_ab", "a b", "é!!"])
    func customTypes(type: String) {
        #expect(CallScript.refusal(PubNubSignalCall(channel: "c", message: "1", customType: type)) != nil)
    }

    @Test("A negative time to live is refused (PL-11)")
    func ttl() {
        #expect(CallScript.refusal(PubNubPublishCall(channel: "c", message: "1", ttl: -1)) != nil)
    }

    @Test("The time is one number")
    func time() throws {
        #expect(try CallScript.line(PubNubTimeCall()) == "GET /time/0")
        #expect(
            try CallScript.answer(PubNubTimeCall(), "[15808218107205592]") == Timetoken(rawValue: 15_808_218_107_205_592))
        #expect(CallScript.problem(PubNubTimeCall(), "[]")?.category == .malformedResponse)
    }
}
