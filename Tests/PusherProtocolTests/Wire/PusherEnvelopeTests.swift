import PusherProtocol
import Testing
import WireCoding

@Suite("The envelope of a message (rules PW-1 to PW-6)")
struct PusherEnvelopeTests {
    @Test("All keys are read, and data is unescaped once")
    func allKeys() throws {
        let envelope = try PusherEnvelope(
            parsing:
                #"{"event":"client-say","channel":"presence-a","data":"{\"text\":\"tea \\\"now\\\" \u00e9\"}","user_id":"u1"}"#)
        #expect(envelope.event == "client-say")
        #expect(envelope.channel == "presence-a")
        #expect(envelope.data == #"{"text":"tea \"now\" é"}"#)
        #expect(envelope.dataKind == .string)
        #expect(envelope.dataIsString)
        #expect(envelope.userID == "u1")
        #expect(envelope.extras == nil)
    }

    @Test(
        "Data that is no string stays as it was written",
        arguments: [
            (#"{ "b" : [1, 2.50e3, "x\"y"] , "a":null}"#, JSONKind.object), ("[1 , 2]", .array), ("-0.5e-7", .number),
            ("true", .bool), ("false", .bool), ("null", .null), ("{}", .object), ("[]", .array),
            ("12345678901234567890123", .number),
        ])
    func rawData(_ text: String, _ kind: JSONKind) throws {
        let envelope = try PusherEnvelope(parsing: " { \"data\" :\t\(text) , \"event\" : \"e\" } ")
        #expect(envelope.data == text)
        #expect(envelope.dataKind == kind)
        #expect(!envelope.dataIsString)
    }

    @Test("Missing data differs from null data")
    func missingData() throws {
        let missing = try PusherEnvelope(parsing: #"{"event":"e"}"#)
        #expect(missing.data == nil)
        #expect(missing.dataKind == nil)
        #expect(try PusherEnvelope(parsing: #"{"event":"e","data":null}"#).data == "null")
    }

    @Test(
        "User ids that are numbers become their text",
        arguments: [
            ("7", "7"), ("-7", "-7"), (#""a\u0062""#, "ab"), ("null", nil), ("12345678901234567890", "12345678901234567890"),
        ]
            as [(String, String?)])
    func userIDs(_ json: String, _ id: String?) throws {
        #expect(try PusherEnvelope(parsing: #"{"event":"e","user_id":\#(json)}"#).userID == id)
    }

    @Test("The last of a repeated key counts, whatever its kind")
    func duplicates() throws {
        let envelope = try PusherEnvelope(
            parsing: #"{"event":"a","data":"x","x":1,"channel":"c","event":"b","data":[1],"x":2,"channel":null}"#)
        #expect(envelope == PusherEnvelope(event: "b", data: "[1]", dataKind: .array, extras: #"{"x":2}"#))
    }

    @Test("Keys are compared by meaning, not by spelling")
    func escapedKeys() throws {
        let envelope = try PusherEnvelope(
            parsing: #"{"\u0065vent":"e","ch\u0061nnel":"c","dat\u0061":"d","user\u005fid":"u","events":1,"Event":2}"#)
        #expect(
            envelope == PusherEnvelope(event: "e", channel: "c", data: "d", userID: "u", extras: #"{"events":1,"Event":2}"#))
    }

    @Test("Unknown keys are kept as they were written")
    func extras() throws {
        let envelope = try PusherEnvelope(
            parsing: #"{"time":1.50,"event":"e","a\"\n":{"b":[ 1 ]},"none":null,"s":"\u00e9"}"#)
        #expect(envelope.extras == #"{"time":1.50,"a\"\n":{"b":[ 1 ]},"none":null,"s":"\u00e9"}"#)
        _ = try JSONText(#require(envelope.extras))
    }

    // Proof of PW-4.
    @Test("Unknown keys are bounded in number")
    func manyKeys() {
        func message(_ count: Int) -> String {
            "{\"event\":\"e\"" + (0..<count).map { ",\"k\($0)\":0" }.joined() + "}"
        }
        #expect(throws: Never.self) { try PusherEnvelope(parsing: message(64)) }
        #expect(throws: PusherEnvelopeError.tooManyKeys) { try PusherEnvelope(parsing: message(65)) }
    }

    @Test(
        "What is no message says why",
        arguments: [
            ("{}", .missingEvent), (#"{"channel":"c"}"#, .missingEvent), ("[]", .notAnObject), ("\"text\"", .notAnObject),
            ("null", .notAnObject), (#"{"event":1}"#, .eventIsNotAString), (#"{"event":null}"#, .eventIsNotAString),
            (#"{"event":"e","channel":[]}"#, .channelIsNotAString),
            (#"{"event":"e","user_id":true}"#, .userIDIsNeitherStringNorNumber),
            ("", .syntax(JSONSyntaxError(.truncated, at: 0))),
            ("<html>", .syntax(JSONSyntaxError(.unexpectedByte, at: 0))),
            (#"{"event":"e"} x"#, .syntax(JSONSyntaxError(.trailingBytes, at: 14))),
            (#"{"event":"e",}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 13))),
            (#"{"event" "e"}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 9))),
            ("{\"event\":\"a\u{1}\"}", .syntax(JSONSyntaxError(.controlCharacter, at: 11))),
            (#"{"event":"\x"}"#, .syntax(JSONSyntaxError(.invalidEscape, at: 10))),
            (#"{"event":"\u12G4"}"#, .syntax(JSONSyntaxError(.invalidEscape, at: 14))),
            (#"{"event":"\ud800"}"#, .syntax(JSONSyntaxError(.loneSurrogate, at: 10))),
            (#"{"event":"\udc00\ud800"}"#, .syntax(JSONSyntaxError(.loneSurrogate, at: 10))),
            (#"{"event":"e","data":01}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 21))),
            (#"{"event":"e","data":1.}"#, .syntax(JSONSyntaxError(.invalidNumber, at: 22))),
            (#"{"event":"e","data":-}"#, .syntax(JSONSyntaxError(.invalidNumber, at: 21))),
            (#"{"event":"e","data":tru}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 23))),
            (#"{"event":"e","data":[1}}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 22))),
            (#"{"event":"e","data":{"a":1,}}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 27))),
            // Broken JSON is reported as such even when the meaning is wrong as well.
            (#"{"event":1,"data":}"#, .syntax(JSONSyntaxError(.unexpectedByte, at: 18))),
        ] as [(String, PusherEnvelopeError)])
    func errors(_ text: String, _ error: PusherEnvelopeError) {
        #expect(throws: error) { try PusherEnvelope(parsing: text) }
    }

    // Proof of PW-4.
    @Test("Nesting is bounded")
    func depth() {
        func message(_ depth: Int) -> String {
            #"{"event":"e","data":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(throws: Never.self) { try PusherEnvelope(parsing: message(512)) }
        #expect(throws: PusherEnvelopeError.syntax(JSONSyntaxError(.tooDeep, at: 533))) {
            try PusherEnvelope(parsing: message(513))
        }
        let mixed = String(repeating: #"{"a":["#, count: 256) + String(repeating: "]}", count: 256)
        #expect(throws: Never.self) { try PusherEnvelope(parsing: #"{"event":"e","data":\#(mixed)}"#) }
        let crossed = String(repeating: #"{"a":["#, count: 256) + "}" + String(repeating: "]}", count: 255) + "]"
        #expect(throws: PusherEnvelopeError.self) { try PusherEnvelope(parsing: #"{"event":"e","data":\#(crossed)}"#) }
    }

    @Test("Bytes that nobody has checked have to be UTF-8")
    func invalidUTF8() throws {
        let head = Array(#"{"event":"e","data":""#.utf8)
        let tail = Array("\"}".utf8)
        for (bytes, valid) in [
            ([0xC3, 0xA9], true), ([0xE2, 0x82, 0xAC], true), ([0xF0, 0x9F, 0x8D, 0xB5], true), ([0xFF], false),
            ([0xC0, 0xAF], false), ([0xED, 0xA0, 0x80], false), ([0xF4, 0x90, 0x80, 0x80], false), ([0xE2, 0x82], false),
            ([0x80], false), ([0xF8, 0x88, 0x80, 0x80], false), ([0xE0, 0x80, 0x80], false),
        ] as [([UInt8], Bool)] {
            let parsed = try? PusherEnvelope(parsing: head + bytes + tail)
            #expect((parsed != nil) == valid)
            #expect((String(validating: bytes, as: UTF8.self) != nil) == valid)
        }
    }

    // Proof of PW-4.
    @Test("A name that comes again is shared, and never mistaken for another")
    func names() throws {
        var parser = PusherEnvelopeParser(rememberedNames: 4)
        for round in 0..<3 {
            for index in 0..<200 {
                let event = "event-\(index)", channel = "private-channel-number-\(index % 17)-and-more"
                let text = #"{"event":"\#(event)","channel":"\#(channel)","data":"\#(round)"}"#
                let envelope = try Array(text.utf8).withUnsafeBytes { try parser.parse($0) }
                #expect(envelope == PusherEnvelope(event: event, channel: channel, data: "\(round)"))
            }
        }
    }

    @Test("Data of every length and alignment comes out as it went in")
    func lengths() throws {
        var parser = PusherEnvelopeParser()
        let pieces = ["\"", "\\", "a", "é", "🍵", "/", "\n", "\u{0}", "\u{7F}", "0123456789abcdef"]
        for length in 0..<120 {
            for shift in 0..<pieces.count {
                let data = (0..<length).map { pieces[($0 * 7 + shift * 3 + $0 / 5) % pieces.count] }.joined()
                let frame = PusherFrames.event(name: "e", channel: "c", data: data)
                let envelope = try frame.withUnsafeBytes { try parser.parse($0) }
                #expect(envelope.data == data)
            }
        }
    }
}
