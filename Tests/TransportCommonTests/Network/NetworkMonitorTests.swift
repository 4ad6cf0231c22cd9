import ConnectionEngine
import NIOConcurrencyHelpers
import Testing

@testable import TransportCommon

/// A source that says what the test tells it to.
private final class ScriptedSource: NetworkSource {
    typealias Changed = @Sendable (NetworkSnapshot) -> Void

    let state = NIOLockedValueBox<(changed: Changed?, starts: Int, stops: Int)>((nil, 0, 0))
    let first: NetworkSnapshot?

    init(first: NetworkSnapshot?) {
        self.first = first
    }

    func start(_ changed: @escaping Changed) -> (now: NetworkSnapshot, stop: @Sendable () -> Void)? {
        state.withLockedValue {
            $0.changed = changed
            $0.starts += 1
        }
        let stop: @Sendable () -> Void = { [state] in state.withLockedValue { $0.stops += 1 } }
        return first.map { ($0, stop) }
    }

    func say(_ snapshot: NetworkSnapshot) {
        state.withLockedValue { $0.changed }?(snapshot)
    }
}

@Suite struct NetworkMonitorTests {
    private let none = NetworkSnapshot(ways: [], isReachable: false)
    private let wifi = NetworkSnapshot(ways: ["wifi"], isReachable: true)
    private let cable = NetworkSnapshot(ways: ["cable"], isReachable: true)

    private func observed(from first: NetworkSnapshot, _ snapshots: [NetworkSnapshot]) -> [NetworkStatus] {
        let source = ScriptedSource(first: first)
        let monitor = NetworkMonitor(source: source)
        let heard = NIOLockedValueBox<[NetworkStatus]>([])
        let observation = monitor.observe { status in heard.withLockedValue { $0.append(status) } }
        for snapshot in snapshots { source.say(snapshot) }
        withExtendedLifetime(observation) {}
        return heard.withLockedValue { $0 }
    }

    @Test func `Rule NM-1: nothing is said at the beginning, reachable or not`() {
        #expect(observed(from: none, []).isEmpty)
        #expect(observed(from: none, [none, none]).isEmpty)
        #expect(observed(from: wifi, [wifi]).isEmpty)
    }

    @Test func `Rule NM-2: loss, return and another way out are reported, each once`() {
        #expect(observed(from: wifi, [none, none, wifi, wifi]) == [.unavailable, .available])
        #expect(observed(from: wifi, [cable]) == [.available])
        #expect(observed(from: none, [wifi, none]) == [.available, .unavailable])
    }

    @Test func `SO-109: news of a connection's path has observers look, unless there is no way out`() {
        let source = ScriptedSource(first: wifi)
        let monitor = NetworkMonitor(source: source)
        monitor.connectionPathChanged()
        let heard = NIOLockedValueBox<[NetworkStatus]>([])
        let observation = monitor.observe { status in heard.withLockedValue { $0.append(status) } }
        monitor.connectionPathChanged()
        #expect(heard.withLockedValue { $0 } == [.available])
        source.say(none)
        monitor.connectionPathChanged()
        #expect(heard.withLockedValue { $0 } == [.available, .unavailable])
        withExtendedLifetime(observation) {}
    }

    @Test func `The watch begins with the first observer and ends with the last`() {
        let source = ScriptedSource(first: wifi)
        let monitor = NetworkMonitor(source: source)
        #expect(source.state.withLockedValue { $0.starts } == 0)
        let heard = NIOLockedValueBox<[String]>([])
        var first: NetworkObservation? = monitor.observe { _ in heard.withLockedValue { $0.append("first") } }
        var second: NetworkObservation? = monitor.observe { _ in heard.withLockedValue { $0.append("second") } }
        source.say(none)
        #expect(heard.withLockedValue { $0.sorted() } == ["first", "second"])
        first = nil
        source.say(wifi)
        #expect(heard.withLockedValue { $0.count } == 3)
        #expect(source.state.withLockedValue { $0.stops } == 0)
        second = nil
        #expect(source.state.withLockedValue { $0.stops } == 1)
        source.say(none)
        #expect(heard.withLockedValue { $0.count } == 3)
        let third = monitor.observe { _ in }
        #expect(source.state.withLockedValue { $0.starts } == 2)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func `A system without news is borne in silence`() {
        let monitor = NetworkMonitor(source: ScriptedSource(first: nil))
        let observation = monitor.observe { _ in Issue.record("nothing can be known") }
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [
        ("localhost", false), ("LOCALHOST.", false), ("app.localhost", false), ("127.0.0.1", false), ("127.8.9.10", false),
        ("::1", false), ("[::1]", false), ("::ffff:127.0.0.1", false), ("0.0.0.0", false), ("::", false), ("10.0.0.1", true),
        ("ws.example.com", true), ("localhost.example.com", true), ("fe80::1", true), ("2001:db8::1", true), ("128.0.0.1", true),
    ])
    func `Rule NM-3: news of the network does not concern this machine itself`(host: String, concerns: Bool) {
        #expect(NetworkMonitor.concerns(host: host) == concerns)
    }
}
