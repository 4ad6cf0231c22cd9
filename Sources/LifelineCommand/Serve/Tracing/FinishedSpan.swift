import Tracing

/// A finished span in the form in which it is exported.
struct FinishedSpan: Sendable {
    /// 32 hexadecimal digits.
    var traceID: String
    /// 16 hexadecimal digits.
    var spanID: String
    /// The id of the parent span; nil for the first span of a trace.
    var parentID: String?
    var name: String
    var kind: SpanKind
    /// Nanoseconds since 1970.
    var start: UInt64
    var end: UInt64
    var attributes: SpanAttributes
    var status: SpanStatus?
}

extension FinishedSpan {
    /// The request of the OpenTelemetry protocol (OTLP over HTTP, in JSON) with these spans.
    static func document(_ spans: [FinishedSpan], version: String, host: String) -> [UInt8] {
        let resource = object {
            $0.put(
                "attributes",
                json: list([
                    attribute("service.name", .string("lifeline")), attribute("service.version", .string(version)),
                    attribute("host.name", .string(host)),
                ]))
        }
        let scope = object {
            $0.put("scope", json: object { $0.put("name", "lifeline") })
            $0.put("spans", json: list(spans.map(\.json)))
        }
        let resources = object {
            $0.put("resource", json: resource)
            $0.put("scopeSpans", json: list([scope]))
        }
        return Array(object { $0.put("resourceSpans", json: list([resources])) }.utf8)
    }

    private var json: String {
        var attributes: [String] = []
        self.attributes.forEach { attributes.append(Self.attribute($0, $1)) }
        return Self.object {
            $0.put("traceId", traceID)
            $0.put("spanId", spanID)
            if let parentID { $0.put("parentSpanId", parentID) }
            $0.put("name", name)
            $0.put("kind", kindNumber)
            // 64-bit integers are encoded as strings, as OTLP requires for JSON.
            $0.put("startTimeUnixNano", String(start))
            $0.put("endTimeUnixNano", String(max(start, end)))
            $0.put("attributes", json: Self.list(attributes))
            if let status { $0.put("status", json: Self.object { $0.put("code", status.code == .ok ? 1 : 2) }) }
        }
    }

    /// An attribute of a span in the JSON encoding of OTLP. Values of kinds that the server does not use are encoded as strings.
    private static func attribute(_ name: String, _ value: SpanAttribute) -> String {
        object {
            $0.put("key", name)
            $0.put(
                "value",
                json: object {
                    switch value {
                    case .int32(let number): $0.put("intValue", String(number))
                    case .int64(let number): $0.put("intValue", String(number))
                    case .bool(let truth): $0.put("boolValue", truth)
                    case .string(let text): $0.put("stringValue", text)
                    default: $0.put("stringValue", "\(value)")
                    }
                })
        }
    }

    private static func object(_ body: (inout JSONObject) -> Void) -> String {
        var object = JSONObject()
        body(&object)
        return object.text
    }

    private static func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    private var kindNumber: Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
