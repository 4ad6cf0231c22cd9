import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport
import LifelineTesting
import NIOConcurrencyHelpers
import Testing

@Suite struct ClientPartsTests {
    @Test func `LL-144: the parts of a double are the double's, and none is the machine's`() async throws {
        let service = TestService()
        let parts = ClientParts(service.double)
        #expect(parts.makeTimers().now == service.double.timers.now)
        #expect(parts.unixSeconds() == service.double.unixSeconds)
        #expect(parts.nextSeed() == 1 && parts.nextSeed() == 2)
        #expect(parts.application == nil && parts.consumers === service.double.consumers)
        #expect(parts.http(HTTPCaller()) as AnyObject === service.double)
        service.onRequest { _ in TestAnswer(status: 204, body: "") }
        let answer = try await parts.http(HTTPCaller()).send(HTTPCall(url: "http://h/a"), timeout: .seconds(1))
        #expect(answer.status == 204 && answer.url == "http://h/a")
    }

    @Test func `LL-144: a double tells of its network, and no longer once nobody listens`() async throws {
        let service = TestService()
        let seen = NIOLockedValueBox<[NetworkStatus]>([])
        var observation = ClientParts(service.double).observeNetwork(of: "h") { status in
            seen.withLockedValue { $0.append(status) }
        }
        #expect(observation != nil)
        try await service.loseNetwork()
        #expect(seen.withLockedValue { $0 } == [.unavailable])
        observation = nil
        try await service.findNetwork()
        #expect(seen.withLockedValue { $0 } == [.unavailable])
    }

    @Test func `LL-144: without a double the parts are this machine's`() {
        let parts = ClientParts(nil)
        #expect(parts.consumers == nil && parts.application === ApplicationMonitor.shared)
        let caller = HTTPCaller(bodyLimit: 7)
        #expect(parts.http(caller) as AnyObject === caller)
        #expect(parts.unixSeconds() > 1_600_000_000)
    }

    @Test func `LL-145: a call whose task is cancelled ends, and its request is given up`() async throws {
        let requests = HeldRequests()
        let call = Task { () -> Result<HTTPCallAnswer, ConnectionFailure> in
            do throws(ConnectionFailure) {
                return .success(try await requests.send(HTTPCall(url: "http://h/"), timeout: .seconds(1)))
            } catch {
                return .failure(error)
            }
        }
        while requests.sent == 0 { await Task.yield() }
        call.cancel()
        #expect(await call.value == .failure(.cancelledByCaller))
        #expect(requests.cancelled == 1)
        let cancelled = Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(ConnectionFailure) {
                _ = try await requests.send(HTTPCall(url: "http://h/"), timeout: .seconds(1))
                return false
            } catch {
                return error == .cancelledByCaller
            }
        }
        #expect(await cancelled.value)
        #expect(requests.sent == 1)
    }
}

/// Requests that are never answered.
private final class HeldRequests: HTTPStarting {
    private let counts = NIOLockedValueBox((sent: 0, cancelled: 0))

    var sent: Int { counts.withLockedValue { $0.sent } }
    var cancelled: Int { counts.withLockedValue { $0.cancelled } }

    func send(
        _ call: HTTPCall, timeout: Duration, completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        counts.withLockedValue { $0.sent += 1 }
        return { [counts] in counts.withLockedValue { $0.cancelled += 1 } }
    }
}
