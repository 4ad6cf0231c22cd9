import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisStoreEngine
import ServerCluster

/// Tests a Redis server that the servers of a cluster share: `lifeline doctor --redis`.
struct RedisDoctor: Sendable {
    let address: RedisAddress
    let keys: ClusterKeys
    /// The time limit for connecting and for each command.
    let limit: Duration
    /// Called with the result of each test as soon as it is known.
    let report: @Sendable (ExaminationStep) -> Void

    /// Runs all tests.
    ///
    /// - Returns: the number of failed tests.
    func run() async throws(RedisAddressError) -> Int {
        var settings = try RedisLinkSettings(
            address: address, clientName: "lifeline-doctor", key: keys.name(""), seed: .random(in: 0 ... .max))
        // No second connection for subscriptions is opened, because commands show everything that the tests need.
        settings.policy.probe = nil
        let ready = NIOLockedValueBox<RedisServer?>(nil)
        let loss = NIOLockedValueBox<RedisLoss?>(nil)
        let link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { event in
            switch event {
            case .status(.commands, .ready(let server)): ready.withLockedValue { $0 = server }
            case .status(.commands, .waiting(let cause, _)), .status(.commands, .stopped(let cause)):
                loss.withLockedValue { $0 = cause }
            default: break
            }
        }
        defer { link.close() }
        let start = ContinuousClock.now
        link.start()
        let answer: Result<RedisValue, RedisFailure> = await withCheckedContinuation { continuation in
            link.send(.command(RedisCommand("PING")), within: limit) { continuation.resume(returning: $0) }
        }
        let duration = ContinuousClock.now - start
        guard case .success = answer else {
            let cause = loss.withLockedValue { $0 }
            let meaning =
                cause.map { "\($0)" } ?? "Redis did not answer within \(limit.components.seconds) s."
            report(
                ExaminationStep(
                    name: "connection",
                    verdict: .failed(meaning, advice: RedisAdvice.advice(for: cause)),
                    duration: duration))
            return 1
        }
        let server = ready.withLockedValue { $0 }
        report(
            ExaminationStep(
                name: "connection", verdict: .passed("\(address), \(server.map { "version \($0.version)" } ?? "connected")"),
                duration: duration))
        return await examine(link)
    }

    private func examine(_ link: RedisLink) async -> Int {
        let limit = limit
        let examination = RedisExamination(
            keys: keys, unixMilliseconds: { Int64(Date().timeIntervalSince1970 * 1_000) }, token: .random(in: 0 ... .max),
            ask: { command throws(RedisFailure) in try await link.send(command, within: limit) })
        var failures = 0
        for question in RedisExamination.Question.allCases {
            let start = ContinuousClock.now
            let verdict = await examination.answer(question)
            if case .failed = verdict { failures += 1 }
            report(ExaminationStep(name: question.rawValue, verdict: .init(verdict), duration: ContinuousClock.now - start))
        }
        return failures
    }
}
