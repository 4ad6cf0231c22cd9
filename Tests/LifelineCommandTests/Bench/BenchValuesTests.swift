import Testing

@testable import LifelineCommand

@Suite("Values of lifeline bench (rules CL-110 to CL-112)")
struct BenchValuesTests {
    @Test("CL-112: a percentile is at most 1.6 % too large, and the maximum is exact")
    func histogram() {
        var histogram = LogLinearHistogram()
        #expect(histogram.percentile(0.5) == nil)
        for value in 1...100_000 { histogram.add(Int64(value) * 1000) }
        for (share, exact) in [(0.5, 50_000_000.0), (0.9, 90_000_000.0), (0.99, 99_000_000.0)] {
            let found = Double(histogram.percentile(share) ?? 0)
            #expect(found >= exact && found <= exact * 1.016, "\(share)")
        }
        #expect(histogram.maximum == 100_000_000 && histogram.percentile(1) == 100_000_000)
        var other = LogLinearHistogram()
        other.add(.max)
        other.add(-5)
        histogram.add(other)
        #expect(histogram.count == 100_002 && histogram.maximum == .max)
        for value: Int64 in [0, 1, 63, 64, 65, 127, 128, 1_000_000, .max] {
            let bucket = LogLinearHistogram.bucket(of: value)
            #expect(LogLinearHistogram.upperBound(ofBucket: bucket) >= value)
            if bucket > 0 { #expect(LogLinearHistogram.upperBound(ofBucket: bucket - 1) < value) }
        }
    }

    @Test("CL-112: losses, repetitions and late messages are told apart")
    func ledger() {
        var ledger = SequenceLedger()
        for number in [0, 1, 5, 3, 3, 5, 9] { ledger.note(number) }
        #expect(ledger.received == 5 && ledger.duplicates == 2 && ledger.late == 1)
        #expect(ledger.missing(below: 12) == [2..<3, 4..<5, 6..<9, 10..<12])
        #expect(ledger.missing(below: 7) == [2..<3, 4..<5, 6..<7])
        for number in [2, 4, 6, 7, 8] { ledger.note(number) }
        #expect(ledger.missing(below: 10).isEmpty && ledger.received == 10)
        #expect(SequenceLedger().missing(below: 2) == [0..<2])
    }

    @Test("CL-112: a random order of all numbers leaves nothing missing")
    func shuffled() {
        var random = SystemRandomNumberGenerator()
        var ledger = SequenceLedger()
        for number in Array(0..<2000).shuffled(using: &random) { ledger.note(number) }
        #expect(ledger.received == 2000 && ledger.duplicates == 0 && ledger.missing(below: 2000).isEmpty)
    }

    @Test("A payload is read back, and those of other runs and other programs are not")
    func payload() throws {
        let text = BenchPayload(run: "abc1", number: 12, due: 345_678).text(size: 100)
        #expect(text.utf8.count == 100)
        for shape in [text, "\"\(text)\""] {
            let (number, due) = try #require(BenchPayload.parse(shape, run: "abc1"))
            #expect(number == 12 && due == 345_678)
        }
        for wrong in ["", "abc", "abc1", "abc1 ", "abc1 12", "abc1 x 3 ", "abc1 1234567890123456789 3 ", "abc2 1 2 ", "{}"] {
            #expect(BenchPayload.parse(wrong, run: "abc1") == nil, "\(wrong)")
        }
        let longest = BenchPayload(run: "ffffffff", number: BenchPlan.mostMessages, due: 999_999_999_999_999_999)
        #expect(longest.text(size: BenchPayload.smallest).utf8.count == BenchPayload.smallest)
    }

    private func plan(_ change: (inout BenchPlan) -> Void = { _ in }) -> BenchPlan {
        var plan = BenchPlan(service: .pusher, subscribers: 10, channels: 3, rate: 10, duration: 2, size: 100, run: "r")
        change(&plan)
        return plan
    }

    @Test("CL-110: subscribers are spread evenly; numbers that cannot be are wrong usage")
    func plans() throws {
        try plan().check()
        #expect((0..<3).map { plan().subscribers(of: $0) } == [4, 3, 3])
        let wrong: [(inout BenchPlan) -> Void] = [
            { $0.service = .nexconn }, { $0.subscribers = 0 }, { $0.channels = 11 }, { $0.channels = 0 }, { $0.rate = 0 },
            { $0.rate = 100_001 }, { $0.duration = 3601 }, { $0.size = 63 }, { $0.size = 32_001 },
            { ($0.rate, $0.duration) = (100_000, 101) },
        ]
        for change in wrong {
            let failure = #expect(throws: CommandFailure.self) { try plan(change).check() }
            #expect(failure?.kind == .usage)
        }
    }

    @Test("CL-111: another machine is loaded only when that is confirmed, a public service with everybody's keys never")
    func permission() throws {
        for host in ["127.0.0.1", "::1", "localhost", "127.9.9.9"] {
            try BenchPlan.permit(host, hasPublicKeys: true, isConfirmed: false)
        }
        try BenchPlan.permit("10.0.0.5", hasPublicKeys: true, isConfirmed: true)
        try BenchPlan.permit("ps.pndsn.com", hasPublicKeys: false, isConfirmed: true)
        for (host, isPublic, isConfirmed) in [
            ("10.0.0.5", false, false), ("localhost.example.com", false, false), ("ps.pndsn.com", true, true),
            ("WS-eu.Pusher.com", true, true), ("ws-eu.pusher.com", false, false),
        ] {
            let failure = #expect(throws: CommandFailure.self) {
                try BenchPlan.permit(host, hasPublicKeys: isPublic, isConfirmed: isConfirmed)
            }
            #expect(failure?.kind == .usage, "\(host)")
        }
    }

    @Test("CL-112: deliveries of what was refused are not expected; unknown outcomes make no losses")
    func accounting() {
        let plan = plan { $0.channels = 1 }
        let tally = BenchTally()
        let subscribers = (0..<2).map { BenchSubscriber(index: $0, plan: plan, tally: tally) }
        func text(_ number: Int) -> String { BenchPayload(run: "r", number: number, due: 0).text(size: 64) }
        subscribers[0].receive([text(0), text(1), text(3)])
        subscribers[1].receive([text(0), text(0), "something else"])
        var report = BenchReport(plan: plan)
        report.account(for: subscribers, [[.accepted, .refused, .accepted, .unknown, .accepted]])
        #expect(report.lost == 4 && report.duplicates == 1 && tally.count == 5 && !report.isComplete)
    }
}
