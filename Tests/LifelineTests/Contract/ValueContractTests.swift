import Foundation
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

    @Test(arguments: ServiceUnderTest.allCases)
    func `LL-130: bytes arrive as they were published, also what the publisher hears of them`(
        _ kind: ServiceUnderTest
    ) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let messages = room.messages
            let (_, talk) = try await stage.joined("ben")
            let echoes = talk.messages
            let values = [Data(), Data([0]), Data(0...255), Data(repeating: 0xFF, count: 5_000)]
            for value in values { #expect(try await talk.publish(data: value, event: "bytes").isAccepted) }
            try await talk.tick(1)
            for heard in [messages, echoes] {
                var arrived = heard.makeAsyncIterator()
                for value in values {
                    let message = try #require(await arrived.next())
                    #expect(message.event == "bytes")
                    #expect(try message.decodeData() == value)
                }
                let other = try #require(await arrived.next())
                let error = #expect(throws: LifelineError.self) { _ = try other.decodeData() }
                #expect(error?.code == .undecodable && error?.reason.contains("payl0ad") == false)
            }
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
