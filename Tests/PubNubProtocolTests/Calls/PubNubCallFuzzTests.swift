import ConnectionEngine
import Testing

@testable import PubNubProtocol

@Suite("Answers to calls under hostile input")
struct PubNubCallFuzzTests {
    /// Reads bytes as the answer to one call; true when they were one.
    typealias Reader = @Sendable ([UInt8]) -> Bool

    static func reader(_ call: some PubNubCall) -> Reader {
        { bytes in
            do throws(PubNubProblem) {
                _ = try call.answer(bytes)
                return true
            } catch {
                return false
            }
        }
    }

    static let device = PubNubPushDevice(service: .apns, token: "ab")
    static let action = #"{"type":"t","value":"v","uuid":"u","actionTimetoken":"2","messageTimetoken":"1"}"#

    static let cases: [(reader: Reader, body: [UInt8])] = [
        (reader(PubNubPublishCall(channel: "c", message: "1")), #"[1,"Sent","15782703013118714"]"#),
        (reader(PubNubTimeCall()), "[15808218107205592]"),
        (
            reader(PubNubHistoryCall(channel: "c", includesTimetoken: true)),
            #"[[{"message":{"é":"\u00e9"},"timetoken":15782701000000001,"meta":""}],1,2]"#
        ),
        (
            reader(PubNubFetchCall(channels: ["c"], includesActions: true)),
            #"{"channels":{"a%20b":[{"message":1,"timetoken":"2","message_type":null,"actions":{"t":{"v":[{"uuid":"u"}]}}}]},"more":{"max":25}}"#
        ),
        (reader(PubNubDeleteCall(channel: "c")), #"{"status":200,"error":false,"error_message":""}"#),
        (reader(PubNubCountsCall(channels: ["a"], timetokens: [.zero])), #"{"channels":{"a":3}}"#),
        (reader(PubNubHereNowCall(channels: ["c"])), #"{"occupancy":2,"uuids":["a",{"uuid":"b","state":{}}]}"#),
        (
            reader(PubNubHereNowCall()),
            #"{"payload":{"channels":{"a":{"occupancy":1,"uuids":[]}},"total_channels":1,"total_occupancy":1}}"#
        ),
        (reader(PubNubWhereNowCall(userID: "u")), #"{"payload":{"channels":["a"]}}"#),
        (reader(PubNubGetStateCall(channels: ["c"], userID: "u")), #"{"payload":{"channels":{"ch":{"k":1}}}}"#),
        (reader(PubNubSetStateCall(channels: ["c"], userID: "u", state: "{}")), #"{"payload":{"k":1}}"#),
        (reader(PubNubListGroupsCall()), #"{"payload":{"groups":["g"]}}"#),
        (reader(PubNubListPushCall(device: device)), #"["ch1","ch2"]"#),
        (reader(PubNubRemovePushCall(device: device)), #"[1, "Removed Device"]"#),
        (
            reader(PubNubObjectsCall(.get, .users)),
            #"{"status":200,"data":[{"id":"u","custom":null}],"totalCount":9,"next":"MQ"}"#
        ),
        (
            reader(PubNubUploadCall(channel: "c", name: "n")),
            #"{"data":{"id":"i"},"file_upload_request":{"url":"http://x/","form_fields":[{"key":"k","value":"v"}]}}"#
        ),
        (reader(PubNubListFilesCall(channel: "c")), #"{"data":[{"name":"n","id":"i","size":5}],"next":null,"count":1}"#),
        (reader(PubNubFetchActionsCall(channel: "c")), #"{"status":200,"data":[\#(action)],"more":{"start":"1"}}"#),
    ].map { ($0.0, Array($0.1.utf8)) }

    @Test("Every answer that is cut off anywhere is refused")
    func truncations() {
        for (index, sample) in Self.cases.enumerated() {
            #expect(sample.reader(sample.body), "case \(index)")
            for length in 0..<sample.body.count {
                #expect(!sample.reader(Array(sample.body[..<length])), "case \(index), \(length) bytes")
            }
        }
    }

    @Test("60,000 seeded mutations are read or refused", .timeLimit(.minutes(2)))
    func mutations() {
        var random = SeededRandom(seed: 417)
        let interesting = Array("\"\\{}[]:,u0e-. nt".utf8) + [0x00, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        var accepted = 0
        for round in 0..<60_000 {
            let sample = Self.cases[round % Self.cases.count]
            var bytes = sample.body
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = interesting.randomElement(using: &random) ?? 0
                case 1 where bytes.count > 1: bytes.remove(at: at)
                default: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: at)
                }
            }
            if sample.reader(bytes) { accepted += 1 }
        }
        // Changes inside of texts and numbers leave answers good.
        #expect((1_000...58_000).contains(accepted), "\(accepted) accepted")
    }
}
