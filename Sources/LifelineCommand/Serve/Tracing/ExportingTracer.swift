import NIOConcurrencyHelpers
import ServerRuntime
import Tracing

/// Creates spans for requests with a sampled trace, and passes each span to an exporter when it ends (rule SO-97).
struct ExportingTracer: Tracer {
    /// Receives finished spans; must not block.
    let export: @Sendable (FinishedSpan) -> Void
    /// A new id of a span: 16 hexadecimal digits, not all zeros.
    var makeID: @Sendable () -> String = {
        let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        // Only traces that the client has marked as sampled are recorded, because a trace begins at a client.
        guard let parent = context.traceParent, parent.isSampled else { return RecordedSpan(context: context, nil, export) }
        let span = FinishedSpan(
            traceID: parent.traceID, spanID: makeID(), parentID: parent.spanID, name: operationName, kind: kind,
            start: instant().nanosecondsSinceEpoch, end: 0, attributes: [:])
        context.traceParent = TraceParent(traceID: span.traceID, spanID: span.spanID, isSampled: true)
        return RecordedSpan(context: context, span, export)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        context.traceParent = extractor.extract(key: "traceparent", from: carrier).flatMap { TraceParent($0) }
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject(parent.text, forKey: "traceparent", into: &carrier)
    }

    func forceFlush() {}
}

private enum TraceParentKey: InstrumentationContextKey {
    typealias Value = TraceParent
}

extension InstrumentationContext {
    fileprivate(set) var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }
}

/// A span until it ends. Links and events are not stored, because the server has none.
final class RecordedSpan: Span {
    let context: InstrumentationContext
    /// The recorded span. Nil for a trace that is not recorded, and once the span has ended.
    private let state: NIOLockedValueBox<FinishedSpan?>
    private let export: @Sendable (FinishedSpan) -> Void

    init(context: InstrumentationContext, _ span: FinishedSpan?, _ export: @escaping @Sendable (FinishedSpan) -> Void) {
        self.context = context
        self.export = export
        state = NIOLockedValueBox(span)
    }

    var isRecording: Bool { state.withLockedValue { $0 != nil } }

    var operationName: String {
        get { state.withLockedValue { $0?.name ?? "" } }
        set { state.withLockedValue { $0?.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLockedValue { $0?.attributes ?? [:] } }
        set { state.withLockedValue { $0?.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { state.withLockedValue { $0?.status = status } }

    func addEvent(_ event: SpanEvent) {}

    func addLink(_ link: SpanLink) {}

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        // Only the code of the error is recorded, because descriptions of errors may contain data of clients.
        setStatus(SpanStatus(code: .error))
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLockedValue { state in
            defer { state = nil }
            return state
        }
        guard var ended else { return }
        ended.end = instant().nanosecondsSinceEpoch
        export(ended)
    }
}
