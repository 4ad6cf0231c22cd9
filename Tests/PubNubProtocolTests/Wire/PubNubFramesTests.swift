import ConnectionEngine
import Testing
import WireCoding

@testable import PubNubProtocol

@Suite("What a PubNub server writes")
struct PubNubFramesTests {
    static let envelope = PubNubEnvelope(
        channel: "ch\"1", kind: .signal, publisher: "é", sequence: 7, origination: Timetoken(rawValue: 5), customType: "t-1",
        timetoken: Timetoken(rawValue: 15_782_703_013_118_714), region: 2, subscribeKey: "demo",
        metadata: Array(#"{"a":1}"#.utf8), payload: Array(#"{"x":[1]}"#.utf8))

    static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("Keys of an element come in the recorded order (PN-18)")
    func order() {
        #expect(
            Self.text(Self.envelope.shared + PubNubFrames.elementEnd(matched: "g.*"))
                == #"{"a":"1","f":0,"e":1,"i":"é","s":7,"o":{"t":"5"},"cmt":"t-1","p":{"t":"15782703013118714","r":2},"#
                + #""k":"demo","c":"ch\"1","u":{"a":1},"d":{"x":[1]},"b":"g.*"}"#)
        let plain = PubNubEnvelope(
            channel: "a", timetoken: Timetoken(rawValue: 9), subscribeKey: "k", payload: Array("1".utf8))
        #expect(
            Self.text(plain.shared + PubNubFrames.elementEnd(matched: nil))
                == #"{"a":"1","f":0,"p":{"t":"9","r":1},"k":"k","c":"a","d":1}"#)
    }

    @Test("An answer behind a gap says so beside its timetoken, and is read so (PV-112, PX-110)")
    func gap() throws {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 5), region: 2, followsGap: true)
        let bytes = PubNubFrames.answer(cursor)
        #expect(Self.text(bytes) == #"{"t":{"t":"5","r":2,"d":true},"m":[]}"#)
        var reader = PubNubSubscribeReader(rememberedNames: 1)
        #expect(try bytes.withUnsafeBytes { try reader.read($0).cursor } == cursor)
        for other in [#""d":false"#, #""d":0"#, #""d":null"#, #""x":true"#] {
            let text = Array(#"{"t":{"t":"5","r":2,\#(other)},"m":[]}"#.utf8)
            #expect(try text.withUnsafeBytes { try reader.read($0).cursor.followsGap } == false)
        }
    }

    @Test func `PV-181: an answer that says that nothing is missing is written and read so`() throws {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 5), region: 2, isComplete: true)
        let bytes = PubNubFrames.answer(cursor)
        #expect(Self.text(bytes) == #"{"t":{"t":"5","r":2,"d":false},"m":[]}"#)
        var reader = PubNubSubscribeReader(rememberedNames: 1)
        #expect(try bytes.withUnsafeBytes { try reader.read($0).cursor } == cursor)
        for other in [#""d":true"#, #""d":0"#, #""d":null"#, #""d":"false""#, #""x":false"#] {
            let text = Array(#"{"t":{"t":"5","r":2,\#(other)},"m":[]}"#.utf8)
            #expect(try text.withUnsafeBytes { try reader.read($0).cursor.isComplete } == false)
        }
    }

