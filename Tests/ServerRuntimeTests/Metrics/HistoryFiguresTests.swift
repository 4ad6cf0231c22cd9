import ServerRuntime
import ServerValues
import Testing

@Suite struct HistoryFiguresTests {
    @Test func `SO-168: rounds are ten seconds apart and never overlap, and a failure is told once`() {
        let figures = HistoryFigures()
        let start = MonotonicInstant(nanoseconds: 0)
        #expect(figures.begins(at: start))
        #expect(!figures.begins(at: start.advanced(by: .seconds(60))), "The first round has not ended")
        #expect(figures.fail())
        #expect(figures.begins(at: start.advanced(by: .seconds(60))))
        #expect(!figures.fail())
        #expect(!figures.begins(at: start.advanced(by: .seconds(69))))
        #expect(figures.begins(at: start.advanced(by: .seconds(70))))
        figures.finish([])
        #expect(figures.begins(at: start.advanced(by: .seconds(80))))
        #expect(figures.fail(), "It has worked since the last failure")
    }

    @Test func `SO-168: applications that share a name are added up, and what was removed only grows`() {
        let figures = HistoryFigures()
        let names = [ApplicationName(.pubnub, "other"), ApplicationName(.pubnub, "demo"), ApplicationName(.pubnub, "silent")]
        let (other, demo) = (MetricSlot(index: 0), MetricSlot(index: 1))
        func text() -> String {
            var out = PrometheusText()
            figures.write(names, to: &out)
            return out.text
        }
        #expect(text().isEmpty, "A store that counts nothing says nothing")
        figures.finish([
            .init(slot: other, messages: 1, bytes: 10, removed: 0), .init(slot: other, messages: 2, bytes: 20, removed: 5),
            .init(slot: demo, messages: 3, bytes: 30, removed: 0),
        ])
        figures.finish([
            .init(slot: other, messages: 4, bytes: 40, removed: 2), .init(slot: demo, messages: 0, bytes: 0, removed: 3),
        ])
        let lines = text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        let app = #"{service="pubnub",app="other"}"#
        #expect(lines.contains { $0 == "lifeline_history_messages\(app) 4" })
        #expect(lines.contains { $0 == "lifeline_history_bytes\(app) 40" })
        #expect(lines.contains { $0 == "lifeline_history_removed_total\(app) 7" })
        #expect(lines.contains { $0 == #"lifeline_history_removed_total{service="pubnub",app="demo"} 3"# })
        #expect(!text().contains("silent"))
    }
}

extension ServiceName {
    fileprivate static let pubnub = ServiceName(rawValue: "pubnub")
}
