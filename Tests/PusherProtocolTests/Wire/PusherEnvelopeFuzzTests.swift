import ConnectionEngine
import Foundation
import PusherProtocol
import Testing

@Suite("The envelope under hostile input")
struct PusherEnvelopeFuzzTests {
    static let messages: [[UInt8]] = [
        PusherFrames.connectionEstablished(socketID: "123.456", activityTimeout: 120),
        PusherFrames.subscriptionSucceeded(
            channel: "presence-a",
            members: [PusherMember(userID: "1", infoJSON: #"{"name":"é\u00e9"}"#), PusherMember(userID: "2")]),
        PusherFrames.event(name: "client-x", channel: "private-y", data: "{\"a\":\"\\\"🍵\\n\"}", userID: "u"),
        PusherFrames.error(code: 4301, message: "Too \"fast\""), PusherFrames.ping,
        Array(PusherClientFrames.subscribe(channel: "presence-a", auth: "k:s", channelData: #"{"user_id":1}"#).utf8),
        Array(#"{ "extra" : [ {"a":[1,-2.5e+3,true,null]} , "\ud83c\udf75" ] , "user_id" : 12 , "event" : "e\u0041" }"#.utf8),
    ]

    @Test("Every message that is cut off anywhere gives an error")
    func truncations() {
        for message in Self.messages {
            #expect(throws: Never.self) { try PusherEnvelope(parsing: message) }
            for length in 0..<message.count {
                do throws(PusherEnvelopeError) {
                    let envelope = try PusherEnvelope(parsing: Array(message[..<length]))
                    Issue.record("\(length) bytes gave \(envelope)")
                } catch .syntax(let error) {
                    #expect(error.offset <= length)
                } catch {
                    Issue.record("\(length) bytes gave \(error)")
                }
            }
        }
    }

    static func mutated(_ message: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = message
        let interesting: [UInt8] = Array("\"\\{}[]:,u0e-. \u{0}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF]
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = Int.random(in: 0..<max(bytes.count, 1), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where !bytes.isEmpty: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 1 where !bytes.isEmpty: bytes[at] = interesting.randomElement(using: &random) ?? 0
            case 2 where !bytes.isEmpty: bytes.remove(at: at)
            case 3: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: min(at, bytes.count))
            default:
                let end = min(bytes.count, at + Int.random(in: 1...8, using: &random))
                bytes.insert(contentsOf: bytes[min(at, end)..<end], at: min(at, bytes.count))
            }
        }
        return bytes
    }

    @Test("200,000 seeded mutations are read or refused, and what is read reads the same again", .timeLimit(.minutes(2)))
    func mutations() {
        var random = SeededRandom(seed: 2024)
        var parser = PusherEnvelopeParser()
        var accepted = 0
        for round in 0..<200_000 {
            let bytes = Self.mutated(Self.messages[round % Self.messages.count], &random)
            // The remembering parser may only be given UTF-8.
            guard String(validating: bytes, as: UTF8.self) != nil else {
                #expect(throws: PusherEnvelopeError.self) { try PusherEnvelope(parsing: bytes) }
                continue
            }
            guard let envelope = bytes.withUnsafeBytes({ try? parser.parse($0) }) else { continue }
            accepted += 1
            if round % 16 == 0 {
                #expect((try? PusherEnvelope(parsing: bytes)) == envelope)
            }
        }
        #expect(accepted > 10_000)
    }

    @Test("Foundation's parser agrees on what is JSON and on what it says", .timeLimit(.minutes(2)))
    func agreesWithFoundation() throws {
        var random = SeededRandom(seed: 99)
        var both = 0
        for round in 0..<10_000 {
            let bytes = Self.mutated(Self.messages[round % Self.messages.count], &random)
            let ours = Result { () throws(PusherEnvelopeError) in try PusherEnvelope(parsing: bytes) }
            let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            switch ours {
            case .success(let envelope):
                let object = try #require(theirs as? [String: Any], "\(String(decoding: bytes, as: UTF8.self))")
                both += 1
                // Foundation keeps the first of two equal keys on some platforms, so compare only when they agree on the event.
                if object["event"] as? String == envelope.event, envelope.dataIsString, let data = object["data"] as? String {
                    #expect(data == envelope.data)
                }
            case .failure(.syntax(let error)):
                // Foundation lets a comma pass before a closing brace; RFC 8259 does not.
                let lenient = error.offset < bytes.count && bytes[error.offset] == UInt8(ascii: "}")
                if theirs != nil, !lenient { Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(error)") }
            case .failure:
                #expect(theirs != nil)
            }
        }
        #expect(both > 500)
    }

    @Test("A message that is repeated is read in the same way each time, by one parser and by a new one")
    func repeated() throws {
        let frame = PusherFrames.event(
            name: "new-price", channel: "private-prices", data: #"{"company":"ACME","price":3.25,"text":"a \"quoted\" word"}"#)
        var parser = PusherEnvelopeParser()
        let first = try PusherEnvelope(parsing: Array(frame))
        #expect(first.event == "new-price" && first.channel == "private-prices")
        for _ in 0..<1_000 {
            let next = try frame.withUnsafeBytes { try parser.parse($0) }
            #expect(next == first)
        }
    }
}
