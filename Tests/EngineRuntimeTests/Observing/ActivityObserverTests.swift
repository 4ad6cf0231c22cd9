import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import Testing

/// Whether App Nap is kept away (rule BG-12).
@Suite struct ActivityObserverTests {
    /// What the system was asked for.
    private final class System: Sendable {
        let log = NIOLockedValueBox<[String]>([])

        func observer() -> ActivityObserver? {
            ActivityObserver(true) { [log] in
                log.withLockedValue { $0.append("begin") }
                return { log.withLockedValue { $0.append("end") } }
            }
        }

        var said: [String] { log.withLockedValue { $0 } }
    }

    private func change(_ phase: ConnectionPhase) -> ConnectionChange {
        ConnectionChange(
            previous: .idle, phase: phase, category: .connected, cause: nil, attempt: 1, retryIn: nil, at: .zero)
    }

    @Test func `BG-12: the process is kept awake from the first attempt until nothing is tried any more`() {
        let system = System()
        let observer = system.observer()
        for phase in [ConnectionPhase.connecting, .connected, .waiting, .connecting, .connected, .disconnecting] {
            observer?.changed(change(phase))
        }
        #expect(system.said == ["begin"])
        observer?.changed(change(.disconnected))
        observer?.changed(change(.disconnected))
        #expect(system.said == ["begin", "end"])
    }

    @Test(arguments: [ConnectionPhase.idle, .suspended, .disconnected, .failed])
    func `BG-12: a phase in which nothing is tried keeps nobody awake`(phase: ConnectionPhase) {
        let system = System()
        let observer = system.observer()
        observer?.changed(change(phase))
        #expect(system.said == [])
        observer?.changed(change(.connected))
        observer?.changed(change(phase))
        observer?.changed(change(.connecting))
        #expect(system.said == ["begin", "end", "begin"])
    }

    @Test func `BG-12: a client that is released keeps nobody awake`() {
        let system = System()
        var observer = system.observer()
        observer?.changed(change(.connected))
        observer = nil
        #expect(observer == nil && system.said == ["begin", "end"])
    }

    @Test func `BG-12: nobody is kept awake unless the application wants it`() {
        #expect(ActivityObserver(false) == nil)
    }
}
