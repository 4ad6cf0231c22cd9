import ServerValues
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("When the store of applications is read")
struct ApplicationWatchTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test func `AR-5: a shared store is read every 5 s and after a notification, never twice at a time`() {
        var watch = ApplicationWatch(isShared: true, at: at(10))
        #expect(watch.next(at: at(14), unixSeconds: 0) == nil)
        #expect(watch.next(at: at(15), unixSeconds: 0) == .read)
        watch.notify()
        #expect(watch.next(at: at(30), unixSeconds: 0) == nil)
        watch.end(.read, at: at(30))
        // The notification came while the store was read, so the reading may have been too early.
        #expect(watch.next(at: at(30), unixSeconds: 0) == .read)
        watch.end(.read, at: at(31))
        #expect(watch.next(at: at(35), unixSeconds: 0) == nil)
    }

    @Test func `AR-11: a deadline that passes has the applications applied, and so has a failure before`() {
        var watch = ApplicationWatch(isShared: false, at: at(0))
        watch.nextEnd = 500
        #expect(watch.next(at: at(1_000), unixSeconds: 499) == nil)
        #expect(watch.next(at: at(1_000), unixSeconds: 500) == .apply)
        watch.nextEnd = nil
        watch.end(.apply, at: at(1_000))
        #expect(watch.next(at: at(2_000), unixSeconds: 600) == nil)
        watch.mustApply = true
        #expect(watch.next(at: at(2_000), unixSeconds: 600) == .apply)
    }
}
