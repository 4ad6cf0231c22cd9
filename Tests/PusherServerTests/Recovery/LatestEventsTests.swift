import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("The latest event that is never kept, by who asks (RV-6)")
struct LatestEventsTests {
    private let ann = SocketID(high: 1, low: 1)
    private let bob = SocketID(high: 2, low: 2)

    @Test("Nobody misses an event of its own; everybody misses those of others")
    func own() {
        var unkept = LatestEvents<SocketID>()
        #expect(unkept.latest(except: nil) == 0)
        unkept.note(3, from: ann)
        #expect(unkept.latest(except: nil) == 3)
        #expect(unkept.latest(except: bob) == 3)
        #expect(unkept.latest(except: ann) == 0)
        unkept.note(5, from: bob)
        unkept.note(7, from: bob)
        #expect(unkept.latest(except: ann) == 7)
        #expect(unkept.latest(except: bob) == 3)
        unkept.note(8, from: ann)
        unkept.note(9, from: ann)
        #expect(unkept.latest(except: ann) == 7)
        #expect(unkept.latest(except: bob) == 9)
    }
}
