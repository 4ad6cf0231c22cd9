import ConnectionEngine
import EngineTesting
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import HTTPTransport

/// Kept connections that are dead without anybody having said so.
@Suite struct DeadConnectionTests {
    @Test func `Rule HT-31: a call on a kept connection that is dead fails in time; the next one has a new connection`()
        async throws
    {
        let seen = NIOLockedValueBox(0)
        let server = try await HTTPTestServer { _ in
            let number = seen.withLockedValue { seen in
                seen += 1
                return seen
            }
            // The first connection answers once and never again.
            return number == 2 ? .silence : .bytes(answer("200 OK", "\(number)"))
        }
        let caller = HTTPCaller()
        #expect(try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10)).body == Array("1".utf8))
        await #expect {
            _ = try await caller.send(HTTPCall(url: server.url), timeout: .milliseconds(200))
        } throws: { ($0 as? ConnectionFailure)?.category == .timeout }
        #expect(server.connectionCount == 1)
        #expect(try await caller.send(HTTPCall(url: server.url), timeout: .seconds(10)).body == Array("3".utf8))
        #expect(server.connectionCount == 2)
    }

    #if os(Linux)
        @Test func `Rule WT-28: the kernel probes a held poll, and a call`() async throws {
            let polls = try await PollServer()
            let client = try await PollClient(to: polls.endpoint)
            client.poll()
            _ = try await polls.peers.next().requests.next()
            try await isProbed(polls.port)

            let calls = try await HTTPTestServer { _ in .silence }
            let cancel = HTTPCaller().send(HTTPCall(url: calls.url), timeout: .seconds(60)) { _ in }
            try await isProbed(calls.endpoint.port)
            cancel()
        }

        private func isProbed(_ port: Int) async throws {
            let limit = ContinuousClock.now + .seconds(60)
            while true {
                if KernelWatch.isProbing(port: port) { return }
                try #require(ContinuousClock.now < limit, "no keepalive timer")
                await Task.yield()
            }
        }
    #endif
}
