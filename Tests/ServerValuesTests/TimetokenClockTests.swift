import ServerValues
import Testing

@Suite("Timetokens (HB-20 to HB-22, F64)")
struct TimetokenClockTests {
    private let second = TimetokenClock.ticksPerSecond
    private let hour = 3600 * TimetokenClock.ticksPerSecond
    private let now: UInt64 = 17_000_000_000_000_000

    @Test("Tokens follow the clock, and each other where it stands still or goes back an hour")
    func steps() {
        var clock = TimetokenClock()
        #expect(clock.next(at: now) == now)
        #expect(clock.next(at: now) == now + 1)
        #expect(clock.next(at: now - hour) == now + 2)
        #expect(clock.next(at: 0) == now + 3)
        #expect(clock.next(at: now + 10) == now + 10)
    }

    @Test("After a crash with the clock set back, no token comes twice", arguments: [0, 1, 3600, 86_400] as [UInt64])
    func restarts(setBack: UInt64) throws {
        var remembered: UInt64 = 0
        var given: UInt64 = 0
        var time = now
        for round in 0..<20 {
            var clock = TimetokenClock(after: remembered, reserves: true)
            #expect(clock.last >= given)
            for publish in 0..<200 {
                if let limit = clock.reservation(at: time) {
                    remembered = limit
                    clock.confirm(limit)
                }
                let token = clock.next(at: time)
                try #require(token > given && token <= remembered, "round \(round), publish \(publish)")
                given = token
                time += second / 10
            }
            time -= setBack * second
        }
    }

    @Test("Crashing over and over moves tokens ahead of the clock by no more than a reservation and a second for each crash")
    func crashLoop() {
        var remembered: UInt64 = 0
        for _ in 0..<100 {
            var clock = TimetokenClock(after: remembered, reserves: true)
            if let limit = clock.reservation(at: now) { remembered = limit }
        }
        #expect(remembered <= now + TimetokenClock.reservationSpan + 100 * second)
    }

    @Test("One reservation is asked for at a time, and again when it has failed")
    func asking() {
        var clock = TimetokenClock(after: 5, reserves: true)
        #expect(clock.reservation(at: now) == now + TimetokenClock.reservationSpan)
        #expect(clock.reservation(at: now) == nil)
        clock.reservationFailed()
        #expect(clock.reservation(at: now) != nil)
        clock.confirm(now + TimetokenClock.reservationSpan)
        #expect(clock.reservation(at: now + 4 * second) == nil)
        #expect(clock.reservation(at: now + 6 * second) != nil)
    }

    @Test("Without a store nothing is reserved")
    func memory() {
        var clock = TimetokenClock(after: 5)
        #expect(clock.reservation(at: now) == nil)
    }

    @Test("While reservations fail, tokens stay within what is reserved, and then go beyond rather than stop")
    func failingStore() {
        var clock = TimetokenClock(after: now - 2, reserves: true)
        clock.confirm(now)
        #expect(clock.next(at: now + second) == now - 1)
        #expect(clock.next(at: now + second) == now)
        #expect(clock.next(at: now + second) == now + second)
    }

    @Test("After an idle time beyond the reservation tokens begin at its last second, and not where they had stopped")
    func idle() {
        var clock = TimetokenClock(after: 0, reserves: true)
        clock.confirm(now)
        #expect(clock.next(at: now + hour) == now - second)
        #expect(clock.next(at: now + hour) == now - second + 1)
    }

    @Test("A client's cursor moves the clock ahead, by a day at most")
    func advancing() {
        var clock = TimetokenClock(after: now)
        #expect(clock.advance(past: now - 5, at: now) == true)
        #expect(clock.last == now)
        #expect(clock.advance(past: now + hour, at: now) == true)
        #expect(clock.next(at: now) == now + hour + 1)
        #expect(clock.advance(past: now + 24 * hour + 1, at: now) == false)
        #expect(clock.advance(past: .max, at: now) == false)
        #expect(clock.last == now + hour + 1)
    }

    @Test("A token that another process makes up ends nothing (HB-20)", arguments: [.max, .max - 1, (1 << 63) - 1] as [UInt64])
    func absurd(token: UInt64) {
        var clock = TimetokenClock(after: token, reserves: true)
        clock.note(token)
        #expect(clock.reservation(at: 1_000) != nil && clock.highest <= UInt64(Int64.max))
        #expect(clock.next(at: 1_000) > 0 && clock.next(at: 1_000, after: token) > 0)
    }

    @Test("What an application is ahead of the others is reserved like any token (HB-21, HB-22)")
    func floors() throws {
        var clock = TimetokenClock(after: 0, reserves: true)
        let first = clock.reservation(at: now)
        clock.confirm(try #require(first))
        let floor = now + TimetokenClock.reservationSpan
        #expect(clock.next(at: now, after: floor) == floor + 1)
        #expect(clock.highest == floor + 1 && clock.last == now)
        #expect(clock.reservation(at: now) == floor + 1 + second)
        #expect(clock.next(at: now, after: now + 1) == now + 2 && clock.next(at: now, after: .max) == now + 2)
    }

    @Test("A database that claims an absurd token does no harm")
    func absurd() {
        var clock = TimetokenClock(after: .max, reserves: true)
        let first = clock.next(at: now)
        #expect(clock.next(at: now) == first + 1)
    }
}
