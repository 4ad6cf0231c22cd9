import NIOCore
import NIOHTTP1
import ServerRuntime

/// A header field of a forwarded request or answer.
private struct HeaderField: CodedValue {
    var name: String
    var value: String

    static func code(_ value: HeaderField?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> HeaderField {
        HeaderField(name: try fields.field(1, value?.name), value: try fields.field(2, value?.value))
    }
}

/// An HTTP request that a node forwards to the leader. Its target is as received, without the server's prefix.
extension HTTPRequest: CodedValue {
    package var expectedLength: Int { body.count + 256 }

    package static func code(_ value: HTTPRequest?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> HTTPRequest {
        let method = try fields.field(1, value?.method)
        let target = try fields.field(2, value?.target.text)
        let headers = try fields.list(3, value?.headers.map { HeaderField(name: $0.name, value: $0.value) })
        let body = try fields.field(4, value?.body)
        if let value { return value }
        do throws(HTTPProblem) {
            return HTTPRequest(
                method: method, target: try RequestTarget(parsing: target),
                headers: HTTPHeaders(headers.map { ($0.name, $0.value) }), body: body)
        } catch {
            throw ClusterCodingError()
        }
    }
}

extension RequestTarget {
    fileprivate var text: String { rawQuery.isEmpty ? rawPath : rawPath + "?" + rawQuery }
}

/// The leader's answer to a forwarded HTTP request.
extension HTTPAnswer: CodedValue {
    package var expectedLength: Int { body.count + 128 }

    package static func code(_ value: HTTPAnswer?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> HTTPAnswer {
        let status = try fields.field(1, value.map { UInt16(clamping: $0.status) })
        let type = ContentType(rawValue: try fields.field(2, value?.contentType.rawValue))
        let head = try fields.list(3, value?.fields.map { HeaderField(name: $0.name, value: $0.value) })
        let hasRecordedFields = try fields.field(4, value?.hasRecordedFields)
        var answer = HTTPAnswer(status: Int(status), type, try fields.field(5, value?.body))
        answer.fields = head.map { ($0.name, $0.value) }
        answer.hasRecordedFields = hasRecordedFields
        return answer
    }
}

extension HTTPProblem {
    /// The error answer to an HTTP request that the leader has not answered. PubNub's and Pusher's libraries retry after 503.
    package init(_ failure: ClusterFailure) {
        switch failure {
        case .unavailable, .overloaded:
            self.init(503, "The servers of the cluster cannot reach each other; nothing was done.", retryAfter: 1)
        case .unknown:
            self.init(
                503, "The servers of the cluster cannot reach each other. Whether the request was performed is not known.",
                retryAfter: 1)
        case .closed: self.init(503, "The server is shutting down.", retryAfter: 1)
        }
    }
}
