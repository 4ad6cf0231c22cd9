import ServerValues
import Testing

@Suite("Shares of tokens")
struct TimetokenShareTests {
    private let now: UInt64 = 17_000_000_000_000_000

    /// A clock that may give out one of `count` tokens.
    private func clock(_ number: Int, of count: Int = 16, after highest: UInt64 = 0, step: UInt64 = 1) -> TimetokenClock {
        TimetokenClock(after: highest, reserves: false, step: step, share: TimetokenShare(number, of: count))
    }

    @Test(
        "Each number is the first one of one share, and for every other share the first one after it is found", arguments: 1...17)
    func partition(_ count: Int) {
        let last = UInt64.max - 20
        for lowest in [0, 1, 15, 16, 17, 40, now, last - 17, last - 1, last] {
            let firsts = (0..<count).map { TimetokenShare($0, of: count).first(from: lowest) }
            #expect(firsts.sorted() == (0..<UInt64(count)).map { lowest + $0 })
            #expect(firsts.enumerated().allSatisfy { $1 % UInt64(count) == UInt64($0) })
        }
    }

    @Test("At the end of the numbers the last token of the share is found", arguments: 1...17)
    func end(_ count: Int) {
        for number in 0..<count {
            let token = TimetokenShare(number, of: count).first(from: .max)
            #expect(token % UInt64(count) == UInt64(number) && UInt64.max - token < UInt64(count))
        }
    }

    @Test("Numbers out of range make a share like any other")
    func outOfRange() {
        #expect(TimetokenShare(17, of: 16) == TimetokenShare(1, of: 16))
        #expect(TimetokenShare(-1, of: 16) == TimetokenShare(0, of: 16))
        for count in [0, -1, Int.min] { #expect(TimetokenShare(5, of: count) == .all) }
        #expect(TimetokenShare.all.first(from: now) == now && TimetokenShare.all.first(from: .max) == .max)
    }

    @Test("Clocks with different shares give out no token twice, wherever their times stand, and each only larger ones (CC-42)")
    func apart() {
        var clocks = (0..<16).map { clock($0) }
        var given: Set<UInt64> = []
        var last = [UInt64](repeating: 0, count: 16)
        for time in [now, now, now + 1, now - 1_000, now, now + 40, now + 17, now + 10_000_000, 0] {
            for number in clocks.indices {
                let token = clocks[number].next(at: time)
                #expect(given.insert(token).inserted && token > last[number])
                #expect(token % 16 == UInt64(number) && clocks[number].highest == token)
                last[number] = token
            }
        }
        #expect(given.count == 9 * 16)
    }

    @Test(
        "A token is less than one round of the shares ahead of the time, unless the last one was later (CC-42)", arguments: 0..<16
    )
    func near(_ number: Int) {
        var clock = clock(number)
        for time in stride(from: now, to: now + 3_000, by: 31) {
            let token = clock.next(at: time)
            #expect(token >= time && token < time + 16)
        }
        let last = clock.last
        #expect(clock.next(at: 0) == last + 16)
    }

    @Test("A clock begins after the highest token of all shares, so it meets none when the number of partitions changes (CC-42)")
    func change() {
        var former = (0..<3).map { clock($0) }
        var given = Set(former.indices.map { former[$0].next(at: now) })
        var alone = clock(0, of: 1, after: given.max() ?? 0)
        for _ in 0..<40 { #expect(given.insert(alone.next(at: now)).inserted) }
        let highest = given.max() ?? 0
        for number in 0..<16 {
            var next = clock(number, after: highest)
            let token = next.next(at: now)
            #expect(token > highest && given.insert(token).inserted)
        }
    }

    @Test("A cursor and steps of two leave a clock within its share", arguments: [0, 1, 7, 15])
    func floors(_ number: Int) {
        var clock = clock(number, step: 2)
        var last: UInt64 = 0
        for floor in [0, now + 500, now + 501, now + 530, UInt64.max] {
            let token = clock.next(at: now, after: floor)
            #expect(token % 16 == UInt64(number) && clock.highest >= token)
            #expect(floor == .max || token >= floor + 2)
            last = max(last, token)
        }
        #expect(clock.highest == last)
    }
}
