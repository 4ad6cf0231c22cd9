import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Uploads of several users in one process (rule NH-16).
@Suite struct MediaSendsTests {
    private let sends = MediaSends()
    private let ended = NIOLockedValueBox<[String]>([])

    private func begin(_ clientID: String, of owner: UInt64) {
        sends.begin(clientID, of: owner) { error in ended.withLockedValue { $0.append("\(clientID) \(error.code)") } }
    }

    @Test func `each upload ends by itself, once`() {
        begin("a", of: 1)
        begin("b", of: 2)
        #expect(sends.end("b") && sends.end("a"))
        #expect(!sends.end("a") && !sends.cancel("b") && !sends.cancel(nil))
        #expect(ended.withLockedValue { $0 } == [])
    }

    @Test func `a cancelled upload hears it, and no other`() {
        begin("a", of: 1)
        begin("b", of: 1)
        #expect(sends.cancel("a") && !sends.end("a") && sends.end("b"))
        #expect(ended.withLockedValue { $0 } == ["a 33200"])
    }

    @Test func `with a sign-in its uploads end, and those of the next one go on`() {
        begin("a", of: 1)
        begin("b", of: 2)
        sends.endAll(of: 1)
        #expect(ended.withLockedValue { $0 } == ["a 30001"])
        #expect(!sends.end("a") && sends.end("b"))
    }
}
