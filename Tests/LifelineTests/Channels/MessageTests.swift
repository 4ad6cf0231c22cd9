import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Messages and publications")
struct MessageTests {
    struct Price: Codable, Equatable {
        var company: String
        var price: Int
    }

    @Test(
        "The payload is given as JSON text, whatever it is",
        arguments: [
            (#"{"a": 1}"#, #"{"a": 1}"#), ("5", "5"), (" true ", "true"), ("hello", #""hello""#), ("", #""""#),
            (#"say "hi""#, #""say \"hi\"""#), ("{broken", #""{broken""#), ("[1,2]", "[1,2]"),
        ])
    func dataIsJSON(text: String, data: String) {
        #expect(message(text).data == data)
    }

    @Test("A payload decodes as a value, plain text as a string")
    func decodes() throws {
        #expect(try message(#"{"company":"ACME","price":3}"#).decode(Price.self) == Price(company: "ACME", price: 3))
        #expect(try message("hello").decode(String.self) == "hello")
    }

    @Test("An error of decoding names the type and the place, never the payload")
    func decodingErrors() {
        let error = #expect(throws: LifelineError.self) {
            try message(#"{"company":"secret payload","price":"x"}"#).decode(Price.self)
        }
        #expect(error?.code == .undecodable)
        #expect(error?.reason == "The payload cannot be decoded as Price: price has another type.")
        let missing = #expect(throws: LifelineError.self) { try message(#"{"company":"secret"}"#).decode(Price.self) }
        #expect(missing?.reason == "The payload cannot be decoded as Price: it has no price.")
    }

    @Test("A publication that is no JSON is refused before anything is sent")
    func publicationChecksJSON() async throws {
        let (client, adapter) = scriptedClient()
        let error = await #expect(throws: LifelineError.self) {
            try await client.channel("room").publish(json: "{oops", event: "e")
        }
        #expect(error?.code == .badRequest)
        #expect(adapter.calls.isEmpty)
        _ = try await client.channel("room").publish(Price(company: "A/B", price: 3), event: "e")
        #expect(adapter.calls == [.publish(try Publication(channel: "room", event: "e", json: #"{"company":"A/B","price":3}"#))])
    }

    private func message(_ text: String) -> Message {
        Message(channel: "room", event: "e", text: text, receivedAt: .zero)
    }
}
