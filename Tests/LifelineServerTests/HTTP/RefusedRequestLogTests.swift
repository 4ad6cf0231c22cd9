import Testing

@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("SO-174: the line of a refused request has its origin and its bytes", .timeLimit(.minutes(2)))
struct RefusedRequestLogTests {
    /// The lines about refusals after each request was sent on the same connection.
    private func lines(_ requests: [String], statuses: [Int]) async throws -> [String] {
        let log = LogLines()
        try await withServer(quietApplication, { $0.logger = log.logger(.debug) }) { server in
            let socket = try await RawSocket.connect(port: server.port)
            for (request, status) in zip(requests, statuses) {
                try await socket.send(request)
                _ = try await socket.text(upTo: "HTTP/1.1 \(status)")
            }
            await log.wait(for: "request refused", count: requests.count)
        }
        return log.all.filter { $0.contains("request refused") }
    }

    private static let path = "/apps/1234567/channels"

    @Test("A plain request, and one on the same connection without an origin")
    func plain() async throws {
        let first = "GET \(Self.path) HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\n\r\n"
        let second = "GET \(Self.path) HTTP/1.1\r\nHost: a\r\n\r\n"
        let lines = try await lines([first, first, second], statuses: [404, 404, 404])
        for line in lines.prefix(2) {
            #expect(line.contains("origin=https://app.example ") && line.contains("received_bytes=\(first.utf8.count) "))
        }
        #expect(!lines[2].contains("origin=") && lines[2].contains("received_bytes=\(second.utf8.count) "))
    }

    @Test("A request with a body counts it, and a long origin with control characters is cut")
    func body() async throws {
        let origin = "https://" + String(repeating: "x", count: 300)
        let request = "POST /apps/1001/events HTTP/1.1\r\nHost: a\r\nOrigin: \(origin)\r\nContent-Length: 13\r\n\r\nprivate-words"
        let line = try #require(try await lines([request], statuses: [401]).first)
        #expect(line.contains("origin=\(origin.prefix(200)) "))
        #expect(line.contains("received_bytes=\(request.utf8.count) ") && !line.contains("private-words"))
    }

    @Test("A text of several lines is one line, and the former text is kept")
    func texts() {
        #expect(HTTPConnection.origin("https://a.example".utf8, "https://b.example") == "https://a.example")
        #expect(HTTPConnection.origin("https://a.example".utf8, "https://a.example") == "https://a.example")
        #expect(logText(HTTPConnection.origin("a\u{1B}[31mb\n".utf8, nil).utf8) == "a [31mb ")
    }
}
