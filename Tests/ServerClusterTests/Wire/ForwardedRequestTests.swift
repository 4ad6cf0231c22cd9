import NIOCore
import NIOHTTP1
import ServerCluster
import ServerRuntime
import Testing

/// Requests and answers are the same behind the way to the leader.
@Suite struct ForwardedRequestTests {
    @Test func requestComesBack() throws {
        let target = try RequestTarget(parsing: "/apps/1001/events?a=%2F+b&empty=")
        let request = HTTPRequest(
            method: "POST", target: target, headers: HTTPHeaders([("X-Key", "a"), ("x-key", "b")]), body: [1, 2, 3])
        var buffer = ByteBuffer()
        buffer.write(request: request)
        let read = try buffer.request()
        try buffer.end()
        #expect(read.method == "POST")
        #expect(read.target == target)
        #expect(read.headers["x-key"] == ["a", "b"])
        #expect(read.body == [1, 2, 3])
    }

    @Test func answerComesBack() throws {
        var answer = HTTPAnswer(status: 429, .json, Array("{}".utf8))
        answer.fields = [("retry-after", "1")]
        answer.hasRecordedFields = true
        var buffer = ByteBuffer()
        buffer.write(answer: answer)
        let read = try buffer.answer()
        try buffer.end()
        #expect(read == answer)
        #expect(read.fields.map(\.name) == ["retry-after"])
        #expect(read.hasRecordedFields)
    }

    @Test func cutRequestsAreNoticed() throws {
        var buffer = ByteBuffer()
        buffer.write(request: HTTPRequest(method: "GET", target: try RequestTarget(parsing: "/x"), headers: [:], body: [1]))
        for length in 0..<buffer.readableBytes {
            guard var cut = buffer.getSlice(at: 0, length: length) else { return }
            #expect(throws: ClusterCodingError.self) { _ = try cut.request() }
        }
    }
}
