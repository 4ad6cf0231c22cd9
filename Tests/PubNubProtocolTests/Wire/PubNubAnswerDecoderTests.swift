import ConnectionEngine
import Testing

@testable import PubNubProtocol

@Suite("Answers that say failure")
struct PubNubAnswerDecoderTests {
    static let forbidden =
        #"{"message":"Forbidden","payload":{"channels":["test-channel1"]},"error":true,"service":"Access Manager","status":403}"#

    @Test(
        "The status decides the category (PN-7, PN-8)",
        arguments: [
            (301, StatusCategory.malformedResponse, ConnectionFailure.Origin.local), (400, .badRequest, .server),
            (401, .accessDenied, .server), (403, .accessDenied, .server), (404, .unknown, .server),
            (407, .proxyUnavailable, .local), (408, .timeout, .server), (411, .badRequest, .server),
            (413, .unknown, .server), (414, .requestTooLong, .server), (431, .requestTooLong, .server),
            (429, .overloaded, .server),
            (481, .malformedFilter, .server), (500, .unknown, .server), (502, .unknown, .server), (503, .overloaded, .server),
            (511, .malformedResponse, .local), (600, .malformedResponse, .local), (99, .malformedResponse, .local),
        ])
    func statuses(status: Int, category: StatusCategory, origin: ConnectionFailure.Origin) {
        for (body, type) in [(Self.html, "text/html"), ("{}", "application/json"), ("", "text/plain")] {
            for isPoll in [true, false] {
                let problem = PubNubWire.decode(Array(body.utf8), status: status, type: type, isPoll: isPoll).problem
                #expect(problem?.category == category)
                #expect(problem?.failure.origin == origin)
                #expect(problem?.failure.httpStatus == status)
            }
        }
    }

    static let html = "<html><body>Sign in</body></html>"

