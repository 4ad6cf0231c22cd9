import Testing
import WireCoding

@testable import Lifeline

/// Run for every kind of channel of every service.
@Suite("Every service: a value arrives as it was published (LL-69)", .serialized, .timeLimit(.minutes(2)))
struct ValueContractTests {
    /// Texts that look like something else, and values of the other kinds, as canonical JSON.
    private static let values = [
        #""3""#, #""true""#, #""null""#, #""{\"a\":1}""#, #""[1]""#, #""\"quoted\"""#, #""""#, #""two\nlines \\ grüße 😀""#,
        "3", "-1.5", "true", "null", #"[1,"2",null]"#, #"{"a":"1","b":{"c":[true]}}"#, "{}",
    ]

    @Test("As JSON text", arguments: ServiceUnderTest.allCases)
    func json(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let messages = room.messages
            let (_, talk) = try await stage.joined("ben")
            for value in Self.values { #expect(try await talk.publish(json: value, event: "note").isAccepted, "\(value)") }
            var arrived: [JSONValue] = []
            for await message in messages.prefix(Self.values.count) { arrived.append(try JSONValue(parsing: message.data)) }
            #expect(arrived == (try Self.values.map { try Self.expected($0, kind) }))
        }
    }

    @Test("As Swift values, also what the publisher hears of them", arguments: ServiceUnderTest.allCases)
    func encoded(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let messages = room.messages
            let (_, talk) = try await stage.joined("ben")
            let echoes = talk.messages
            let texts = ["3", "true", "null", #"{"a":1}"#, "", "hello", #""quoted""#]
            for text in texts { #expect(try await talk.publish(text).isAccepted, "\(text)") }
            for heard in [messages, echoes] {
                var arrived: [JSONValue] = []
                for await message in heard.prefix(texts.count) { arrived.append(try JSONValue(parsing: message.data)) }
                #expect(arrived == (try texts.map { try Self.expected(JSONWriter.string($0), kind) }))
            }
        }
    }

    private static func expected(_ json: String, _ kind: ServiceUnderTest) throws -> JSONValue {
        let isWrapped = kind.serviceName == "Nexconn Chat" && json.utf8.first != UInt8(ascii: "{")
        return try JSONValue(parsing: isWrapped ? #"{"content":\#(json)}"# : json)
    }
}
