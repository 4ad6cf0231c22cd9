import Logging
import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import RedisStoreEngine
import ServerCluster
import ServerRuntime
import WireCoding

/// Checks one Redis before a server joins its cluster (rule CR-30).
struct RedisStart: Sendable {
    private var settings: RedisEngineSettings
    private let clock: ServerClock
    private let address: String
    private let eventLoop: any EventLoop
    /// The layout to store in this Redis, or to compare with the stored layout. Nil if only the rights of the Redis user are checked.
    private let layout: ClusterLayout?

    init(
        _ settings: RedisEngineSettings, _ address: RedisAddress, layout: ClusterLayout?, _ clock: ServerClock,
        _ eventLoop: any EventLoop
    ) {
        self.settings = settings
        self.clock = clock
        // Without `persistence` an error that a retry cannot resolve, such as a wrong password, ends the check at once.
        self.settings.link.policy.persistence = nil
        self.address = "\(address)"
        self.layout = layout
        self.eventLoop = eventLoop
    }

    /// The checks for a configuration: each Redis is checked with the keys of the cluster, and with the keys of one of its partitions. In a
    /// Redis Cluster every partition is checked, because each may be on another shard.
    static func all(
        _ redis: RedisConfiguration, for configuration: ServerConfiguration, on eventLoop: any EventLoop
    ) throws(RedisAddressError) -> [RedisStart] {
        var starts: [RedisStart] = []
        let places = redis.addressesOfPartitions
        for address in redis.addresses {
            let settings = try RedisEngineSettings(redis, at: address, keys: redis.keys, incarnation: 0, configuration)
            starts.append(
                RedisStart(
                    settings, address, layout: redis.layout(hasDatabase: configuration.stores?.shared != nil),
                    configuration.clock,
                    eventLoop))
            guard redis.partitions > 1 else { continue }
            let partitions = redis.clusterPartitions.all.filter { places.element(at: $0) == address }
            for partition in address.topology == .cluster ? partitions : Array(partitions.prefix(1)) {
                let keys = redis.keys.of(partition: partition, among: redis.clusterPartitions)
                let settings = try RedisEngineSettings(redis, at: address, keys: keys, incarnation: 0, configuration)
                starts.append(RedisStart(settings, address, layout: nil, configuration.clock, eventLoop))
            }
        }
        return starts
    }

    /// Returns when Redis can be used.
    ///
    /// - Parameter patience: how long Redis may be unreachable before this throws.
    func check(within patience: Duration) async throws {
        let (logger, address) = (settings.logger, address)
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
                        "Redis cannot be reached, trying for \(patience.components.seconds) s before the start fails",
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
        let ticks = clock.unixTicks
        let ask: RedisExamination.Ask = { command throws(RedisFailure) in try await link.send(command, within: .seconds(10)) }
        let examination = RedisExamination(
            keys: settings.keys, unixMilliseconds: { Int64(clamping: ticks() / 10_000) }, token: .random(in: 0 ... .max), ask: ask
        )
        if let obstacle = await examination.obstacle() {
            throw ServerError.redisUnusable(reason: "\(obstacle.meaning) \(obstacle.advice)")
        }
        guard let layout else { return }
        let conflict: LayoutConflict?
        do throws(RedisFailure) {
            conflict = try await settings.keys.claim(layout, ask)
        } catch {
            throw ServerError.redisUnreachable(reason: "\(address): \(error)")
        }
        if let conflict { throw ServerError.otherLayout(reason: "\(conflict)") }
    }
}
