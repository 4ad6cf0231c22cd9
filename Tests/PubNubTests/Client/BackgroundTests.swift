import ConnectionEngine
import EngineRuntime
import HTTPTransport
import NIOConcurrencyHelpers
import Testing

@testable import PubNub

/// Calls under way when the application goes to the background, and what the engine is told (rule PK-72).
@Suite struct BackgroundTests {
    private func answers(of fixture: Fixture) -> NIOLockedValueBox<[String]> {
        let words = NIOLockedValueBox<[String]>([])
        for number in 1...2 {
            fixture.client.publish("\(number)", toChannel: "a") { status in
                let word = "\(number) \(status.stringifiedCategory())"
                words.withLockedValue { $0.append(word) }
            }
        }
        return words
    }

    @Test func `PK-74: calls under way go on by default`() {
        let fixture = Fixture(calls: ScriptedCalls(.never))
        let words = answers(of: fixture)
        fixture.client.applicationDidEnterBackground()
        #expect(words.withLockedValue { $0 } == [] && fixture.calls.cancelled == 0)
    }

    @Test func `PK-74: without completion before suspension they end at once as cancelled`() {
        let fixture = Fixture(calls: ScriptedCalls(.never)) { $0.completeRequestsBeforeSuspension = false }
        let words = answers(of: fixture)
        fixture.client.applicationDidEnterBackground()
        #expect(words.withLockedValue { $0 } == ["1 Cancelled", "2 Cancelled"] && fixture.calls.cancelled == 2)
        _ = answers(of: fixture)
        #expect(fixture.calls.sent.count == 4, "calls of the background are sent")
        fixture.client.applicationDidEnterBackground()
        #expect(fixture.calls.cancelled == 2, "and a repeated notification leaves them alone")
    }

    @Test func `PK-74: who waits for the last answer is told with it, or at once`() {
        let calls = HeldCalls()
        let runner = CallRunner(transport: calls)
        let words = NIOLockedValueBox<[String]>([])
        runner.whenIdle { words.withLockedValue { $0.append("idle") } }
        #expect(words.withLockedValue { $0 } == ["idle"])
        let request = CallRequest(
            endpoint: HTTPEndpoint(host: "h", port: 1, usesTLS: false), method: "GET", target: "/", headers: [], body: [],
            timeout: .seconds(1))
        let cancelled = runner.send(request) { _ in words.withLockedValue { $0.append("cancelled") } }
        runner.send(request) { _ in words.withLockedValue { $0.append("answered") } }
        runner.whenIdle { words.withLockedValue { $0.append("idle again") } }
        runner.cancel(cancelled)
        #expect(words.withLockedValue { $0 } == ["idle", "cancelled"])
        calls.answer()
        #expect(words.withLockedValue { $0 } == ["idle", "cancelled", "answered", "idle again"])
    }

    @Test(arguments: [true, false])
    func `PK-72: the system's notifications count only if the client suspends in the background`(suspends: Bool) {
        let engine = ScriptedEngine()
        let report = NIOLockedValueBox<(@Sendable (ApplicationMonitor.Place) -> Void)?>(nil)
        var values = ConfigurationValues(publishKey: "pub", subscribeKey: "sub", uuid: "me", deviceID: "device")
        values.suspendsInBackground = suspends
        let assembly = PubNubEngineAssembly(
            makeCalls: { _ in ScriptedCalls() }, makeEngine: { _, _ in engine },
            observeApplication: { body in
                report.withLockedValue { $0 = body }
                return nil
            })
        let client = PubNub(values, queue: .inline, assembly: assembly)
        report.withLockedValue { $0 }?(.background)
        #expect(engine.log == (suspends ? ["moved to background"] : []))
        client.applicationDidEnterBackground()
        #expect(engine.log == ["moved to background"])
    }

    @Test func `PK-72: the engine is told each change once`() {
        let fixture = Fixture()
        fixture.client.applicationWillEnterForeground()
        fixture.client.applicationDidEnterBackground()
        fixture.client.applicationDidEnterBackground()
        fixture.client.applicationWillEnterForeground()
        #expect(fixture.engine.log == ["moved to background", "moved to foreground"])
    }
}

/// Answers when the test wants.
private final class HeldCalls: CallTransport {
    private let held = NIOLockedValueBox<[@Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void]>([])

    func send(
        _ exchange: HTTPExchange, to endpoint: HTTPEndpoint,
        completion: @escaping @Sendable (Result<HTTPCallAnswer, ConnectionFailure>) -> Void
    ) -> JobCancellation {
        held.withLockedValue { $0.append(completion) }
        return {}
    }

    func answer() {
        let held = held.withLockedValue { $0 }
        for completion in held { completion(.success(HTTPCallAnswer(status: 200, headers: [], url: ""))) }
    }
}
