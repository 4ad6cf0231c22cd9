import Foundation
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import ServerRuntime
import Testing
import Tracing

@testable import LifelineCommand

@Suite("Spans for a collector (SO-97, SO-98)")
struct SpanExporterTests {
    private let eventLoop = EmbeddedEventLoop()
    private let sent = NIOLockedValueBox<[[UInt8]]>([])
    private let answers = NIOLockedValueBox<[@Sendable (String?) -> Void]>([])

    private func exporter() -> SpanExporter {
        SpanExporter(eventLoop: eventLoop, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, host: "here") {
            [sent, answers] body, completion in
            sent.withLockedValue { $0.append(body) }
            answers.withLockedValue { $0.append(completion) }
        }
    }

    private func answer(_ failure: String? = nil) {
        let waiting = answers.withLockedValue { answers in
            defer { answers = [] }
            return answers
        }
        for completion in waiting { completion(failure) }
        eventLoop.run()
    }

    private func spans(_ body: [UInt8]) throws -> [[String: Any]] {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let resource = try #require((document["resourceSpans"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        return try #require(scope["spans"] as? [[String: Any]])
    }

    private let span = FinishedSpan(
        traceID: String(repeating: "a", count: 32), spanID: String(repeating: "b", count: 16),
        parentID: String(repeating: "c", count: 16), name: "POST events", kind: .server, start: 5, end: 1_700_000_000_000_000_001,
        attributes: ["http.response.status_code": 200, "http.route": "ev\"ents"], status: SpanStatus(code: .error))

    @Test("Spans that end within a second go together, as the protocol wants them")
    func batch() throws {
        let exporter = exporter()
        exporter.add(span)
        exporter.add(span)
        eventLoop.advanceTime(by: .milliseconds(999))
        #expect(sent.withLockedValue(\.count) == 0)
        eventLoop.advanceTime(by: .milliseconds(1))
        let bodies = sent.withLockedValue { $0 }
        let found = try spans(try #require(bodies.first))
        #expect(found.count == 2)
        #expect(found[0]["traceId"] as? String == span.traceID)
        #expect(found[0]["spanId"] as? String == span.spanID)
        #expect(found[0]["parentSpanId"] as? String == span.parentID)
        #expect(found[0]["kind"] as? Int == 2)
        #expect(found[0]["startTimeUnixNano"] as? String == "5")
        #expect(found[0]["endTimeUnixNano"] as? String == "1700000000000000001")
        #expect((found[0]["status"] as? [String: Any])?["code"] as? Int == 2)
        let attributes = try #require(found[0]["attributes"] as? [[String: Any]])
        let status = attributes.first { $0["key"] as? String == "http.response.status_code" }
        #expect((status?["value"] as? [String: Any])?["intValue"] as? String == "200")
        let route = attributes.first { $0["key"] as? String == "http.route" }
        #expect((route?["value"] as? [String: Any])?["stringValue"] as? String == "ev\"ents")
    }

    @Test("One request at a time; what a collector does not take is dropped, and beyond 2,048 spans nothing waits")
    func bounds() throws {
        let exporter = exporter()
        for _ in 0..<512 { exporter.add(span) }
        eventLoop.run()
        #expect(sent.withLockedValue(\.count) == 1)
        for _ in 0..<2_050 { exporter.add(span) }
        eventLoop.advanceTime(by: .seconds(5))
        #expect(sent.withLockedValue(\.count) == 1)
        #expect(exporter.dropped == 2)
        answer("status 503")
        #expect(exporter.dropped == 514)
        for _ in 0..<4 { answer() }
        #expect(try sent.withLockedValue { $0 }.map { try spans($0).count } == [512, 512, 512, 512, 512])
    }

    @Test("The end waits until all is sent")
    func flush() throws {
        let exporter = exporter()
        exporter.add(span)
        let isFlushed = NIOLockedValueBox(false)
        exporter.flush().whenComplete { _ in isFlushed.withLockedValue { $0 = true } }
        eventLoop.run()
        #expect(sent.withLockedValue(\.count) == 1)
        #expect(!isFlushed.withLockedValue { $0 })
        answer()
        #expect(isFlushed.withLockedValue { $0 })
    }

    @Test("Only traces that somebody records have spans, below the span of who asks")
    func tracer() throws {
        let ended = NIOLockedValueBox<[FinishedSpan]>([])
        let tracer = ExportingTracer(
            export: { span in ended.withLockedValue { $0.append(span) } }, makeID: { "00000000000000ff" })
        for flags in ["00", "01"] {
            var context = InstrumentationContext.topLevel
            let fields = ["traceparent": "00-\(span.traceID)-\(span.spanID)-\(flags)"]
            tracer.extract(fields, into: &context, using: DictionaryExtractor())
            let started = tracer.startSpan("GET time", context: context, ofKind: .server)
            #expect(started.isRecording == (flags == "01"))
            started.attributes["http.route"] = "time"
            var carrier: [String: String] = [:]
            tracer.inject(started.context, into: &carrier, using: DictionaryInjector())
            let id = flags == "01" ? "00000000000000ff" : span.spanID
            #expect(carrier == ["traceparent": "00-\(span.traceID)-\(id)-\(flags)"])
            started.end()
            started.end()
        }
        let spans = ended.withLockedValue { $0 }
        #expect(spans.map(\.parentID) == [span.spanID])
        #expect(spans.map(\.spanID) == ["00000000000000ff"])
        #expect(spans.map(\.name) == ["GET time"])
    }

    private struct DictionaryExtractor: Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    private struct DictionaryInjector: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }
}
