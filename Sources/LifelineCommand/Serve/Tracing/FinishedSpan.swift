import Tracing

/// A span that has ended, as it is exported.
struct FinishedSpan: Sendable {
    /// 32 hexadecimal digits.
    var traceID: String
    /// 16 hexadecimal digits.
    var spanID: String
    /// Nil for the first span of a trace.
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
        var out = JSONBuilder()
        out.object {
            $0.array("resourceSpans") {
                $0.object {
                    $0.object("resource") {
                        $0.array("attributes") {
                            $0.attribute("service.name", .string("lifeline"))
                            $0.attribute("service.version", .string(version))
                            $0.attribute("host.name", .string(host))
                        }
                    }
                    $0.array("scopeSpans") {
                        $0.object {
                            $0.object("scope") { $0.text("name", "lifeline") }
                            $0.array("spans") { for span in spans { span.write(to: &$0) } }
                        }
                    }
                }
            }
        }
        return out.bytes
    }

    private func write(to out: inout JSONBuilder) {
        out.object {
            $0.text("traceId", traceID)
            $0.text("spanId", spanID)
            if let parentID { $0.text("parentSpanId", parentID) }
            $0.text("name", name)
            $0.number("kind", kindNumber)
            // Integers of 64 bits are texts there.
            $0.text("startTimeUnixNano", String(start))
            $0.text("endTimeUnixNano", String(max(start, end)))
            $0.array("attributes") { list in attributes.forEach { list.attribute($0, $1) } }
            if let status {
                $0.object("status") {
                    $0.number("code", status.code == .ok ? 1 : 2)
                    if let message = status.message { $0.text("message", message) }
                }
            }
        }
    }

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

extension JSONBuilder {
    /// An attribute as the protocol has them. Kinds of values that the server does not use become texts.
    fileprivate mutating func attribute(_ name: String, _ value: SpanAttribute) {
        object {
            $0.text("key", name)
            $0.object("value") {
                switch value {
                case .int32(let number): $0.text("intValue", String(number))
                case .int64(let number): $0.text("intValue", String(number))
                case .bool(let truth): $0.truth("boolValue", truth)
                case .string(let text): $0.text("stringValue", text)
                default: $0.text("stringValue", "\(value)")
                }
            }
        }
    }
}
