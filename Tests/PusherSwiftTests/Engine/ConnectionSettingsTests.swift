import ConnectionEngine
import Testing

@testable import PusherSwift

/// Rules PA-10 to PA-16.
struct ConnectionSettingsTests {
    @Test func `without settings the engine's own times count`() {
        let policy = ConnectionSettings().policy
        #expect(policy.timing == .standard)
        #expect(policy.timing.activity == .seconds(20) && policy.timing.probe == .seconds(5))
        #expect(policy.cap == .seconds(120))
        #expect(policy.maximumRetries == nil && policy.retriesAutomatically)
    }

    @Test func `the fast profile is the engine's`() {
        var settings = ConnectionSettings()
        settings.timing = .fast
        var fast = ConnectionPolicy.fast
        fast.overrides = settings.policy.overrides
        fast.backgroundGrace = .seconds(20)
        #expect(settings.policy == fast)
    }

    @Test func `PA-93: the grace in the background is brought into its range`() {
        let expected: [(Double?, Duration?)] = [
            (nil, nil), (0, .zero), (-1, .zero), (.nan, .zero), (90, .seconds(90)), (.infinity, .seconds(86_400)),
        ]
        for (seconds, grace) in expected {
            var settings = ConnectionSettings()
            settings.backgroundGrace = seconds
            #expect(settings.policy.backgroundGrace == grace)
        }
    }

    @Test func `PA-95: the liveness counts, and a timeout of the app's own before it`() {
        var settings = ConnectionSettings()
        settings.liveness = .frugal
        #expect(settings.policy.timing.activity == .seconds(120) && settings.policy.timing.probe == .seconds(30))
        settings.activityTimeout = .chosen(9)
        settings.pongTimeout = .chosen(3)
        #expect(settings.policy.timing.activity == .seconds(9) && settings.policy.timing.probe == .seconds(3))
    }

    @Test func `a server that is not trusted is not tried again by itself`() {
        #expect(ConnectionSettings().policy.schedule(for: ConnectionFailure(.tlsUntrusted, "expired")) == .never)
    }

    @Test(arguments: [PusherTiming.standard, .fast])
    func `what the app sets counts in every profile`(timing: PusherTiming) {
        var settings = ConnectionSettings()
        settings.timing = timing
        settings.autoReconnect = false
        settings.reconnectAttemptsMax = 6
        settings.gap = .chosen(7)
        settings.activityTimeout = .chosen(123)
        settings.pongTimeout = .chosen(9)
        let policy = settings.policy
        #expect(!policy.retriesAutomatically && policy.maximumRetries == 6)
        #expect(policy.cap == .seconds(7) && policy.timing.activity == .seconds(123) && policy.timing.probe == .seconds(9))
    }

    @Test func `a retry policy of the app's counts, and what PusherSwift has itself before it (RT-33)`() throws {
        var settings = ConnectionSettings()
        settings.retryPolicy = try RetryPolicy(base: .seconds(2), cap: .seconds(40), jitter: .none, limit: 9)
        #expect(settings.policy.maximumRetries == 9 && settings.policy.cap == .seconds(40))
        settings.reconnectAttemptsMax = 3
        settings.gap = .chosen(5)
        #expect(settings.policy.maximumRetries == 3 && settings.policy.cap == .seconds(5))
        var random = SeededRandom(seed: 1)
        let schedule = settings.policy.schedule(for: ConnectionFailure(.timeout, ""))
        let pauses = (1...3).map { schedule.pause(afterFailures: $0, wasConnected: true, using: &random) }
        #expect(pauses == [.seconds(2), .seconds(4), .seconds(5)])
        #expect(settings.policy.schedule(for: ConnectionFailure(.tlsUntrusted, "")) == .never)
    }

    @Test(
        arguments: [
            (nil, 86_400), (0, 0.1), (-3, 0.1), (.nan, 0.1), (.infinity, 86_400), (1e300, 86_400), (12.5, 12.5),
        ] as [(Double?, Double)])
    func `no setting can trap or hammer the server`(gap: Double?, seconds: Double) {
        var settings = ConnectionSettings()
        settings.gap = .chosen(gap)
        settings.reconnectAttemptsMax = -1
        #expect(settings.policy.cap == .seconds(seconds))
        #expect(settings.policy.maximumRetries == 0)
    }

    @Test(
        arguments: [
            (.idle, .disconnected), (.connecting, .connecting), (.connected, .connected), (.waiting, .reconnecting),
            (.suspended, .reconnecting), (.disconnecting, .disconnecting), (.disconnected, .disconnected),
            (.failed, .disconnected),
        ] as [(ConnectionPhase, ConnectionState)])
    func `every phase has its state`(phase: ConnectionPhase, state: ConnectionState) {
        let change = ConnectionChange(previous: .idle, phase: phase, category: .connected, at: .zero)
        #expect(ConnectionState(after: change) == state)
    }
}
