import Logging
import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import ServerCluster

/// Checks Redis before a server joins the cluster (rule CR-30).
struct RedisStart: Sendable {
    private var settings: ClusterSettings
    private let redis: RedisConfiguration
    private let eventLoop: any EventLoop

    init(_ settings: ClusterSettings, _ redis: RedisConfiguration, _ eventLoop: any EventLoop) {
        self.settings = settings
        // The first start reports an error at once instead of retrying.
        self.settings.link.policy.persistence = nil
        self.redis = redis
        self.eventLoop = eventLoop
    }

    /// Returns when Redis can be used.
    ///
    /// - Parameter patience: how long Redis may be unreachable.
    func check(within patience: Duration) async throws {
        let (logger, address) = (settings.logger, "\(redis.address)")
        let loss = NIOLockedValueBox<RedisLoss?>(nil)
        let link = RedisLink(settings.link, eventLoop: eventLoop) { event in
            guard case .status(.commands, let status) = event else { return }
            switch status {
            case .waiting(let cause, _):
                let isFirst = loss.withLockedValue { loss in
                    defer { loss = cause }
                    return loss == nil
                }
                if isFirst {
                    logger.warning(
                        "Redis cannot be reached, trying for \(patience.components.seconds) s",
                        metadata: ["redis": "\(address)", "cause": "\(cause)"])
                }
            case .stopped(let cause): loss.withLockedValue { $0 = cause }
            case .connecting, .ready: break
            }
        }
        defer { link.close() }
        link.start()
        do throws(RedisFailure) {
            _ = try await link.send(RedisCommand("PING"), within: patience)
        } catch {
            let cause = loss.withLockedValue { $0 }
            if case .unsent(let final) = error, final.isFinal { throw ServerError.redisUnusable(reason: "\(final)") }
            throw ServerError.redisUnreachable(reason: "\(address): \(cause.map { "\($0)" } ?? "Redis did not answer in time.")")
        }
        let ticks = settings.clock.unixTicks
        let examination = RedisExamination(
            keys: settings.keys, unixMilliseconds: { Int64(clamping: ticks() / 10_000) }, token: .random(in: 0 ... .max),
            ask: { command throws(RedisFailure) in try await link.send(command, within: .seconds(10)) })
        if let obstacle = await examination.obstacle() {
            throw ServerError.redisUnusable(reason: "\(obstacle.meaning) \(obstacle.advice)")
        }
    }
}
