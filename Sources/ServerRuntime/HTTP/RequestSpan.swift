import NIOHTTP1
import Tracing

/// The span of a request that belongs to a trace, in the tracer of the process (rule SO-97). Used on the connection's event loop.
final class RequestSpan {
    private let span: any Span
    private let method: String
    let parent: TraceParent

    /// Starts the span; nil for a request that belongs to no trace. A repeated `traceparent` field is ignored, as the standard requires.
    init?(_ head: HTTPRequestHead) {
        let values = head.headers["traceparent"]
        guard values.count == 1, let parent = TraceParent(values[0]) else { return nil }
        self.parent = parent
        // Clients can send any text as a method, but the number of different span names must be small.
        method = Self.methods.contains(head.method) ? head.method.rawValue : "_OTHER"
        var context = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(head.headers, into: &context, using: FieldExtractor())
        span = InstrumentationSystem.tracer.startSpan(method, context: context, ofKind: .server)
        span.attributes["http.request.method"] = method
    }

    private static let methods: [HTTPMethod] = [.GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .OPTIONS]

    /// - Parameters:
    ///   - route: the kind of the request in metrics. Paths and queries are not recorded, because clients put keys and tokens there.
    ///   - status: the status of the answer; nil when the connection closed without one.
    func end(route: String, status: Int?) {
        span.operationName = "\(method) \(route)"
        span.attributes["http.route"] = route
        if let status { span.attributes["http.response.status_code"] = status }
        if status.map({ $0 >= 500 }) ?? true { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}

/// Finds the fields of a trace among the header fields of a request.
private struct FieldExtractor: Extractor {
    func extract(key: String, from carrier: HTTPHeaders) -> String? {
        let values = carrier[key]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