    @Test("An answer is the cursor and the elements; without messages the list is empty (PN-19)")
    func answers() {
        let cursor = PubNubCursor(timetoken: Timetoken(rawValue: 17), region: 1)
        #expect(Self.text(PubNubFrames.answer(cursor)) == #"{"t":{"t":"17","r":1},"m":[]}"#)
        let body = PubNubFrames.answer(
            cursor, [(Self.envelope.shared, "ch\"1"), (Self.envelope.shared, "g"), (Self.envelope.shared, nil)])
        let decoded = PubNubWire.decode(body)
        #expect(decoded.cursor == cursor)
        let expected = PubNubMessage(
            channel: "ch\"1", kind: .signal, publisher: "é", timetoken: Timetoken(rawValue: 5), region: 2, sequence: 7,
            payload: #"{"x":[1]}"#, metadata: #"{"a":1}"#, customType: "t-1")
        var grouped = expected
        grouped.subscription = "g"
        #expect(decoded.messages == [expected, grouped, expected])
    }

    @Test("Publishing and the time are answered with arrays (PN-21)")
    func arrays() {
        let now = Timetoken(rawValue: 15_782_703_013_118_714)
        #expect(Self.text(PubNubFrames.sent(now)) == #"[1,"Sent","15782703013118714"]"#)
        #expect(Self.text(PubNubFrames.time(now)) == "[15782703013118714]")
        #expect(Self.text(PubNubErrorBody.invalidKey(now).body) == #"[0,"Invalid Key","15782703013118714"]"#)
        #expect(Self.text(PubNubErrorBody.signalTooLarge(now).body) == #"[0,"Signal size too large","15782703013118714"]"#)
    }

    @Test("Refusals have the recorded bodies (PN-24)")
    func refusals() {
        #expect(
            Self.text(PubNubErrorBody.forbidden(channels: ["test-channel1"]).body) == PubNubAnswerDecoderTests.forbidden)
        #expect(
            Self.text(PubNubErrorBody.forbidden(groups: ["test-channel-group1"]).body)
                == #"{"message":"Forbidden","payload":{"channel-groups":[":test-channel-group1"]},"#
                + #""error":true,"service":"Access Manager","status":403}"#)
        #expect(
            Self.text(PubNubErrorBody.tokenIsRevoked.body)
                == #"{"error":true,"status":403,"service":"Access Manager","message":"Token is revoked"}"#)
        #expect(
            Self.text(PubNubErrorBody.invalidSubscribeKey.body)
                == #"{"message":"Invalid Subscribe Key","error":true,"service":"Access Manager","status":400}"#)
        #expect(
            Self.text(PubNubErrorBody.uriTooLong.body)
                == #"{"status":414,"service":"Balancer","error":true,"message":"Request URI Too Long"}"#)
        #expect(
            Self.text(PubNubErrorBody.reservedCharacter.body)
                == #"{"status": 400, "message": "Reserved character in input parameters.", "#
                + #""service": "channel-registry", "error": true}"#)
        #expect(
            Self.text(PubNubErrorBody.noState.body)
                == #"{"status": 400, "error": 1, "message": "No state specified.", "service": "Presence"}"#)
        #expect(
            Self.text(PubNubErrorBody.invalidArguments.body)
                == #"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
        #expect(Self.text(PubNubErrorBody.historyFailed.body) == #"{"status": 500, "error": true, "error_message": ""}"#)
    }

    @Test("A client understands every refusal (PN-24, PN-10)")
    func understood() {
        let now = Timetoken(rawValue: 1)
        let refusals: [(PubNubErrorBody, StatusCategory)] = [
            (.invalidKey(now), .badRequest), (.invalidJSON(now), .badRequest), (.messageTooLarge(now), .unknown),
            (.signalTooLarge(now), .badRequest), (.invalidSubscribeKey, .badRequest), (.couldNotParse, .badRequest),
            (.serviceUnavailable, .overloaded), (.tokenIsRevoked, .accessDenied), (.tokenIsExpired, .accessDenied),
            (.forbidden(channels: ["a\""], groups: ["g"]), .accessDenied), (.uriTooLong, .requestTooLong),
            (.tooManyRequests, .overloaded), (.bodyTooLarge, .unknown), (.malformedFilter("un\"closed"), .malformedFilter),
            (.reservedCharacter, .badRequest), (.tooManyGroups, .badRequest), (.noState, .badRequest),
            (.notFound("/x"), .unknown), (.invalidArguments, .badRequest), (.history(403, "off"), .accessDenied),
        ]
        for (refusal, category) in refusals {
            for isPoll in [true, false] {
                let problem = PubNubWire.decode(
                    refusal.body, status: refusal.status, type: refusal.contentType, isPoll: isPoll
                ).problem
                #expect(problem?.category == category)
                #expect(problem?.information?.isEmpty == false, "\(refusal)")
                #expect(problem?.failure.httpStatus == refusal.status)
            }
        }
    }
}
