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
        let read = try HTTPRequest(decoding: request.encoded())
        #expect(read.method == "POST")
        #expect(read.target == target)
        #expect(read.headers["x-key"] == ["a", "b"])
        #expect(read.body == [1, 2, 3])
    }

    @Test func answerComesBack() throws {
        var answer = HTTPAnswer(status: 429, .json, Array("{}".utf8))
        answer.fields = [("retry-after", "1")]
        answer.hasRecordedFields = true
        let read = try HTTPAnswer(decoding: answer.encoded())
        #expect(read == answer)
        #expect(read.fields.map(\.name) == ["retry-after"])
        #expect(read.hasRecordedFields)
    }

    @Test func cutRequestsAreNoticed() throws {
        let buffer = HTTPRequest(method: "GET", target: try RequestTarget(parsing: "/x"), headers: [:], body: [1]).encoded()
        for length in 0..<buffer.readableBytes {
            guard let cut = buffer.getSlice(at: 0, length: length) else { return }
            #expect(throws: ClusterCodingError.self) { _ = try HTTPRequest(decoding: cut) }
        }
    }
}
