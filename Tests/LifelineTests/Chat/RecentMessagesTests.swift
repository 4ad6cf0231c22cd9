import ChatProtocol
import Testing

@testable import Lifeline

@Suite("The latest messages of one's own")
struct RecentMessagesTests {
    @Test("A message is new once, as long as it is among the latest thousand")
    func bounded() {
        var recent = RecentMessages()
        for id in 1...1_500 {
            let isNew = recent.insert(ChatMessageID(rawValue: UInt64(id)))
            #expect(isNew)
            let isOld = !recent.insert(ChatMessageID(rawValue: UInt64(id)))
            #expect(isOld)
        }
        let isKnown = !recent.insert(ChatMessageID(rawValue: 501))
        #expect(isKnown)
        let isForgotten = recent.insert(ChatMessageID(rawValue: 500))
        #expect(isForgotten)
    }
}
