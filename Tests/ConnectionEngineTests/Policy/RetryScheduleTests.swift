import ConnectionEngine
import Testing

@Suite struct RetryScheduleTests {
    private let schedule = RetrySchedule.jittered(first: .milliseconds(500), base: .seconds(1), cap: .seconds(30), atLeast: .zero)

    private func draws(_ schedule: RetrySchedule, failures: Int, wasConnected: Bool = true, count: Int = 2_000) -> [Double] {
        var random = SeededRandom(seed: 42)
        return (0..<count).compactMap { _ in
            schedule.pause(afterFailures: failures, wasConnected: wasConnected, using: &random)?.inSeconds
        }
    }

    @Test func `The first retry after a loss is quick and spread from zero`() throws {
        let pauses = draws(schedule, failures: 1)
        #expect(try #require(pauses.max()) <= 0.5)
        #expect(try #require(pauses.min()) < 0.05)
    }

    @Test func `The first retry of a connection that never worked is not quick`() throws {
        let pauses = draws(schedule, failures: 1, wasConnected: false)
        #expect(try #require(pauses.min()) >= 0.5)
        #expect(try #require(pauses.max()) <= 2)
    }

    @Test(arguments: [(2, 4.0), (3, 8.0), (4, 16.0), (5, 30.0), (6, 30.0), (1_000, 30.0)])
    func `Pauses double up to the cap`(failures: Int, high: Double) throws {
        let pauses = draws(schedule, failures: failures)
        #expect(try #require(pauses.min()) >= 0.5)
        #expect(try #require(pauses.max()) <= high)
        #expect(try #require(pauses.max()) > high * 0.95)
    }

    @Test func `At the cap the pauses are still spread by more than fifteen percent of it`() {
        let pauses = draws(schedule, failures: 50, count: 200)
        let mean = pauses.reduce(0, +) / Double(pauses.count)
        let variance = pauses.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(pauses.count)
        #expect(variance.squareRoot() >= 0.15 * 30)
    }

    @Test func `Two seeds give different pauses, one seed the same`() {
        func first(_ seed: UInt64) -> [Duration?] {
            var random = SeededRandom(seed: seed)
            return (1...5).map { schedule.pause(afterFailures: $0, wasConnected: true, using: &random) }
        }
        #expect(first(1) == first(1))
        #expect(first(1) != first(2))
    }

    @Test func `A floor lifts every draw`() throws {
        let overloaded = RetrySchedule.jittered(first: .seconds(5), base: .seconds(1), cap: .seconds(30), atLeast: .seconds(1))
        #expect(try #require(draws(overloaded, failures: 1).min()) >= 1)
    }

    @Test func `A sequence is followed and its last pause repeats`() {
        let nexconn = RetrySchedule.sequence([.milliseconds(50), .milliseconds(250), .seconds(64)])
        var random = SeededRandom(seed: 1)
        let pauses = (1...5).map { nexconn.pause(afterFailures: $0, wasConnected: true, using: &random) }
        #expect(pauses == [.milliseconds(50), .milliseconds(250), .seconds(64), .seconds(64), .seconds(64)])
    }

    @Test func `A fixed pause stays the same and never means none`() {
        var random = SeededRandom(seed: 1)
        #expect(RetrySchedule.fixed(.seconds(10)).pause(afterFailures: 7, wasConnected: false, using: &random) == .seconds(10))
        #expect(RetrySchedule.never.pause(afterFailures: 1, wasConnected: true, using: &random) == nil)
    }

    @Test func `A capped schedule is never faster than the cap`() throws {
        #expect(try #require(draws(.capped(.seconds(30)), failures: 1).min()) >= 30)
    }

    @Test(arguments: [
        StatusCategory.refused, .credentialsRejected, .kicked, .banned, .accountDeleted, .malformedFilter, .requestTooLong,
    ])
    func `What retrying does not mend is not retried`(category: StatusCategory) {
        #expect(ConnectionPolicy.standard.schedule(for: ConnectionFailure(category, "")) == .never)
    }

    @Test func `The table tells faults of the server from local ones`() {
        let policy = ConnectionPolicy.standard
        func first(_ category: StatusCategory, _ origin: ConnectionFailure.Origin = .local) -> Duration? {
            let schedule = policy.schedule(for: ConnectionFailure(category, "", origin: origin))
            guard case .jittered(let first, _, _, _) = schedule else { return nil }
            return first
        }
        #expect(first(.networkUnavailable) == .milliseconds(500))
        #expect(first(.malformedResponse, .server) == .seconds(3))
        #expect(first(.serverRestart, .server) == .seconds(1))
        #expect(policy.schedule(for: ConnectionFailure(.tlsUntrusted, "")) == .capped(.seconds(30)))
    }

    @Test(arguments: [StatusCategory.unexpectedDisconnect, .timeout])
    func `A link that ends without a word may be the server's end, whoever is blamed (RT-29)`(category: StatusCategory) throws {
        let schedule = ConnectionPolicy.standard.schedule(for: ConnectionFailure(category, "", origin: .local))
        let pauses = draws(schedule, failures: 1)
        #expect(try #require(pauses.max()) > 2.9 && pauses.allSatisfy { $0 <= 3 })
    }

