import ServerValues
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Charts of the console")
struct FigureHistoryTests {
    private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

    @Test func `CO-31: each second of the last five minutes has its rates, which are never below zero`() {
        var history = FigureHistory()
        #expect(history.isDue(at: at(0)))
        history.add(.init(messages: 10, deliveries: 100, connections: 3), at: at(0))
        #expect(history.points(of: .fiveMinutes, at: at(999)).allSatisfy { $0 == nil })
        #expect(!history.isDue(at: at(999)) && history.isDue(at: at(1_000)))
        history.add(.init(messages: 5, deliveries: 300, connections: 4), at: at(2_000))
        #expect(history.rates == (messages: 0, deliveries: 100))
        let expected = FigureHistory.Point(messages: 0, deliveries: 100, errors: 0, connections: 4, delay: .zero)
        #expect(history.points(of: .fiveMinutes, at: at(1_999)).suffix(3) == [nil, expected, expected])
        for second in 3..<1_000 {
            history.add(.init(messages: 5, deliveries: 300, connections: second), at: at(Int64(second) * 1_000))
        }
        let points = history.points(of: .fiveMinutes, at: at(999_000 - 1))
        #expect(points.count == 300 && points.first??.connections == 700 && points.last??.connections == 999)
        #expect(points.allSatisfy { $0?.deliveries == 0 })
    }

    @Test func `CO-81: samples that come late leave no gaps, and nothing is counted twice`() {
        var history = FigureHistory()
        // A sample each 1.25 s, in which 5 messages came.
        for number in 0...80 { history.add(.init(messages: number * 5), at: at(Int64(number) * 1_250)) }
        let points = history.points(of: .fiveMinutes, at: at(100_000 - 1))
        #expect(points.suffix(100).allSatisfy { abs(($0?.messages ?? 0) - 4) < 0.000_1 })
        #expect(points.dropLast(100).allSatisfy { $0 == nil })
        let coarse = history.points(of: .hour, at: at(100_000 - 1))
        #expect(coarse.suffix(10).allSatisfy { abs(($0?.messages ?? 0) - 4) < 0.000_1 })
        #expect(coarse.dropLast(10).allSatisfy { $0 == nil })
    }

    @Test func `CO-81: a step of a longer span has the mean of rates and the highest of connections and delays`() {
        var history = FigureHistory()
        history.add(.init(), at: at(0))
        for second in 1...10 {
            let sample = FigureHistory.Sample(
                messages: second * second, deliveries: 0, errors: second, connections: second == 4 ? 50 : 1,
                delay: .milliseconds(second == 7 ? 90 : 2))
            history.add(sample, at: at(Int64(second) * 1_000))
        }
        let point = history.points(of: .hour, at: at(10_000 - 1)).last
        #expect(point == .init(messages: 10, deliveries: 0, errors: 1, connections: 50, delay: .milliseconds(90)))
        // A step that is not over has what is known of it.
        history.add(.init(messages: 130, errors: 10, connections: 2), at: at(11_000))
        let open = history.points(of: .hour, at: at(11_500)).last
        #expect(open == .init(messages: 30, deliveries: 0, errors: 0, connections: 2, delay: .zero))
    }

    @Test(arguments: FigureHistory.Span.allCases)
    func `CO-81: a span ends with the present, has its number of steps, and forgets what is older`(_ span: FigureHistory.Span) {
        let length = span.step * Int64(span.count)
        var history = FigureHistory()
        for second in stride(from: Int64(0), through: 2 * length, by: Int(max(span.step / 2, 1))) {
            history.add(.init(connections: Int(second)), at: .seconds(second))
        }
        let now = MonotonicInstant(nanoseconds: 2 * length * 1_000_000_000 - 1)
        let points = history.points(of: span, at: now)
        #expect(points.count == span.count && points.allSatisfy { $0 != nil } && points.last??.connections == Int(2 * length))
        #expect((points.first??.connections ?? 0) > Int(length))
        // Nothing is noted for half of the span, and then for longer than it.
        let half = history.points(of: span, at: .seconds(2 * length + length / 2))
        #expect(half.count == span.count && half.last == .some(nil) && half.contains { $0 != nil })
        #expect(history.points(of: span, at: .seconds(4 * length)).allSatisfy { $0 == nil })
        history.add(.init(connections: 1), at: .seconds(4 * length + 1))
        #expect(history.points(of: span, at: .seconds(4 * length + 1)).count == span.count)
    }

    @Test func `CO-81: all spans together have 1,308 steps, whatever the time is`() {
        #expect(FigureHistory.Span.allCases.map(\.count).reduce(0, +) == 1_308)
        #expect(FigureHistory.Span.allCases.map { $0.step * Int64($0.count) } == [300, 3_600, 21_600, 86_400])
        var history = FigureHistory()
        for instant in [MonotonicInstant(nanoseconds: -5_000_000_001), .seconds(-1), .seconds(0), .seconds(200_000)] {
            history.add(.init(), at: instant)
            for span in FigureHistory.Span.allCases { #expect(history.points(of: span, at: instant).count == span.count) }
        }
        #expect(FigureHistory.age(ofLastStep: .day, at: .seconds(301)) == .seconds(1))
    }

    @Test func `CO-82: the delay of the loops is the longest since the last sample, and one that owes an answer counts`() {
        var probes = LoopProbes()
        #expect(probes.take(at: at(0)) == (.zero, 0))
        #expect(probes.ask(0, at: at(0)) && probes.ask(1, at: at(0)))
        probes.answer(0, errors: 3, at: at(5))
        // The other loop is not asked again before it has answered.
        #expect(!probes.ask(1, at: at(1_000)) && probes.ask(0, at: at(1_000)))
        #expect(probes.take(at: at(1_000)) == (.seconds(1), 3))
        probes.answer(1, errors: 4, at: at(1_800))
        probes.answer(0, errors: 3, at: at(1_001))
        #expect(probes.take(at: at(2_000)) == (.milliseconds(1_800), 7))
        #expect(probes.take(at: at(3_000)) == (.zero, 7))
        // An answer that nobody asked for.
        probes.answer(9, errors: 100, at: at(3_000))
        #expect(probes.take(at: at(3_000)) == (.zero, 7))
    }

    @Test("Addresses of receivers are shown without what may be secret in them")
    func addresses() {
        for (url, shown) in [
            ("https://example.com/hook", "https://example.com/hook"),
            ("https://u:p@example.com/a?token=x#y", "https://example.com/a"),
            ("http://u@h:8080", "http://h:8080"), ("https://a@b@c/d@e", "https://c/d@e"), ("https://h/?x", "https://h/"),
        ] { #expect(ServerConsoleSource.withoutSecrets(url) == shown) }
    }
}
