import EngineRuntime
import NIOConcurrencyHelpers
import Testing

/// Who hears where the application is.
@Suite struct ApplicationMonitorTests {
    /// What the system would say.
    private final class System: Sendable {
        let report = NIOLockedValueBox<(@Sendable (ApplicationMonitor.Place) -> Void)?>(nil)
        let watches = NIOLockedValueBox(0)

        func monitor() -> ApplicationMonitor {
            ApplicationMonitor { [report, watches] body in
                watches.withLockedValue { $0 += 1 }
                report.withLockedValue { $0 = body }
            }
        }

        func say(_ place: ApplicationMonitor.Place) { report.withLockedValue { $0 }?(place) }
    }

    @Test func `observers hear every change while they are held, and the system is watched once`() {
        let system = System()
        let monitor = system.monitor()
        let heard = NIOLockedValueBox<[String]>([])
        let first = monitor.observe { place in heard.withLockedValue { $0.append("1 \(place)") } }
        let second = monitor.observe { place in heard.withLockedValue { $0.append("2 \(place)") } }
        #expect(heard.withLockedValue { $0 } == [])
        system.say(.background)
        first.cancel()
        system.say(.foreground)
        #expect(heard.withLockedValue { $0 } == ["1 background", "2 background", "2 foreground"])
        #expect(system.watches.withLockedValue { $0 } == 1)
        second.cancel()
        system.say(.background)
        #expect(heard.withLockedValue { $0 }.count == 3)
    }

    @Test func `PA-90: who comes in the background is told so at once`() {
        let system = System()
        let monitor = system.monitor()
        let first = monitor.observe { _ in }
        system.say(.background)
        let heard = NIOLockedValueBox<[ApplicationMonitor.Place]>([])
        let late = monitor.observe { place in heard.withLockedValue { $0.append(place) } }
        #expect(heard.withLockedValue { $0 } == [.background])
        first.cancel()
        late.cancel()
    }
}
