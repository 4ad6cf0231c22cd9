import ChatProtocol
import ConnectionEngine
import PubNubProtocol
import PusherProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

/// A thousand clients of a server that is started again, by the clients' own policies and the server's own pace. No sockets and no
/// clock: arithmetic, so that the numbers are the same on every machine.
@Suite("A thousand clients come back spread out after a restart (RT-29, SV-37)")
struct HerdTests {
    enum Client: CaseIterable, Sendable {
        case pusher, pubnub, chat, pusherJS
    }

    enum Ending: CaseIterable, Sendable {
        /// `kill -9`.
        case killed
        /// SIGTERM; a new server starts when the old one has ended.
        case drained
        /// SIGTERM; a new server listens on the same port already.
        case replaced
    }

    struct Scenario: Sendable {
        var client: Client
        var ending: Ending
        /// How long nobody listens after the old server has ended, in seconds.
        var down: Double
    }

    static let scenarios: [Scenario] = {
        var scenarios: [Scenario] = []
        for client in Client.allCases {
            for ending in Ending.allCases {
                // pusher-js has no jitter: when the server is killed each client waits exactly 1 s, and no server can change that.
                if client == .pusherJS, ending == .killed { continue }
                scenarios += [
                    Scenario(client: client, ending: ending, down: 0.3), Scenario(client: client, ending: ending, down: 3),
                ]
            }
        }
        return scenarios
    }()

    // Proof of G9.
    @Test(
        "At most 150 attempts in any 100 ms and 500 in any second, and all are back", arguments: scenarios, [1, 2, 3] as [UInt64])
    func herd(_ scenario: Scenario, seed: UInt64) {
        var herd = Herd(client: scenario.client, ending: scenario.ending, down: scenario.down, random: SeededRandom(seed: seed))
        let attempts = (0..<Herd.count).flatMap { herd.attempts(of: $0) }.sorted()
        #expect(Herd.peak(of: attempts, within: 0.1) <= 150)
        #expect(Herd.peak(of: attempts, within: 1) <= 500)
        #expect(attempts.count <= 7 * Herd.count)
        // Nobody waits longer than the longest pauses allow.
        #expect((attempts.last ?? 0) <= scenario.down + 70)
    }

    @Test("A few clients are not held up: one in 20 ms is closed")
    func few() {
        #expect(LoopDrain.span(of: 1, within: .seconds(5)) == .milliseconds(20))
        #expect(LoopDrain.span(of: 100, within: .seconds(5)) == .seconds(2))
        #expect(LoopDrain.span(of: 1_000_000, within: .seconds(5)) == .milliseconds(4_500))
        #expect(LoopDrain.span(of: 10, within: .zero) == .zero && LoopDrain.span(of: 0, within: .seconds(5)) == .zero)
    }

    @Test("Whoever is alone is back soon: within 1.5 s in the mean after a loss")
    func alone() {
        for policy in [ConnectionPolicy.standard, .chat()] {
            var random = SeededRandom(seed: 5)
            let schedule = policy.schedule(for: ConnectionFailure(.unexpectedDisconnect, ""))
            let pauses = (0..<2_000).map { _ in
                schedule.pause(afterFailures: 1, wasConnected: true, using: &random)?.inSeconds ?? .infinity
            }
            #expect(pauses.reduce(0, +) / 2_000 <= 1.6)
            #expect(pauses.allSatisfy { $0 <= 3 })
        }
    }
}

/// When the clients of a server that ends try to connect. Times are seconds since the end began.
private struct Herd {
    static let count = 1_000

    let client: HerdTests.Client
    let ending: HerdTests.Ending
    let down: Double
    var random: SeededRandom

    /// How long `lifeline serve` takes to close them all.
    private var span: Double {
        ending == .killed ? 0 : LoopDrain.span(of: Self.count, within: .milliseconds(4_500)).inSeconds
    }

    /// From when on attempts succeed.
    private var isUpFrom: Double { ending == .replaced ? 0 : span + down }

    private var farewell: Int {
        Int(ServerConfiguration(reusesPort: ending == .replaced).pusher.drainCode)
    }

    mutating func attempts(of index: Int) -> [Double] {
        // No two clients are told in the same millisecond.
        var time = span * Double(index) / Double(Self.count) + random.duration(in: .zero ... .milliseconds(5)).inSeconds
        var attempts: [Double] = []
        let policy = policy(seed: UInt64(index))
        for number in 1...60 {
            time += pause(number, policy)
            attempts.append(time)
            if time >= isUpFrom { return attempts }
        }
        Issue.record("a client never came back")
        return attempts
    }

    private func policy(seed: UInt64) -> ConnectionPolicy {
        switch client {
        case .pusher, .pusherJS:
            var policy = ConnectionPolicy.standard
            policy.overrides = PusherSession.policyOverrides
            return policy
        case .pubnub: return PubNubSession.policy(seed: seed)
        case .chat: return .chat()
        }
    }

    /// The pause before an attempt; the first one is 1.
    private mutating func pause(_ number: Int, _ policy: ConnectionPolicy) -> Double {
        let refused = ConnectionFailure(.networkUnavailable, "Refused.")
        let lost = ConnectionFailure(.unexpectedDisconnect, "Lost.")
        switch (client, ending) {
        case (.pusherJS, .killed): return number == 1 ? 1 : Self.refusedPusherJS(number - 1)
        case (.pusherJS, _):
            guard number == 1 else { return Self.refusedPusherJS(number - 1) }
            return (4200...4299).contains(farewell) ? 0 : 1
        case (.pubnub, .drained), (.pubnub, .replaced):
            // An answered poll is followed by the next at once, and only that one fails.
            return number == 1 ? 0 : draw(policy, refused, failures: number - 1)
        case (.pusher, .drained), (.pusher, .replaced):
            guard number == 1 else { return draw(policy, refused, failures: number) }
            let category = PusherSession.category(ofCloseCode: farewell) ?? .unknown
            return draw(policy, ConnectionFailure(category, "", origin: .server), failures: 1)
        case (.chat, .drained), (.chat, .replaced):
            guard number == 1 else { return draw(policy, refused, failures: number) }
            let asked = random.duration(in: .milliseconds(100) ... .seconds(5)).inSeconds
            return max(draw(policy, ConnectionFailure(.serverRestart, "", origin: .server), failures: 1), asked)
        case (_, .killed):
            return draw(policy, number == 1 ? lost : refused, failures: number)
        }
    }

    private mutating func draw(_ policy: ConnectionPolicy, _ failure: ConnectionFailure, failures: Int) -> Double {
        let schedule = policy.schedule(for: failure)
        return schedule.pause(afterFailures: failures, wasConnected: true, using: &random)?.inSeconds ?? .infinity
    }

    /// How long pusher-js goes on waiting for an attempt that was refused: its list of transports has a time limit of 15 s for each
    /// round, which doubles up to 60 s, and looks at failures only when it is over.
    private static func refusedPusherJS(_ failures: Int) -> Double {
        min(15 * Double(1 << min(failures - 1, 2)), 60)
    }

    /// The most of these moments, which are sorted, within so many seconds.
    static func peak(of moments: [Double], within window: Double) -> Int {
        var (first, most) = (0, 0)
        for (index, moment) in moments.enumerated() {
            while moment - moments[first] > window { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
