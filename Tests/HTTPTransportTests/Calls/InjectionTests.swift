import ConnectionEngine
import Testing

@testable import HTTPTransport

/// X8: what callers pass on never becomes a header or a request of its own.
@Suite struct InjectionTests {
    private static let injections = [
        "\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "a\r\n\r\nGET /evil HTTP/1.1\r\nHost: evil\r\n\r\n", "\r\n X-Evil: 1",
        "a\r\nX-Evil: 1\r\n", "\u{0}\r\nX-Evil: 1", "a\u{0}", "%0d%0aX-Evil:%201", "\u{10A}X-Evil: 1", "\u{2028}X-Evil: 1",
        "\u{85}X-Evil: 1", "\u{B}X-Evil: 1", "\u{7F}X-Evil: 1",
    ]

    @Test func `X8: nothing gets a header of its own into a call`() async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        let caller = HTTPCaller()
        var (tried, sent) = (0, 0)
        for injection in Self.injections {
            for call in [
                HTTPCall(url: server.url, headers: [HTTPField("X-Token", injection)]),
                HTTPCall(url: server.url, headers: [HTTPField("User-Agent", injection)]),
                HTTPCall(url: server.url, headers: [HTTPField("X" + injection, "v")]),
                HTTPCall(method: "GET" + injection, url: server.url), HTTPCall(url: server.url + "?channel=" + injection),
                HTTPCall(url: server.url + "/" + injection),
                HTTPCall(url: server.url.replacing("127.0.0.1", with: "127.0.0.1" + injection)),
                HTTPCall(method: "POST", url: server.url, body: Array(injection.utf8)),
            ] {
                tried += 1
                do throws(ConnectionFailure) {
                    _ = try await caller.send(call, timeout: .seconds(20))
                    sent += 1
                } catch {
                    #expect(
                        [.badRequest, .networkUnavailable].contains(error.category), "\(injection.debugDescription): \(error)")
                    #expect(!error.reason.contains("Evil"))
                }
            }
        }
        #expect(tried >= 100 && sent >= 14)
        #expect(server.requests.count == sent, "A second request was smuggled.")
        for request in server.requests {
            let head = request.split(separator: "\r\n\r\n", maxSplits: 1)[0]
            let names = head.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(Set(names).isSubset(of: ["host", "x-token", "user-agent", "content-length", "connection"]), "\(names)")
        }
    }

    @Test(arguments: ["", "get", "GET /", "CONNECT\r\n", "É"])
    func `A method is letters only`(method: String) async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HTTPCaller().send(HTTPCall(method: method, url: server.url), timeout: .seconds(10))
        }
        #expect(failure?.category == .badRequest && server.requests.isEmpty)
    }

    @Test func `The body alone decides about the length of a request`() async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        let fields = [HTTPField("Content-Length", "1"), HTTPField("transfer-encoding", "chunked"), HTTPField("X-One", "1")]
        let call = HTTPCall(method: "POST", url: server.url, headers: fields, body: Array("four".utf8))
        #expect(try await HTTPCaller().send(call, timeout: .seconds(10)).status == 200)
        let request = try #require(server.requests.first?.lowercased())
        #expect(request.contains("\r\ncontent-length: 4\r\n") && request.contains("\r\nx-one: 1\r\n"))
        #expect(!request.contains("content-length: 1\r\n") && !request.contains("transfer-encoding"))
    }

    @Test(arguments: [
        ("Host", "evil.test"), ("host", "a"), ("X-One", "a\u{7F}"), ("X-One", "a\u{0}b"), ("X:One", "a"), ("Ä", "a"),
    ])
    func `Headers that would say something else are refused`(name: String, value: String) async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HTTPCaller().send(HTTPCall(url: server.url, headers: [HTTPField(name, value)]), timeout: .seconds(10))
        }
        #expect(failure?.category == .badRequest && server.requests.isEmpty)
    }
}
