import ChatProtocol
import ConnectionEngine
import Testing

@Suite("Hostile input (reliability B6)")
struct ChatHostileInputTests {
    @Test("Every truncation of every frame is an error, and none is taken for a frame")
    func truncations() {
        for frame in FrameCatalogue.clientFrames {
            let bytes = ChatClientFrames.bytes(frame)
            for length in 0..<bytes.count {
                guard case .failure(let error) = FrameCatalogue.parse(Array(bytes[..<length])), error.kind == .malformed else {
                    Issue.record("accepted \(length) bytes of \(frame)")
                    return
                }
            }
        }
        for bytes in FrameCatalogue.serverFrames where bytes.count < 2000 {
            for length in 0..<bytes.count {
                guard case .malformed = FrameCatalogue.read(Array(bytes[..<length])) else {
                    Issue.record("accepted \(length) of \(String(decoding: bytes, as: UTF8.self))")
                    return
                }
            }
        }
    }

    @Test("200,000 mutations crash nothing, and the next frame is read as ever", arguments: [1, 2, 3, 4] as [UInt64])
    func mutations(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var decoder = ChatFrameDecoder()
        var parser = ChatClientFrameParser()
        let fromServer = FrameCatalogue.serverFrames.filter { $0.count < 400 }
        let fromClient = FrameCatalogue.clientFrames.map { ChatClientFrames.bytes($0) }
        for round in 0..<25_000 {
            var bytes = fromServer[round % fromServer.count]
            Self.mutate(&bytes, &random)
            // What a WebSocket layer lets through is UTF-8.
            bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
            if case .answer(_, let answer) = bytes.withUnsafeBytes({ decoder.text($0) }) {
                _ = answer.history
                _ = answer.entrance(of: "o")
                _ = answer.members
            }
            bytes = fromClient[round % fromClient.count]
            Self.mutate(&bytes, &random)
            bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
            _ = bytes.withUnsafeBytes { bytes in Result { try parser.parse(bytes) } }
        }
        let body = FrameCatalogue.message.body
        let read = ChatServerFrames.transient(body).withUnsafeBytes { decoder.text($0) }
        #expect(read == .transient(.message(FrameCatalogue.message)))
        let frame = ChatClientFrame.request(.send(FrameCatalogue.draft), number: 3)
        let parsed = ChatClientFrames.bytes(frame).withUnsafeBytes { bytes in
            Result { () throws(ChatFrameError) in try parser.parse(bytes) }
        }
        #expect(parsed == .success(frame))
    }

    private static let alphabet = Array("{}[]\",:\\ntfe0123456789.-u\u{0}\u{1F}é".utf8)

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(alphabet[Int.random(in: 0..<alphabet.count, using: &random)], at: place)
            case 3: bytes[place] = UInt8.random(in: 0...255, using: &random)
            default:
                // A stretch of the frame comes again somewhere else.
                let end = min(bytes.count, place + Int.random(in: 1...24, using: &random))
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0...bytes.count, using: &random))
            }
        }
    }

    @Test("Deep nesting is an error and no overflow of the stack")
    func deepNesting() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        guard case .failure(let error) = FrameCatalogue.parse(#"{"t":"send","n":1,"content":{"a":\#(deep)}}"#),
            case .malformed = FrameCatalogue.read(#"{"t":"ev","e":{"k":"msg","content":{"a":\#(deep)}}}"#)
        else {
            Issue.record("accepted")
            return
        }
        #expect(error.kind == .malformed)
    }

    @Test("A content of 128 levels can be sent, wrapped and read everywhere; one of 129 is refused (rule NP-12)")
    func depthOfContent() {
        func content(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + #""a string with ] and \"}""#
                + String(repeating: "]", count: depth - 1) + "}"
        }
        func send(_ depth: Int) -> Result<ChatClientFrame, ChatFrameError> {
            FrameCatalogue.parse(
                #"{"t":"send","n":1,"cid":"c","conv":"direct","to":"u","type":"t","content":\#(content(depth))}"#)
        }
        guard case .success(.request(.send(let draft), _)) = send(128), case .failure(let error) = send(129) else {
            Issue.record("wrong limit")
            return
        }
        #expect(error.code == .badArgument)
        #expect(error.number == 1)
        let message = draft.message(id: FrameCatalogue.id, from: "u1")
        let answer = FrameCatalogue.read(ChatServerFrames.ok(1, .history([message.body], hasMore: false)))
        guard case .answer(_, let answer) = answer else {
            Issue.record("no answer")
            return
        }
        #expect(answer.history?.messages == [message])
    }

    @Test("Many members of one frame, known and unknown, are read in time")
    func manyMembers() {
        let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let text = #"{"t":"settings",\#(members),"n":5}"#
        #expect(FrameCatalogue.parse(text) == .success(.request(.settings, number: 5)))
    }
}
