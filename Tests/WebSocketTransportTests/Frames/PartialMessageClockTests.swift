import NIOCore
import Testing

@testable import WebSocketTransport

@Suite struct PartialMessageClockTests {
    private func at(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    @Test func `A message that takes many reads keeps the moment of its beginning`() {
        var clock = PartialMessageClock()
        clock.readEnded(hasPartialMessage: true, now: at(1))
        clock.readEnded(hasPartialMessage: true, now: at(2))
        #expect(clock.since == at(1))
        clock.messageEnded()
        clock.readEnded(hasPartialMessage: false, now: at(3))
        #expect(clock.since == nil)
    }

    @Test func `A stream of messages that are cut by reads never looks like a slow one`() {
        var clock = PartialMessageClock()
        for second in 1...100 {
            clock.messageEnded()
            clock.readEnded(hasPartialMessage: true, now: at(UInt64(second)))
            #expect(clock.since == at(UInt64(second)))
        }
    }
}
