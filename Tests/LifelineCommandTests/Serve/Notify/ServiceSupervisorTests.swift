import Logging
import NIOConcurrencyHelpers
import TelemetryTestSupport
import Testing

@testable import LifelineCommand

@Suite("The service manager that started the server, and its watchdog (rules PI-20, PI-24, PI-25)", .timeLimit(.minutes(2)))
struct ServiceSupervisorTests {
    private let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func interval(_ environment: [String: String]) -> Duration? {
        ServiceSupervisor(environment: environment, process: 7, logger: silent).watchdogInterval
    }

    @Test("The watchdog's interval counts for this process, and only with a socket")
    func intervals() {
        let socket = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "60000000"]
        #expect(interval(socket) == .seconds(60))
        #expect(interval(socket.merging(["WATCHDOG_PID": "7"]) { $1 }) == .seconds(60))
        #expect(interval(socket.merging(["WATCHDOG_PID": "8"]) { $1 }) == nil)
        #expect(interval(socket.merging(["WATCHDOG_USEC": "0"]) { $1 }) == nil)
        #expect(interval(socket.merging(["WATCHDOG_USEC": "often"]) { $1 }) == nil)
        #expect(interval(["WATCHDOG_USEC": "60000000"]) == nil)
        #expect(interval(["NOTIFY_SOCKET": "relative", "WATCHDOG_USEC": "60000000"]) == nil)
    }

    @Test("A notice that cannot be sent is a warning and nothing else")
    func failure() {
        let log = CapturedLog()
        let supervisor = ServiceSupervisor(watchdogInterval: nil, logger: log.logger()) { _ in
            .system(call: "sendto", code: 13)
        }
        supervisor.notify(.stopping)
        #expect(log.lines.map { "\($0.level) \($0.text)" } == ["warning the service manager could not be notified"])
    }

    @Test("Each notice of the watchdog waits for half of the interval and for the event loops")
    func watchdog() async throws {
        let steps = NIOLockedValueBox<[String]>([])
        let note: @Sendable (String) -> Void = { step in steps.withLockedValue { $0.append(step) } }
        let supervisor = ServiceSupervisor(watchdogInterval: .seconds(60), logger: silent) { text in
            note(text)
            return nil
        }
        let watchdog = ServeWatchdog(
            supervisor: supervisor,
            pause: { duration in
                if steps.withLockedValue({ $0.count }) > 6 { throw CancellationError() }
                note("\(duration)")
            },
            eventLoopsAnswer: { note("answered") })
        try await watchdog.run()
        #expect(
            steps.withLockedValue { $0 } == Array(repeating: ["30.0 seconds", "answered", "WATCHDOG=1"], count: 3).flatMap { $0 })
    }

    @Test("Event loops that do not answer keep the watchdog silent")
    func blocked() async throws {
        let sent = NIOLockedValueBox<[String]>([])
        let supervisor = ServiceSupervisor(watchdogInterval: .seconds(60), logger: silent) { text in
            sent.withLockedValue { $0.append(text) }
            return nil
        }
        let watchdog = ServeWatchdog(supervisor: supervisor, pause: { _ in }, eventLoopsAnswer: { throw CancellationError() })
        try await watchdog.run()
        #expect(sent.withLockedValue { $0 } == [])
    }
}
