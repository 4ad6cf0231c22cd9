import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The text format of metrics (ME-1 to ME-5)")
struct PrometheusTextTests {
    @Test("Labels are escaped, families without samples are left out")
    func labels() throws {
        var out = PrometheusText()
        out.family("things", .gauge, help: "Things.") { $0.add(3, ["app": "a\\b\"c\nd"]) }
        out.value("nothing", .gauge, help: "Nothing.", nil)
        #expect(
            out.text == "# HELP lifeline_things Things.\n# TYPE lifeline_things gauge\n"
                + #"lifeline_things{app="a\\b\"c\nd"} 3"# + "\n")
        #expect(try MetricsParser(out.text).value("lifeline_things", ["app": "a\\b\"c\nd"]) == 3)
    }

    @Test("A histogram adds its buckets up, its bounds included")
    func histogram() throws {
        var histogram = LatencyHistogram()
        for time in [0, 100_000, 100_001, 2_500_000_000, 2_500_000_001, -5] { histogram.observe(nanoseconds: Int64(time)) }
        var other = LatencyHistogram()
        other.observe(nanoseconds: 1)
        histogram.add(other)
        var out = PrometheusText()
        out.histogram("time_seconds", help: "Time.", histogram)
        let parsed = try MetricsParser(out.text)
        #expect(parsed.value("lifeline_time_seconds_bucket", ["le": "0.0001"]) == 4)
        #expect(parsed.value("lifeline_time_seconds_bucket", ["le": "0.00025"]) == 5)
        #expect(parsed.value("lifeline_time_seconds_bucket", ["le": "2.5"]) == 6)
        #expect(parsed.value("lifeline_time_seconds_bucket", ["le": "+Inf"]) == 7)
        #expect(parsed.value("lifeline_time_seconds_count") == 7)
        #expect(parsed.value("lifeline_time_seconds_sum") == 5.000200003)
    }

    @Test(
        "Times are seconds",
        arguments: [(0, "0.000000000"), (1, "0.000000001"), (1_500_000_000, "1.500000000"), (-1, "-0.000000001")]
            as [(Int64, String)])
    func seconds(nanoseconds: Int64, text: String) {
        #expect(PrometheusText.seconds(nanoseconds) == text)
    }

    @Test("A server that nobody has used tells zeros, and every line is in order")
    func empty() throws {
        let names = MetricNames()
        for service in [ServiceName.pusher, .chat] { _ = names.other(service) }
        var figures = ServerFigures()
        figures.requestLabels = ["other", "publish_batch"]
        figures.loops = [LoopFigures()]
        figures.loops[0].refuse(.pusher, 4001)
        figures.process = ProcessFigures(residentBytes: 5, openFiles: 6, maximumOpenFiles: nil)
        var out = PrometheusText()
        figures.write(to: &out)
        for service in [ServiceName.pusher, .chat] {
            ServerFigures.writeConnections(of: service, ApplicationTallies(), open: [:], names.names, to: &out)
        }
        out.webhooks([
            .init(ApplicationName(.chat, "k")): .init(delivered: 1, dropped: 2, failedRequests: 3, queued: 4),
            .init(ApplicationName(.chat, "k"), 1): .init(queued: 5),
        ])
        let parsed = try MetricsParser(out.text)
        #expect(parsed.value("lifeline_messages_sent_total", ["service": "pusher", "app": "other"]) == 0)
        #expect(parsed.value("lifeline_connections", ["service": "chat", "app": "other"]) == 0)
        #expect(parsed.value("lifeline_connections_refused_total", ["service": "pusher", "code": "4001"]) == 1)
        #expect(parsed.value("lifeline_webhook_events_queued", ["service": "chat", "app": "k", "receiver": "0"]) == 4)
        #expect(parsed.value("lifeline_webhook_events_queued", ["service": "chat", "app": "k", "receiver": "1"]) == 5)
        #expect(parsed.value("lifeline_process_open_files") == 6)
        #expect(parsed.families["lifeline_process_open_files_limit"] == nil)
        #expect(parsed.value("lifeline_http_requests_total", ["route": "publish_batch", "status": "5xx"]) == 0)
        #expect(parsed.value("lifeline_http_requests_total", ["route": "publish_batch", "status": "3xx"]) == nil)
        #expect(parsed.families["lifeline_errors_total"] == nil)
    }

