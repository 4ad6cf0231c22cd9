import Foundation
import Testing

@testable import Lifeline

@Suite("Bytes as messages")
struct BinaryPayloadTests {
    private func message(_ text: String) -> Message { Message(channel: "room", text: text, receivedAt: .zero) }

    @Test func `LL-130: bytes are an object with standard base64`() throws {
        #expect(BinaryPayload.json(of: Data([0xFB, 0xFF, 0x00])) == #"{"base64":"+/8A"}"#)
        #expect(try message(#"{"base64":"+/8A"}"#).decodeData() == Data([0xFB, 0xFF, 0x00]))
        #expect(try message(#"{"base64":"+\/8A","more":1}"#).decodeData() == Data([0xFB, 0xFF, 0x00]))
        #expect(try message(#"{"base64":""}"#).decodeData().isEmpty)
    }

    @Test(arguments: [
        "", "hello", "1", "null", #""+/8A""#, "{}", #"{"base64":1}"#, #"{"base64":"-_8A"}"#, #"{"base64":"+/8"}"#,
        #"{"base64":"+/ 8A"}"#, #"{"base64":"+/8A"#, #"[{"base64":"+/8A"}]"#,
    ])
    func `LL-130: any other payload is undecodable, and the error does not show it`(text: String) {
        let error = #expect(throws: LifelineError.self) { _ = try message(text).decodeData() }
        #expect(error?.code == .undecodable && error?.reason.contains("8A") == false)
    }

    @Test func `LL-130: an outbox takes bytes`() async throws {
        let (client, adapter) = scriptedClient()
        let outbox = try await client.outbox()
        let receipt = try outbox.publish(data: Data([1, 2]), to: "room", event: "bytes")
        adapter.change(to: .connected)
        guard case .accepted = try await receipt.outcome() else { return #expect(Bool(false), "not accepted") }
        let sent = adapter.calls.compactMap { if case .publish(let publication) = $0 { publication.json } else { nil } }
        #expect(sent == [#"{"base64":"AQI="}"#])
        await outbox.close()
    }
}
