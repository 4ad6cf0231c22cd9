import ConnectionEngine
import Testing

/// Pauses and limits that users choose (rules RT-31 to RT-33).
@Suite struct RetryPolicyTests {
    private func draws(_ policy: ConnectionPolicy, _ category: StatusCategory, failures: Int) -> [Double] {
        var random = SeededRandom(seed: 7)
        let schedule = policy.schedule(for: ConnectionFailure(category, ""))
        return (0..<2_000).compactMap { _ in
            schedule.pause(afterFailures: failures, wasConnected: true, using: &random)?.inSeconds
        }
    }

    private func policy(
        _ jitter: RetryJitter = .equal, overrides: [StatusCategory: RetryBackoff] = [:], on table: ConnectionPolicy = .standard
    ) throws -> ConnectionPolicy {
        table.retrying(try RetryPolicy(base: .seconds(1), cap: .seconds(6), jitter: jitter, overrides: overrides))
    }

    @Test(arguments: [
        (RetryJitter.full, 0.0), (.equal, 0.5), (.fraction(0.2), 0.8), (.fraction(0), 1.0), (.fraction(1), 0.0), (.none, 1.0),
    ])
    func `RT-31: pauses double from the base to the cap, and the jitter draws from each`(
        jitter: RetryJitter, least: Double
    ) throws {
        let policy = try policy(jitter)
        for (failures, longest) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 6.0), (1_000, 6.0)] {
            let pauses = draws(policy, .unexpectedDisconnect, failures: failures)
            let (low, high) = (try #require(pauses.min()), try #require(pauses.max()))
            #expect(low >= longest * least - 1e-6 && low <= longest * (least + 0.01))
            #expect(high <= longest + 1e-6 && high >= longest * 0.99)
        }
    }

    @Test func `RT-31: a category may have pauses of its own, or none`() throws {
        let own = try RetryBackoff(base: .seconds(40), cap: .seconds(80), jitter: .none)
        let policy = try policy(.none, overrides: [.overloaded: own, .tlsUntrusted: .never])
        #expect(draws(policy, .overloaded, failures: 2).allSatisfy { $0 == 80 })
        #expect(policy.schedule(for: ConnectionFailure(.tlsUntrusted, "")) == .never)
        #expect(draws(policy, .timeout, failures: 2).allSatisfy { $0 == 2 })
        #expect(policy.schedule(for: ConnectionFailure(.overloaded, "")).cap == .seconds(80))
    }

    @Test func `RT-31: without an override, overload waits a second more and distrust as long as it may`() throws {
        let policy = try policy(.full)
        #expect(try #require(draws(policy, .overloaded, failures: 1).min()) >= 1)
        #expect(draws(policy, .tlsUntrusted, failures: 1).allSatisfy { $0 >= 6 })
    }

    @Test(arguments: RetryPolicy.finalCategories.sorted { $0.rawValue < $1.rawValue })
    func `RT-31: what trying again does not mend stays final`(category: StatusCategory) throws {
        #expect(try policy().schedule(for: ConnectionFailure(category, "")) == .never)
        let error = #expect(throws: InvalidRetryPolicy.self) {
            _ = try policy(overrides: [category: try RetryBackoff(base: .seconds(1), cap: .seconds(2))])
        }
        #expect(error?.description.contains(category.rawValue) == true)
    }

    @Test func `RT-31: what a service never retries stays final, and its other rows are replaced`() throws {
        let service = ConnectionPolicy(
            overrides: [.accessDenied: .never, .timeout: .fixed(.seconds(10))], ordinary: .spread([.seconds(64)]))
        let own = try RetryBackoff(base: .seconds(1), cap: .seconds(2))
        let policy = try policy(.none, overrides: [.accessDenied: own], on: service)
        #expect(policy.schedule(for: ConnectionFailure(.accessDenied, "")) == .never)
        #expect(draws(policy, .timeout, failures: 1).allSatisfy { $0 == 1 })
        #expect(draws(policy, .unexpectedDisconnect, failures: 1).allSatisfy { $0 == 1 })
    }

    @Test func `RT-31: without a policy of one's own nothing changes`() {
        #expect(ConnectionPolicy.fast.retrying(nil) == .fast)
    }

    @Test func `RT-32: values outside of their ranges are refused by name`() {
        let bad: [(Duration, Duration, RetryJitter, Int?, String)] = [
            (.zero, .seconds(1), .full, nil, "base"), (.seconds(-1), .seconds(1), .full, nil, "base"),
            (.seconds(2), .seconds(1), .full, nil, "cap"), (.seconds(1), .seconds(86_401), .full, nil, "cap"),
            (.seconds(1), .seconds(1), .full, -1, "limit"), (.seconds(1), .seconds(1), .fraction(1.5), nil, "fraction"),
            (.seconds(1), .seconds(1), .fraction(.nan), nil, "fraction"),
        ]
        for (base, cap, jitter, limit, word) in bad {
            let error = #expect(throws: InvalidRetryPolicy.self) {
                _ = try RetryPolicy(base: base, cap: cap, jitter: jitter, limit: limit)
            }
            #expect(error?.description.contains(word) == true)
        }
    }
}