    @Test("What is wrong does not pass the test's own reader")
    func strict() {
        let head = "# HELP lifeline_a A.\n# TYPE lifeline_a gauge\n"
        for wrong in [
            "lifeline_a 1\n", head, head + "lifeline_a 1", head + "lifeline_a 1\nlifeline_a 2\n", head + "lifeline_b 1\n",
            head + "lifeline_a{b=\"c} 1\n", head + "lifeline_a one\n", head + "lifeline_a{b=\"\\x\"} 1\n", head + head,
            "# HELP lifeline_a A.\n# TYPE lifeline_a counter\nlifeline_a 1\n", head + "lifeline_a{b=\"1\"} 1\nlifeline_a 1\n",
        ] {
            #expect(throws: MetricsParser.Malformed.self) { try MetricsParser(wrong) }
        }
    }
}

@Suite("What metrics count by (ME-2, ME-4)")
struct MetricCountingTests {
    @Test("A hundred applications have a name, the others share one")
    func names() {
        let names = MetricNames()
        let slots = (0..<150).map { names.slot($0.isMultiple(of: 3) ? .chat : .pusher, "\($0)") }
        #expect(Set(slots.prefix(100)).count == 100)
        #expect(Set(slots.dropFirst(100)) == [names.other(.pusher), names.other(.chat)])
        #expect(names.names.count == 102)
        #expect(names.slot(.pusher, "1") == slots[1])
        #expect(names.names[slots[1].index] == ApplicationName(.pusher, "1"))
        #expect(names.counted(ApplicationName(.pusher, "1")).application == "1")
        // The same id in another service is another application, and this one came late.
        #expect(names.counted(ApplicationName(.chat, "1")).application == "other")
    }

    @Test("Tallies of loops add up, whatever applications they know")
    func tallies() {
        var first = ApplicationTallies()
        first.count(MetricSlot(index: 4)) { $0.messagesSent += 2 }
        var second = ApplicationTallies()
        second.count(MetricSlot(index: 0)) { $0.bytesSent += 3 }
        second.count(MetricSlot(index: 4)) { $0.messagesSent += 5 }
        first.add(second)
        #expect(first.tallies[4].messagesSent == 7)
        #expect(first.total.bytesSent == 3)
    }

    @Test("Requests are told apart by what they are for and by the class of the answer")
    func requests() {
        let kinds = RequestKinds()
        let publish = kinds.add("publish")
        var tally = RequestTally()
        for status in [200, 204, 404, 999, 0] { tally.count(publish, status: status) }
        #expect((1...5).map { tally.count(publish, digit: $0) } == [1, 2, 0, 1, 1])
        #expect(tally.count(.other, digit: 2) == 0)
        // A label has one kind, and there is no more than fits.
        #expect(kinds.add("publish") == publish && kinds.add("metrics") == .metrics)
        #expect(kinds.labels == ["other", "health", "ready", "metrics", "websocket", "openapi", "publish"])
        for number in 0..<300 { _ = kinds.add("\(number)") }
        #expect(kinds.labels.count == 256 && kinds.add("one more") == .other)
    }

    @Test("What Linux tells about a process is read, and a process without limit has none")
    func process() {
        #expect(ProcessFigures.residentPages(in: "1234 567 8 9 0 1 0\n") == 567)
        #expect(ProcessFigures.residentPages(in: "") == nil)
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             31402                31402                processes
            Max open files            1024                 524288               files
            """
        #expect(ProcessFigures.openFileLimit(in: limits) == 1024)
        #expect(
            ProcessFigures.openFileLimit(in: "Max open files            unlimited            unlimited            files") == nil)
        #if os(Linux)
            let now = ProcessFigures.current()
            #expect(now.residentBytes ?? 0 > 1_000_000)
            #expect(now.openFiles ?? 0 > 2)
        #endif
    }
}
