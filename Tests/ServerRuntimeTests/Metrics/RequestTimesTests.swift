import ServerRuntime
import Testing

@Suite("Histograms (rule ME-7)")
struct RequestTimesTests {
    private let kinds = RequestKinds()

    @Test("Requests are timed by kind, and several event loops add up")
    func kindsAndLoops() {
        let publish = kinds.add("publish")
        var first = RequestTimes()
        first.observe(publish, nanoseconds: 400_000)
        var second = RequestTimes()
        second.observe(publish, nanoseconds: 20_000_000_000)
        second.observe(.metrics, nanoseconds: -1)
        first.add(second)
        #expect(first[publish]?.count == 2 && first[publish]?.nanoseconds == 20_000_400_000)
        #expect(first[.metrics]?.count == 1 && first[.metrics]?.nanoseconds == 0)
        #expect(first[.health] == nil && first[kinds.add("channels")] == nil)
    }

    @Test("The text has growing buckets, of which +Inf has as many as there were observations")
    func text() {
        var histogram = LatencyHistogram()
        for time in [50_000, 300_000, 20_000_000_000] as [Int64] { histogram.observe(nanoseconds: time) }
        var out = PrometheusText()
        out.family("x_seconds", .histogram, help: "X.") { $0.add(histogram, ["route": "a\"b"]) }
        let lines = out.text.split(separator: "\n").map(String.init)
        #expect(lines[1] == "# TYPE lifeline_x_seconds histogram")
        let buckets = lines.filter { $0.contains("_bucket{") }
        let counts = buckets.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counts.count == LatencyHistogram.bounds.count + 1 && counts == counts.sorted() && counts.last == 3)
        #expect(buckets.first == #"lifeline_x_seconds_bucket{route="a\"b",le="0.0001"} 1"#)
        #expect(buckets.last == #"lifeline_x_seconds_bucket{route="a\"b",le="+Inf"} 3"#)
        #expect(
            lines.suffix(2) == [
                #"lifeline_x_seconds_sum{route="a\"b"} 20.000350000"#, #"lifeline_x_seconds_count{route="a\"b"} 3"#,
            ])
    }
}
