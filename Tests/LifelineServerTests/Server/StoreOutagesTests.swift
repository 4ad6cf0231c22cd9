import ServerValues
import Testing

@testable import LifelineServer

struct StoreOutagesTests {
    @Test func `SO-172: an outage is mentioned when it begins, with its cause, and when it ends`() {
        var outages = StoreOutages()
        #expect(outages.note(nil, of: .pubnub, at: .seconds(1)) == nil)
        #expect(outages.note("full", of: .pubnub, at: .seconds(2)) == .began(cause: "full"))
        #expect(outages.note("full", of: .pubnub, at: .seconds(3)) == nil)
        #expect(outages.note("away", of: .pubnub, at: .seconds(4)) == nil)
        // Each service has a store of its own.
        #expect(outages.note("away", of: .chat, at: .seconds(4)) == .began(cause: "away"))
        #expect(outages.note(nil, of: .pubnub, at: .seconds(5)) == .ended)
        #expect(outages.note(nil, of: .pubnub, at: .seconds(6)) == nil)
    }

    @Test func `SO-172: of a store that comes and goes one outage in a minute is mentioned`() {
        var outages = StoreOutages()
        #expect(outages.note("away", of: .chat, at: .seconds(0)) == .began(cause: "away"))
        #expect(outages.note(nil, of: .chat, at: .seconds(1)) == .ended)
        for second in stride(from: Int64(2), to: 60, by: 2) {
            #expect(outages.note("away", of: .chat, at: .seconds(second)) == nil)
            #expect(outages.note(nil, of: .chat, at: .seconds(second + 1)) == nil)
        }
        // One that lasts is mentioned after the minute.
        #expect(outages.note("away", of: .chat, at: .seconds(60)) == .began(cause: "away"))
    }
}
