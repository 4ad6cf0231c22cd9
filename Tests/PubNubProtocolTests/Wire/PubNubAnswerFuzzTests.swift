import ConnectionEngine
import Foundation
import Testing

@testable import PubNubProtocol

@Suite("PubNub answers under hostile input")
struct PubNubAnswerFuzzTests {
    static let answers: [[UInt8]] =
        [
            PubNubWire.answer(PubNubWire.messages), PubNubWire.answer(PubNubWire.presence),
            PubNubWire.answer([PubNubWire.messages[2], PubNubWire.presence[3]], timetoken: "17", region: #""3""#),
            #"{ "m" : [ { "\u0063" : "a" , "d" : [ {"a":[1,-2.5e+3,true,null]} , "\ud83c\udf75" ] } ] , "t" : { "t" : 0 } }"#,
        ].map { Array($0.utf8) }
        + [
            PubNubFrames.answer(
                PubNubCursor(timetoken: Timetoken(rawValue: .max), region: 1), [(PubNubFramesTests.envelope.shared, "g")])
        ]

    static let others: [[UInt8]] = [
        Array(PubNubAnswerDecoderTests.forbidden.utf8), PubNubErrorBody.invalidKey(Timetoken(rawValue: 17)).body,
        Array(#"{"error":{"message":"Invalid ttl","details":[{"message":"Range."}]},"status":400}"#.utf8),
        PubNubFrames.time(Timetoken(rawValue: 15_808_218_107_205_592)), PubNubErrorBody.reservedCharacter.body,
    ]

    @Test("Every answer that is cut off anywhere is malformed, polls and calls")
    func truncations() {
        for body in Self.answers {
            #expect(PubNubWire.decode(body).messages != nil)
            for length in 0..<body.count {
                for isPoll in [true, false] {
                    let answer = PubNubWire.decode(Array(body[..<length]), isPoll: isPoll)
                    #expect(answer.problem?.category == .malformedResponse, "\(length) bytes")
                }
            }
        }
        for body in Self.others {
            for length in 0..<body.count {
                let problem = PubNubWire.decode(Array(body[..<length]), status: 403, isPoll: true).problem
                #expect(problem?.category == .accessDenied && problem?.information == nil)
                let call = PubNubWire.decode(Array(body[..<length]), isPoll: false).problem
                #expect(call?.category == .malformedResponse)
            }
        }
    }

    static func mutated(_ message: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = message
        let interesting: [UInt8] = Array("\"\\{}[]:,u0e-. tmcdpb9\u{0}".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF]
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

    @Test(
        "200,000 seeded mutations are read, read in part or refused, and what is read reads the same again (B6)",
        .timeLimit(.minutes(2)))
    func mutations() {
        var random = SeededRandom(seed: 2025)
        var remembering = PubNubAnswerDecoder(rememberedNames: 8)
        let bodies = Self.answers + Self.others
        var read = 0
        var refused = 0
        var parts = 0
        for round in 0..<200_000 {
            let body = Self.mutated(bodies[round % bodies.count], &random)
            switch PubNubWire.decode(&remembering, body, status: round % 3 == 0 ? 403 : 200, isPoll: round % 7 != 0) {
            case .subscribed(let cursor, let messages):
                read += 1
                guard round % 16 == 1 else { continue }
                let written = PubNubFrames.answer(
                    PubNubCursor(timetoken: cursor.timetoken, region: cursor.region ?? 1),
                    messages.map { (Self.envelope($0).shared, $0.subscription) })
                #expect(PubNubWire.decode(written).messages == messages.map(Self.readAgain))
                _ = messages.map { PubNubPresenceEvent($0) }
            case .partlyRead(_, let messages, let unreadable):
                parts += 1
                #expect(unreadable > 0 && messages.count + unreadable <= 64)
            case .other(let bytes):
                #expect(bytes == body)
            case .problem(let problem):
                refused += 1
                #expect(problem.category != .connected)
            }
        }
        #expect(read > 5_000)
        #expect(refused > 10_000)
        #expect(parts > 1_000)
    }

    static func envelope(_ message: PubNubMessage) -> PubNubEnvelope {
        PubNubEnvelope(
            channel: message.channel, kind: message.kind, publisher: message.publisher, sequence: message.sequence,
            customType: message.customType, timetoken: message.timetoken, region: message.region ?? 1, subscribeKey: "demo",
            metadata: message.metadata.map { Array($0.utf8) }, payload: Array(message.payload.utf8))
    }

    /// The same, but for the region, which servers always write.
    static func readAgain(_ message: PubNubMessage) -> PubNubMessage {
        var message = message
        message.region = message.region ?? 1
        return message
    }

    @Test("Foundation's parser agrees on what is JSON", .timeLimit(.minutes(2)))
    func agreesWithFoundation() {
        var random = SeededRandom(seed: 77)
        var both = 0
        for round in 0..<5_000 {
            let body = Self.mutated(Self.answers[round % Self.answers.count], &random)
            let theirs = try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
            // Bytes that are not UTF-8 are left out here and refused there.
            guard String(validating: body, as: UTF8.self) != nil, let messages = PubNubWire.decode(body).messages else {
                continue
            }
            both += 1
            let object = theirs as? [String: Any]
            #expect((object?["m"] as? [Any])?.count == messages.count, "\(String(decoding: body, as: UTF8.self))")
        }
        #expect(both > 500)
    }
}