    @Test("A good status with HTML, another type, or broken JSON is malformed (PN-9)")
    func portals() {
        for isPoll in [true, false] {
            for type in ["text/html; charset=utf-8", "application/json", "text/javascript", nil] {
                let problem = PubNubWire.decode(Array(Self.html.utf8), type: type, isPoll: isPoll).problem
                #expect(problem?.category == .malformedResponse)
                if type?.hasPrefix("text/html") == true { #expect(problem?.failure.reason.contains("sign-in") == true) }
            }
            let truncated = Array(#"{"t":{"t":"1","r":1},"m":["#.utf8)
            #expect(PubNubWire.decode(truncated, isPoll: isPoll).problem?.category == .malformedResponse)
            let good = Array(#"{"t":{"t":"1","r":1},"m":[]}"#.utf8)
            #expect(PubNubWire.decode(good, type: "text/html", isPoll: isPoll).problem?.category == .malformedResponse)
            for type in ["application/json", "Text/JSON ;charset=x", "text/javascript", nil] {
                #expect(PubNubWire.decode(good, type: type, isPoll: isPoll).problem == nil)
            }
        }
    }

    @Test("Only overload keeps how long to wait (PN-8)")
    func retryAfter() {
        for (status, expected) in [(503, Duration.seconds(7)), (429, .seconds(7)), (500, nil), (403, nil)] {
            let problem = PubNubWire.decode([], status: status, retryAfter: .seconds(7)).problem
            #expect(problem?.failure.retryAfter == expected)
        }
    }

    @Test("A numeric status above 200 in the body counts instead of the answer's own (PN-7)")
    func statedStatus() {
        for isPoll in [true, false] {
            let problem = PubNubWire.decode(Array(Self.forbidden.utf8), status: 200, isPoll: isPoll).problem
            #expect(problem?.category == .accessDenied)
            #expect(problem?.failure.httpStatus == 403)
            let filter = Array(#"{"message":"bad","error":true,"status":481}"#.utf8)
            #expect(PubNubWire.decode(filter, status: 400, isPoll: isPoll).problem?.category == .malformedFilter)
        }
        // Recorded: not found, but the body says 200.
        let edited = Array(#"{"status":200,"data":{}}"#.utf8)
        #expect(PubNubWire.decode(edited, status: 404, isPoll: false).problem?.failure.httpStatus == 404)
        let partly = Array(#"{"status":207,"error":{"message":"x"}}"#.utf8)
        #expect(PubNubWire.decode(partly, status: 200, isPoll: false).body == partly)
        let text = Array(#"{"status":"403"}"#.utf8)
        #expect(PubNubWire.decode(text, status: 200, isPoll: false).body == text)
    }

    @Test("Denied channels and groups come with the problem, groups with their colon (PN-10)")
    func denied() {
        let problem = PubNubWire.decode(Self.forbidden, status: 403).problem
        #expect(problem?.channels == ["test-channel1"])
        #expect(problem?.channelGroups == [])
        #expect(problem?.information == "Forbidden")
        #expect(problem?.payload == nil)
        let groups =
            #"{"message":"Forbidden","payload":{"channel-groups":[":g"],"channels":["a"]},"error":true,"status":403}"#
        #expect(PubNubWire.decode(groups, status: 403).problem?.channelGroups == [":g"])
        #expect(PubNubWire.decode(groups, status: 403).problem?.channels == ["a"])
        let other = #"{"message":"m","payload":{"x":[1]},"status":400}"#
        #expect(PubNubWire.decode(other, status: 400).problem?.payload == #"{"x":[1]}"#)
    }

    @Test(
        "The service's words are found wherever they stand (PN-10)",
        arguments: [
            (#"{"message":"a","error":true,"status":400}"#, "a"), (#"{"error": "b"}"#, "b"),
            (#"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#, "Invalid Arguments"),
            (#"{"status": 400, "error": {"source": "actions", "message": "c"}}"#, "c"),
            (
                #"{"error":{"message":"Invalid ttl","source":"grant","details":[{"message":"Range.","location":"ttl"}]}}"#,
                "Invalid ttl Range."
            ),
            (#"[0,"Invalid Key","15808216792242557"]"#, "Invalid Key"),
        ])
    func information(body: String, expected: String) {
        #expect(PubNubWire.decode(body, status: 400).problem?.information == expected)
        #expect(PubNubWire.decode(body, status: 400).problem?.description.hasSuffix("– \(expected)") == true)
    }

    @Test("Words without end are cut, and odd bodies say nothing (PN-10)")
    func oddInformation() {
        let long = #"{"message":"\#(String(repeating: "é", count: 5000))"}"#
        #expect(PubNubWire.decode(long, status: 400).problem?.information?.count == PubNubLimits.informationLength)
        for body in ["", "x", "1", "[]", "[0]", "[1,2]", #"{"message":5,"error":[],"payload":7}"#, #"{"error_message":""}"#] {
            #expect(PubNubWire.decode(body, status: 500).problem?.information == nil, "\(body)")
        }
    }

    @Test("A call's good answer is handed over as it came (PN-11)")
    func calls() {
        for text in [#"[15808218107205592]"#, #"[1,"Sent","15"]"#, #" {"status": 200, "message": "OK"} "#, "[[],0,0]"] {
            let body = Array(text.utf8)
            #expect(PubNubWire.decode(body, isPoll: false).body == body)
        }
        #expect(PubNubWire.decode([], isPoll: false).problem?.category == .malformedResponse)
        #expect(PubNubWire.decode("[15808218107205592]").problem?.category == .malformedResponse)
    }

    @Test("An answer above the limit is refused unread (PN-12)")
    func tooLong() {
        let body = [UInt8](repeating: 0x20, count: PubNubLimits.answerBytes + 1)
        for isPoll in [true, false] {
            #expect(PubNubWire.decode(body, isPoll: isPoll).problem?.category == .malformedResponse)
            #expect(PubNubWire.decode(body, status: 403, isPoll: isPoll).problem?.category == .accessDenied)
        }
    }
}
