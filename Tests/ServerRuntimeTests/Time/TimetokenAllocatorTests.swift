import NIOConcurrencyHelpers
import ServerRuntime
import ServerValues
import Testing

@Suite("The allocator of growing ids (HB-20 to HB-22)", .timeLimit(.minutes(1)))
struct TimetokenAllocatorTests {
    private struct DiskFull: Error {}

    private let now: UInt64 = 17_000_000_000_000_000

    @Test("Ids begin after those of before the start, follow the clock, and never repeat")
    func next() {
        let now = now
        let allocator = TimetokenAllocator(after: now + 5, reserves: false, unixTicks: { now }) { _ in }
        #expect(allocator.next() == now + 6)
        #expect(allocator.next() == now + 7 && allocator.last == now + 7)
        #expect(allocator.milliseconds == Int64(now / 10_000))
        #expect(allocator.advance(past: now + 100) && allocator.next() == now + 101)
        #expect(!allocator.advance(past: .max))
    }

    @Test("Allocators of different shares assign no id twice at one instant, also after the same floor (CC-42)")
    func shares() {
        let now = now
        var ids: [UInt64] = []
        for number in 0..<16 {
            let allocator = TimetokenAllocator(
                after: now + 3, reserves: false, share: TimetokenShare(number, of: 16), unixTicks: { now }
            ) { _ in }
            ids += [allocator.next(), allocator.next(after: now + 900), allocator.next()]
            #expect(ids.suffix(3).allSatisfy { $0 % 16 == UInt64(number) && $0 > now + 3 })
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test("An application may be ahead of the others: they do not follow, and the time is after all ids (HB-22)")
    func floors() {
        let now = now
        let limits = NIOLockedValueBox<[UInt64]>([])
        let allocator = TimetokenAllocator(after: 0, unixTicks: { now }) { limit in limits.withLockedValue { $0.append(limit) } }
        #expect(allocator.time == now - 1)
        #expect(allocator.next(after: now + 500) == now + 501)
        #expect(allocator.next() == now + 1 || allocator.next() < now + 500)
        #expect(allocator.time == now + 502)
        allocator.note(now + 900)
        #expect(allocator.time == now + 901 && allocator.next() < now + 500)
        #expect(allocator.isNear(now + 10, within: 10) && !allocator.isNear(now + 11, within: 10))
        #expect(allocator.next(after: .max) < now + 500)
    }

    @Test("With steps of two the time is after every id and before the next one, wherever the clock stands (HB-22)")
    func timeBetween() {
        let clock = NIOLockedValueBox(now)
        let allocator = TimetokenAllocator(after: 0, reserves: false, step: 2, unixTicks: { clock.withLockedValue { $0 } }) { _ in
        }
        var last = allocator.next()
        for ticks in [0, 0, 1, 0, 2, 1, 1, 5, 0, 3, 2, 1] as [UInt64] {
            clock.withLockedValue { $0 += ticks }
            let time = allocator.time
            #expect(last < time)
            last = allocator.next()
            #expect(time < last)
        }
        var ahead = allocator.next(after: last + 500)
        for _ in 0..<3 {
            let time = allocator.time
            #expect(ahead < time)
            ahead = allocator.next(after: ahead)
            #expect(time < ahead)
        }
        let nothing = TimetokenAllocator(after: 0, reserves: false, step: 2, unixTicks: { 0 }) { _ in }
        #expect(nothing.time == 1)
    }

    @Test("A reservation that fails is told to whoever prepares, and asked for again")
    func failure() async throws {
        let now = now
        let limits = NIOLockedValueBox<[UInt64]>([])
        let allocator = TimetokenAllocator(after: 0, unixTicks: { now }) { limit in
            let count = limits.withLockedValue { limits in
                limits.append(limit)
                return limits.count
            }
            if count == 1 { throw DiskFull() }
        }
        await #expect(throws: DiskFull.self) { try await allocator.prepare() }
        try await allocator.prepare()
        try await allocator.prepare()
        #expect(limits.withLockedValue { $0 } == [now + TimetokenClock.reservationSpan, now + TimetokenClock.reservationSpan])
        #expect(allocator.next() == now)
    }
}
