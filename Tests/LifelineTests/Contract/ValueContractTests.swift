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
            try await Self.expect(Self.values, of: kind, in: messages)
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
            for heard in [messages, echoes] { try await Self.expect(texts.map { JSONWriter.string($0) }, of: kind, in: heard) }
        }
    }

    private static func expect(_ values: [String], of kind: ServiceUnderTest, in messages: Messages) async throws {
        var arrived: [JSONValue] = []
        for await message in messages.prefix(values.count) { arrived.append(try JSONValue(parsing: message.data)) }
        #expect(arrived == (try values.map { try expected($0, kind) }))
    }

    private static func expected(_ json: String, _ kind: ServiceUnderTest) throws -> JSONValue {
        let isWrapped = kind.serviceName == "Nexconn Chat" && json.utf8.first != UInt8(ascii: "{")
        return try JSONValue(parsing: isWrapped ? #"{"content":\#(json)}"# : json)
    }
}
