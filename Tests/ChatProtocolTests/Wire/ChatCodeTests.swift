import ChatProtocol
import Testing

@Suite("Error codes (rule NP-22)")
struct ChatCodeTests {
    @Test("Every code of the document has a sentence of its own")
    func sentences() {
        let codes = [
            405, 20604, 22406, 22408, 23406, 23408, 23409, 23410, 25101, 25107, 20114, 25405, 25410, 25409, 25412, 25417, 25418,
            30016, 33003, 34203, -101, 33002, 31002, 31004, 31009, 31010, 31011, 31020, 31023, 31024, 31025, 31029, 30015, 32061,
        ]
        let sentences = codes.map { ChatErrorCode($0).sentence }
        #expect(Set(sentences).count == codes.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") && !$0.contains("answered with error") })
    }

    @Test("Another code is named by its number")
    func others() {
        #expect(ChatErrorCode(77).sentence == "The service answered with error 77.")
    }
}