    @Test func `Nobody is collected at the least pause (RT-29)`() {
        let overloaded = RetrySchedule.jittered(first: .seconds(3), base: .seconds(2), cap: .seconds(30), atLeast: .seconds(1))
        for failures in [1, 2, 9] {
            let pauses = draws(overloaded, failures: failures)
            #expect(pauses.allSatisfy { $0 >= 1 } && pauses.filter { $0 < 1.01 }.count < 40)
        }
    }

    @Test func `After the loss of a link a spread sequence is drawn from its own intervals (RT-30)`() throws {
        let schedule = RetrySchedule.spread(
            [.milliseconds(50), .seconds(1)], afterLoss: [.zero ... .seconds(3), .seconds(1) ... .seconds(8)])
        #expect(try #require(draws(schedule, failures: 1).max()) > 2.9)
        #expect(try #require(draws(schedule, failures: 2).min()) >= 1 && draws(schedule, failures: 9).allSatisfy { $0 <= 8 })
        #expect(draws(schedule, failures: 1, wasConnected: false).allSatisfy { $0 <= 0.05 })
        #expect(schedule.cap == .seconds(8))
        let forgiving = RetrySchedule.spread([.milliseconds(50)], forgiving: 2, afterLoss: [.zero ... .seconds(3)])
        #expect(draws(forgiving, failures: 3).allSatisfy { $0 <= 0.05 })
        #expect(draws(forgiving, failures: 1).contains { $0 > 1 })
    }

    @Test func `An override replaces the table`() {
        let policy = ConnectionPolicy(overrides: [.networkUnavailable: .fixed(.seconds(10))])
        #expect(policy.schedule(for: ConnectionFailure(.networkUnavailable, "")) == .fixed(.seconds(10)))
    }

    private static let chat = RetrySchedule.spread([.milliseconds(50), .seconds(1), .seconds(64)])

    @Test(arguments: [(1, 0.05), (2, 1.0), (3, 64.0), (4, 64.0), (1_000, 64.0)])
    func `A spread sequence draws each pause from a quarter of it up to all of it`(failures: Int, high: Double) throws {
        let pauses = draws(Self.chat, failures: failures)
        #expect(try #require(pauses.min()) >= high / 4)
        #expect(try #require(pauses.min()) < high * 0.27)
        #expect(try #require(pauses.max()) <= high)
        #expect(try #require(pauses.max()) > high * 0.98)
        #expect(Self.chat.cap == .seconds(64))
    }

    @Test func `The last pause of a spread sequence is spread by more than fifteen percent of it`() {
        let pauses = draws(Self.chat, failures: 50, count: 200)
        let mean = pauses.reduce(0, +) / Double(pauses.count)
        let variance = pauses.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(pauses.count)
        #expect(variance.squareRoot() >= 0.15 * 64)
    }

    @Test func `Failures that are forgiven do not count, until there are fewer of them`() throws {
        let forgiving = RetrySchedule.spread([.milliseconds(50), .seconds(1), .seconds(64)], forgiving: 7)
        #expect(try #require(draws(forgiving, failures: 8).max()) <= 0.05)
        #expect(try #require(draws(forgiving, failures: 9).min()) >= 0.25)
        #expect(try #require(draws(forgiving, failures: 10).min()) >= 16)
        #expect(try #require(draws(forgiving, failures: 1).max()) <= 0.05)
        #expect(try #require(draws(forgiving, failures: 3).min()) >= 16)
    }

    @Test func `A spread sequence without pauses has none, and takes any number of failures`() {
        var random = SeededRandom(seed: 1)
        #expect(RetrySchedule.spread([]).pause(afterFailures: 3, wasConnected: true, using: &random) == .zero)
        let odd = RetrySchedule.spread([.seconds(-1)], forgiving: -3)
        #expect(odd.pause(afterFailures: -5, wasConnected: true, using: &random) == .zero)
    }

    @Test func `A policy's own schedule takes the place of the ordinary row only`() {
        let own = RetrySchedule.fixed(.seconds(7))
        let policy = ConnectionPolicy(overrides: [.proxyUnavailable: .never], ordinary: own)
        for category in [StatusCategory.networkUnavailable, .timeout, .unexpectedDisconnect, .unknown, .malformedResponse] {
            #expect(policy.schedule(for: ConnectionFailure(category, "")) == own)
        }
        for category in [StatusCategory.kicked, .banned, .accountDeleted, .credentialsRejected, .refused, .proxyUnavailable] {
            #expect(policy.schedule(for: ConnectionFailure(category, "")) == .never)
        }
        for category in [StatusCategory.serverRestart, .overloaded, .tlsUntrusted] {
            let failure = ConnectionFailure(category, "")
            #expect(policy.schedule(for: failure) == ConnectionPolicy().schedule(for: failure))
        }
    }
}
