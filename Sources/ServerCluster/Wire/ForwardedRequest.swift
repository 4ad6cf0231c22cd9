import NIOCore
import NIOHTTP1
import ServerRuntime

// The coding of a request that a node forwards to the leader, and of the leader's answer.
extension ByteBuffer {
    /// - Parameter request: the request, whose target is as received, without the server's prefix.
    package mutating func write(request: HTTPRequest) {
        write(text: request.method)
        write(
            text: request.target.rawQuery.isEmpty
                ? request.target.rawPath : request.target.rawPath + "?" + request.target.rawQuery)
        write(list: Array(request.headers)) { buffer, field in
            buffer.write(text: field.name)
            buffer.write(text: field.value)
        }
        write(bytes: request.body)
    }

    package mutating func request() throws(ClusterCodingError) -> HTTPRequest {
        let (method, target) = (try text(), try text())
        let fields = try list { (buffer) throws(ClusterCodingError) in (try buffer.text(), try buffer.text()) }
        let body = try bytes()
        do throws(HTTPProblem) {
            return HTTPRequest(
                method: method, target: try RequestTarget(parsing: target), headers: HTTPHeaders(fields), body: body)
        } catch {
            throw ClusterCodingError()
        }
    }

    package mutating func write(answer: HTTPAnswer) {
        writeInteger(UInt16(answer.status))
        write(text: answer.contentType.rawValue)
        write(list: answer.fields) { buffer, field in
            buffer.write(text: field.name)
            buffer.write(text: field.value)
        }
        write(flag: answer.hasRecordedFields)
        write(bytes: answer.body)
    }

    package mutating func answer() throws(ClusterCodingError) -> HTTPAnswer {
        let status = Int(try number(UInt16.self))
        let type = HTTPAnswer.ContentType(rawValue: try text())
        let fields = try list { (buffer) throws(ClusterCodingError) in (name: try buffer.text(), value: try buffer.text()) }
        let hasRecordedFields = try flag()
        var answer = HTTPAnswer(status: status, type, try bytes())
        answer.fields = fields
        answer.hasRecordedFields = hasRecordedFields
        return answer
    }
}

extension HTTPProblem {
    /// The answer to a call that the leader did not answer. PubNub's and Pusher's libraries retry after 503.
    package init(_ failure: ClusterFailure) {
        switch failure {
        case .unavailable, .overloaded:
            self.init(503, "The servers cannot reach each other; nothing was done.", retryAfter: 1)
        case .unknown:
            self.init(503, "The servers cannot reach each other. Whether it was done is not known.", retryAfter: 1)
        case .closed: self.init(503, "The server is shutting down.", retryAfter: 1)
        }
    }
}
