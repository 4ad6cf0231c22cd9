import ChatProtocol
import Testing

@Suite("Limits (rules NP-11 to NP-13)")
struct ChatLimitsTests {
    private func refusal(_ change: (inout ChatMessageDraft) -> Void) -> ChatErrorCode? {
        var draft = ChatMessageDraft(clientID: "c", conversation: .direct, to: "u2", type: "t", content: Array("{}".utf8))
        change(&draft)
        let frame = ChatClientFrames.bytes(.request(.send(draft), number: 8))
        let local = ChatProtocolLimits.problem(of: draft)?.code
        guard case .failure(let error) = FrameCatalogue.parse(frame) else {
            #expect(local == nil)
            return nil
        }
        #expect(error.number == 8)
        #expect(error.code == local, "Client and server must agree.")
        return error.code
    }

    @Test("A content of 128 KiB is taken, one byte more is refused with 30016")
    func contentSize() {
        func content(_ size: Int) -> [UInt8] {
            Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x61, count: size - 8) + Array("\"}".utf8)
        }
        #expect(refusal { $0.content = content(131_072) } == nil)
        #expect(refusal { $0.content = content(131_073) } == .tooLarge)
    }

    @Test("Ids have 1 to 64 characters, whatever their bytes")
    func ids() {
        #expect(refusal { $0.to = String(repeating: "é", count: 64) } == nil)
        #expect(refusal { $0.to = String(repeating: "a", count: 65) } == .badArgument)
        #expect(refusal { $0.to = "" } == .badArgument)
        #expect(refusal { $0.clientID = String(repeating: "😀", count: 64) } == nil)
        #expect(refusal { $0.clientID = String(repeating: "😀", count: 65) } == .badArgument)
        #expect(refusal { $0.clientID = "" } == .badArgument)
    }

    @Test("Type names have 1 to 32 characters; an application's own do not begin with RC:")
    func types() {
        #expect(refusal { $0.type = String(repeating: "a", count: 32) } == nil)
        #expect(refusal { $0.type = String(repeating: "a", count: 33) } == .badArgument)
        #expect(ChatProtocolLimits.accepts(customType: "my:type"))
        #expect(!ChatProtocolLimits.accepts(customType: "RC:TxtMsg"))
        #expect(!ChatProtocolLimits.accepts(customType: ""))
        // A mark makes another Character of the colon, and none of its byte.
        #expect(!ChatProtocolLimits.accepts(customType: "RC:\u{301}x"))
    }

    @Test("Metadata has keys of letters, digits and + = - _, and values of 4,096 characters at most")
    func metadata() {
        func pairs(_ count: Int) -> [String: String] { Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v") }) }
        #expect(refusal { $0.options.metadata = ["aZ0+=-_": String(repeating: "é", count: 4096)] } == nil)
        #expect(refusal { $0.options.metadata = ["a": String(repeating: "a", count: 4097)] } == .metadataTooLarge)
        #expect(refusal { $0.options.metadata = ["a b": ""] } == .badArgument)
        #expect(refusal { $0.options.metadata = ["": ""] } == .badArgument)
        #expect(refusal { $0.options.metadata = [String(repeating: "k", count: 33): ""] } == .badArgument)
        #expect(refusal { $0.options.metadata = pairs(20) } == nil)
        #expect(refusal { $0.options.metadata = pairs(21) } == .metadataTooLarge)
    }

    @Test("System channels cannot be written to")
    func system() {
        #expect(refusal { $0.conversation = .system } == .badArgument)
    }

    @Test("Open channels take ten pairs at once")
    func openMetadata() {
        func code(_ count: Int) -> ChatErrorCode? {
            let pairs = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", "v") })
            let request = ChatRequest.setOpenMetadata("o", pairs, overwrite: false, deleteWhenLeft: false)
            guard case .failure(let error) = FrameCatalogue.parse(ChatClientFrames.bytes(.request(request, number: 1))) else {
                return nil
            }
            return error.code
        }
        #expect(code(10) == nil)
        #expect(code(11) == .tooManyOpenMetadataAtOnce)
        #expect(code(0) == .badArgument)
    }
}
