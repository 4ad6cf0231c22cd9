import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import SocketTestSupport
import Testing
import TransportCommon

@testable import HTTPTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite struct HTTPCallerTests {
    let caller = HTTPCaller()

    private func failure(_ call: HTTPCall, timeout: Duration = .seconds(10)) async -> ConnectionFailure? {
        do throws(ConnectionFailure) {
            let answer = try await caller.send(call, timeout: timeout)
            Issue.record("answered \(answer.status)")
            return nil
        } catch {
            return error
        }
    }

    @Test func `Method, headers and body reach the server, and its answer comes back`() async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK", "{\"auth\":\"k\"}", headers: "X-One: 1\r\n")) }
        let call = HTTPCall(
            method: "POST", url: server.url, headers: [HTTPField("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("socket_id=1.1".utf8))
        let reply = try await caller.send(call, timeout: .seconds(10))
        #expect(reply.status == 200 && reply.isSuccess && reply.failure == nil && reply.url == server.url)
        #expect(String(decoding: reply.body, as: UTF8.self) == "{\"auth\":\"k\"}")
        #expect(reply.first("x-one") == "1")
        let request = try #require(server.requests.first)
        #expect(request.hasPrefix("POST /auth HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\nsocket_id=1.1"))
        #expect(request.lowercased().contains("content-type: application/x-www-form-urlencoded\r\n"))
    }

    @Test func `Any status is an answer, with what it means`() async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("503 Busy", "no", headers: "Retry-After: 3\r\n")) }
        let reply = try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10))
        #expect(reply.status == 503 && !reply.isSuccess)
        #expect(reply.failure?.category == .overloaded && reply.failure?.retryAfter == .seconds(3))
    }

    // Proof of X12.
    @Test func `Rule HT-1: redirects are not followed`() async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("302 Found", headers: "Location: /elsewhere\r\n")) }
        let reply = try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10))
        #expect(reply.status == 302 && reply.failure?.category == .malformedResponse)
        #expect(server.requests.count == 1)
    }

    @Test func `Rule HT-2: an answer may be as long as the limit and no longer`() async throws {
        let server = try await HTTPTestServer { request in
            .bytes(answer("200 OK", String(repeating: "x", count: request.hasPrefix("GET") ? 65536 : 65537)))
        }
        #expect(try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10)).body.count == 65536)
        #expect(await failure(HTTPCall(method: "POST", url: server.url))?.category == .malformedResponse)
    }

    @Test func `An endless answer is refused at the limit`() async throws {
        let server = try await HTTPTestServer { _ in
            .bytes(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: "1000\r\n" + String(repeating: "y", count: 4096) + "\r\n", count: 64))
        }
        #expect(await failure(HTTPCall(url: server.url))?.category == .malformedResponse)
    }

    @Test(arguments: [
        ("HELLO\r\n\r\n", StatusCategory.malformedResponse), ("<html>", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformedResponse),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", .malformedResponse), ("", .networkUnavailable),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .networkUnavailable),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc", .networkUnavailable),
    ])
    func `Broken answers have their category`(bytes: String, category: StatusCategory) async throws {
        let server = try await HTTPTestServer { _ in .last(bytes) }
        let broken = await failure(HTTPCall(url: server.url))
        #expect(broken?.category == category && broken?.precedesSending == false)
    }

    @Test func `A server that does not answer is a timeout`() async throws {
        let server = try await HTTPTestServer { _ in .silence }
        let late = await failure(HTTPCall(url: server.url), timeout: .seconds(3))
        #expect(late?.category == .timeout && late?.precedesSending == false)
    }

    @Test func `HT-38: a connection that nobody accepts is a timeout, and nothing was sent`() async throws {
        let hole = try Blackhole()
        let call = HTTPCall(url: "http://127.0.0.1:\(hole.port)/")
        let late = await failure(call, timeout: .milliseconds(100))
        #expect(late?.category == .timeout && late?.precedesSending == true)
    }

    @Test func `A port that refuses fails at once, with its error number`() async throws {
        let refused = await failure(HTTPCall(url: "http://127.0.0.1:1/"))
        #expect(refused?.category == .networkUnavailable && refused?.errno == ECONNREFUSED && refused?.precedesSending == true)
    }

    @Test func `A name that does not exist is a matter of the network`() async throws {
        #expect(await failure(HTTPCall(url: "http://does-not-exist.invalid/"))?.category == .networkUnavailable)
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "http+unix://x/y", "http://", "https:///path"])
    func `URLs that cannot be asked are refused`(url: String) async throws {
        #expect(await failure(HTTPCall(url: url))?.category == .badRequest)
    }

    @Test(arguments: [HTTPField("X", "a\r\nY: b"), HTTPField("X Y", "a"), HTTPField("", "a")])
    func `Headers with line breaks or bad names never reach the wire`(field: HTTPField) async throws {
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        #expect(await failure(HTTPCall(url: server.url, headers: [field]))?.category == .badRequest)
        #expect(server.requests.isEmpty)
    }

    @Test func `Cancelling the task cancels the request`() async throws {
        let asked = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        let server = try await HTTPTestServer { _ in
            asked.succeed()
            return .silence
        }
        let task = Task { await failure(HTTPCall(url: server.url)) }
        try await asked.futureResult.get()
        task.cancel()
        #expect(await task.value == .cancelledByCaller)
    }

    @Test func `A cancelled call never completes, others do`() async throws {
        let server = try await HTTPTestServer { request in request.hasPrefix("GET") ? .silence : .bytes(answer("200 OK")) }
        let completions = NIOLockedValueBox(0)
        for _ in 0..<50 {
            let cancel = caller.send(HTTPCall(url: server.url), timeout: .seconds(10)) { _ in
                completions.withLockedValue { $0 += 1 }
            }
            cancel()
            cancel()
        }
        #expect(try await caller.send(HTTPCall(method: "POST", url: server.url), timeout: .seconds(10)).status == 200)
        #expect(completions.withLockedValue { $0 } == 0)
    }

    @Test func `Rule HT-4: callers share connections and close them with the last of them`() async throws {
        let roots = TrustRoots.file("/nonexistent/only-for-this-test.pem")
        let server = try await HTTPTestServer { _ in .bytes(answer("200 OK")) }
        var callers: [HTTPCaller]? = [HTTPCaller(trustRoots: roots), HTTPCaller(trustRoots: roots)]
        for caller in callers ?? [] { _ = try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10)) }
        #expect(server.connectionCount == 1)
        weak let shared = callers?.first?.connections
        #expect(shared != nil && callers?.last?.connections === shared)
        callers = nil
        #expect(shared == nil)
    }
}
