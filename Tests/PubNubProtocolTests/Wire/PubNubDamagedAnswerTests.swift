import ConnectionEngine
import Testing

@testable import PubNubProtocol

@Suite("Answers with a damaged element (rules PN-40 to PN-42)")
struct PubNubDamagedAnswerTests {
    static func element(_ channel: String, _ timetoken: Int, _ payload: String = #""good""#) -> String {
        #"{"a":"5","f":0,"i":"u","p":{"t":"\#(timetoken)","r":12},"k":"demo","c":"\#(channel)","d":\#(payload)}"#
    }

    static let good = ["first", "last"].enumerated().map { element($1, 20 + $0) }

    /// Elements that are no messages, whatever stands in front of them and behind.
    static let damaged: [(name: String, element: String)] = [
        ("null", "null"), ("a number", "17"), ("a string", #""text""#), ("a list", "[1,2]"), ("an empty object", "{}"),
        ("no payload", #"{"c":"a"}"#), ("no channel", #"{"d":1}"#), ("a channel that is a number", #"{"c":1,"d":1}"#),
        ("a channel that is null", #"{"c":null,"d":1}"#), ("an empty channel", #"{"c":"","d":1}"#),
        ("a channel that is a list", #"{"c":["a"],"d":1}"#),
        ("an unknown escape in the payload", element("a", 1, #""\q""#)),
        ("an unknown escape in the channel", element(#"a\x"#, 1)),
        ("half of a surrogate pair", element("a", 1, #""\ud83c""#)),
        ("the other half of a surrogate pair", element("a", 1, #""\udf75 x""#)),
        ("an escape without digits", element("a", 1, #""\u12""#)), ("a control character", element("a", 1, "\"a\u{1}b\"")),
        ("a line break in a string", element("a", 1, "\"a\nb\"")), ("a number with leading zeros", element("a", 1, "007")),
        ("a number without end", element("a", 1, "1e")), ("a word that is none", element("a", 1, "nul")),
        ("NaN", element("a", 1, "NaN")), ("a key without a value", element("a", 1, #"{"x":}"#)),
        ("two commas", element("a", 1, "[1,,2]")), ("a comma at the end", element("a", 1, "[1,]")),
        ("a key without quotation marks", element("a", 1, "{x:1}")),
        ("a list that ends as an object", element("a", 1, "[1}")),
        ("an object that ends as a list", element("a", 1, #"{"x":1]"#)),
        ("a list that does not end", element("a", 1, "[1")), ("an object that does not end", element("a", 1, #"{"x":{"y":1}"#)),
        ("a list that ends twice", element("a", 1, "[1]]")), ("an object that ends twice", element("a", 1, #"{"x":1}}"#)),
        ("a string that does not end", element("a", 1, #""abc"#)), ("a quotation mark too many", element("a", 1, #""ab"c""#)),
        ("nested too deeply", element("a", 1, String(repeating: "[", count: 600) + String(repeating: "]", count: 600))),
        ("nothing", ""), ("cut off", #"{"c":"a","d""#), ("an element inside", element("a", 1, "[" + element("forged", 1) + "}")),
        ("elements inside", element("a", 1, "[" + element("forged", 1) + "," + element("forged", 2) + "}")),
    ]

    @Test("A damaged element costs itself only, and the position moves on", arguments: damaged.indices)
    func table(_ index: Int) throws {
        let (name, bad) = Self.damaged[index]
        for elements in [
            [Self.good[0], bad, Self.good[1]], [bad, Self.good[0], Self.good[1]], [bad, Self.good[0], bad, Self.good[1]],
        ] {
            let part = try #require(PubNubWire.decode(PubNubWire.answer(elements, timetoken: #""77""#)).part, "\(name)")
            #expect(part.cursor == PubNubCursor(timetoken: Timetoken(rawValue: 77), region: 12))
            #expect(part.messages.map(\.channel).filter { $0 != "forged" } == ["first", "last"], "\(name)")
            #expect(part.unreadable > 0, "\(name)")
        }
    }

    @Test("Absurd numbers count as missing")
    func numbers() throws {
        let body = PubNubWire.answer([
            #"{"c":"a","d":1,"p":{"t":"99999999999999999999999","r":1e400},"e":1e99,"s":-7,"f":123456789012345678901234567890}"#,
            Self.good[0],
        ])
        let messages = try #require(PubNubWire.decode(body).messages)
        #expect(messages.map(\.channel) == ["a", "first"])
        #expect(messages[0].timetoken.rawValue == 15_808_216_792_242_600 && messages[0].kind == .message)
    }

    @Test("Bytes that are not UTF-8 are left out, wherever they are, and everything is delivered (PN-41)")
    func notUTF8() throws {
        var body = Array(PubNubWire.answer([Self.element("nul-channel.~", 1, #""hel~lo""#), Self.good[0]]).utf8)
        for index in body.indices where body[index] == UInt8(ascii: "~") { body[index] = 0xFF }
        let messages = try #require(PubNubWire.decode(body).messages)
        #expect(messages.map(\.channel) == ["nul-channel.", "first"])
        #expect(messages[0].payload == #""hello""#)
        // Overlong forms, surrogates, code points beyond the last, continuation bytes alone, and what is cut off.
        for bytes: [UInt8] in [
            [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xE2, 0x82], [0xFE, 0xFF],
        ] {
            for place in [#"f":0"#, "first", #""good"#, #""k""#] {
                let text = PubNubWire.answer([Self.good[0], Self.good[1]])
                let parts = text.split(separator: place, maxSplits: 1, omittingEmptySubsequences: false)
                var body = Array(parts[0].utf8) + Array(place.utf8)
                body.insert(contentsOf: bytes, at: body.count - (place.hasSuffix("\"") ? 1 : 0))
                body += Array(parts[1].utf8)
                #expect(PubNubWire.decode(body).messages?.map(\.channel) == ["first", "last"], "\(bytes) \(place)")
            }
        }
    }

    @Test("What is cut off is not read in part, also with a damaged element in front (PN-42)")
    func cutOff() {
        for bad in Self.damaged {
            let body = Array(PubNubWire.answer([Self.good[0], bad.element, Self.good[1]]).utf8)
            // Behind the beginning of the last element, which is whole.
            for length in (body.count - 60)..<body.count {
                #expect(
                    PubNubWire.decode(Array(body[..<length])).problem?.category == .malformedResponse, "\(bad.name) \(length)")
            }
        }
    }

    @Test("Without a position an answer is malformed, whatever its elements are")
    func noCursor() {
        for bad in [
            #"{"t":{"t":"\q"},"m":[]}"#, #"{"t":{"t":"99999999999999999999999"},"m":[]}"#, #"{"t":[],"m":[\#(Self.good[0])]}"#,
        ] {
            #expect(PubNubWire.decode(bad).problem?.category == .malformedResponse)
        }
    }

    @Test("40,000 seeded mutations of an element: its neighbours are delivered and the position moves", .timeLimit(.minutes(2)))
    func mutations() {
        var random = SeededRandom(seed: 51)
        let samples = (PubNubWire.messages + PubNubWire.presence).map { Array($0.utf8) }
        let (head, tail) = (Array(#"{"t":{"t":"77","r":12},"m":["#.utf8), Array("]}".utf8))
        let comma = UInt8(ascii: ",")
        var parts = 0
        for round in 0..<40_000 {
            let bad = PubNubAnswerFuzzTests.mutated(samples[round % samples.count], &random)
            let body = head + Array(Self.good[0].utf8) + [comma] + bad + [comma] + Array(Self.good[1].utf8) + tail
            let answer = PubNubWire.decode(body)
            let messages = answer.messages ?? answer.part?.messages
            #expect((answer.cursor ?? answer.part?.cursor)?.timetoken.rawValue == 77, "\(String(decoding: bad, as: UTF8.self))")
            #expect(
                messages?.first?.channel == "first" && messages?.last?.channel == "last",
                "\(String(decoding: bad, as: UTF8.self))")
            if answer.part != nil { parts += 1 }
        }
        #expect(parts > 5_000)
    }

    // Proof of PN-40.
    @Test("Damage without end is given up in time", .timeLimit(.minutes(5)))
    func work() {
        // Each bracket and comma looks like the end of the damage, and what follows is long.
        let body = #"{"t":{"t":"1","r":1},"m":[{"c":"a","d":["# + String(repeating: #"],{"c":"b","d":["#, count: 30_000) + "}]}"
        #expect(PubNubWire.decode(body).messages == nil)
    }
}
