import NIOConcurrencyHelpers
import NIOPosix
import RedisClient
import RedisStoreEngine
import ServerCluster

/// The Redis of a cluster of which no server runs, to read everything and to change the layout (rules DC-15 and DC-17).
final class StoppedCluster: Sendable {
    /// Reads the keys of one partition, or those of the cluster in one Redis.
    struct Reader: ClusterReader {
        let link: RedisLink
        let keys: ClusterKeys
        /// Without a password.
        let address: String

        /// A page of large messages takes its time over a slow network.
        private static let limit = Duration.seconds(60)

        func key(_ name: String) -> StoreKey { keys.storeKey(name) }

        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            try await RedisCollections(key: keys.storeKey) { [link] (command) async throws(RedisFailure) -> RedisValue in
                try await link.send(command, within: Self.limit)
            }.read(question)
        }

        /// Asks, and translates a failure for the operator.
        func asking<Value>(
            _ body: ((RedisCommand) async throws(RedisFailure) -> RedisValue) async throws(RedisFailure) -> Value
        ) async throws(RedisCopyError) -> Value {
            do throws(RedisFailure) {
                return try await body { command throws(RedisFailure) in try await link.send(command, within: Self.limit) }
            } catch {
                throw RedisCopyError(error, at: address)
            }
        }
    }

    let redis: RedisConfiguration
    let layout: ClusterLayout
    /// Each Redis, with the keys of the cluster itself.
    private let places: [Reader]
    /// Reads what belongs to no partition.
    let first: Reader
    /// In the order of their numbers.
    let partitions: [Reader]
    /// What Redis said about each partition when it was opened.
    private let activities: [ClusterActivity]

    /// Finds out how the cluster lies in Redis, and that no server of it runs.
    ///
    /// - Parameter redis: all Redis of the cluster. The number of partitions is read from them.
    static func open(_ redis: RedisConfiguration) async throws(RedisCopyError) -> StoppedCluster {
        var readers: [Reader] = []
        do throws(RedisCopyError) {
            for address in redis.addresses { readers.append(try await connect(address, redis.keys)) }
            let places = readers
            let layout = try await storedLayout(places)
            let divided = ClusterPartitions(layout.partitions).flatMap { redis.divided(into: $0) }
            let own = ClusterLayout(
                divided?.clusterPartitions ?? redis.clusterPartitions, over: redis.places, scheme: layout.scheme)
            guard !layout.hasDatabase else { throw .hasDatabase }
            guard let divided, own == layout, let first = places.first(where: { $0.address == "\(divided.firstAddress)" }) else {
                throw .otherRedis(stored: "\(layout)", own: "\(own)")
            }
            for (partition, address) in zip(divided.clusterPartitions.all, divided.addressesOfPartitions) {
                readers.append(try await connect(address, redis.keys.of(partition: partition, among: divided.clusterPartitions)))
            }
            let partitions = Array(readers.dropFirst(places.count))
            let activities = try await activities(of: partitions)
            if let running = activities.first(where: { !$0.isAtRest }) { throw .running(leader: running.leader) }
            return StoppedCluster(divided, layout, places, first, partitions, activities)
        } catch {
            for reader in readers { reader.link.close() }
            throw error
        }
    }

    private init(
        _ redis: RedisConfiguration, _ layout: ClusterLayout, _ places: [Reader], _ first: Reader,
        _ partitions: [Reader], _ activities: [ClusterActivity]
    ) {
        self.redis = redis
        self.layout = layout
        self.places = places
        self.first = first
        self.partitions = partitions
        self.activities = activities
    }

    private static func storedLayout(_ places: [Reader]) async throws(RedisCopyError) -> ClusterLayout {
        var found: ClusterLayout?
        for place in places {
            let keys = place.keys
            let text = try await place.asking { ask throws(RedisFailure) in try await ask(RedisCommand("GET", keys.layout)).text }
            let layout: ClusterLayout
            if let text {
                guard let stored = ClusterLayout(text) else { throw .unreadableLayout(key: keys.name("layout")) }
                layout = stored
            } else {
                // Versions without partitions store no layout, but the record of their leader.
                let hasLeader = try await place.asking { ask throws(RedisFailure) in try await keys.hasLeader(ask) }
                guard hasLeader else { throw .noCluster(prefix: keys.cluster, address: place.address) }
                layout = .former
            }
            guard found == nil || found == layout else { throw .otherRedis(stored: "\(layout)", own: "part of another cluster") }
            found = layout
        }
        guard let found else { throw .noCluster(prefix: "", address: "nothing") }
        return found
    }

    private static func activities(of partitions: [Reader]) async throws(RedisCopyError) -> [ClusterActivity] {
        var activities: [ClusterActivity] = []
        for partition in partitions {
            let keys = partition.keys
            activities.append(try await partition.asking { ask throws(RedisFailure) in try await keys.activity(ask) })
        }
        return activities
    }

    /// - Throws: ``RedisCopyError/started`` if a server has run since this was opened.
    func checkRest() async throws(RedisCopyError) {
        guard try await Self.activities(of: partitions) == activities else { throw .started }
    }

    /// Changes the layout, so that servers with a database beside Redis start, and others do not.
    func setBesideDatabase() async throws(RedisCopyError) {
        try await checkRest()
        do throws(RedisCopyError) {
            for place in places { try await Self.store(layout.besideDatabase, in: place) }
            try await checkRest()
        } catch {
            // A Redis that did not take the changed layout may not answer this either, and has the former one. Servers start only where all
            // have the same.
            for place in places { try? await Self.store(layout, in: place) }
            throw error
        }
    }

    private static func store(_ layout: ClusterLayout, in place: Reader) async throws(RedisCopyError) {
        let key = place.keys.layout
        _ = try await place.asking { ask throws(RedisFailure) in try await ask(RedisCommand("SET", key, .text(layout.text))) }
    }

    func close() {
        for reader in places + partitions { reader.link.close() }
    }

    // MARK: Connecting

    /// How long Redis may be away at the beginning.
    private static let patience = Duration.seconds(10)

    private static func connect(_ address: RedisAddress, _ keys: ClusterKeys) async throws(RedisCopyError) -> Reader {
        let settings: RedisLinkSettings
        do throws(RedisAddressError) {
            var made = try RedisLinkSettings(
                address: address, clientName: "lifeline-data-copy", key: keys.name(""), seed: .random(in: 0 ... .max))
            // There is nothing to subscribe to.
            made.policy.probe = nil
            settings = made
        } catch {
            throw .unreachable(address: "\(address)", reason: error.description)
        }
        let loss = NIOLockedValueBox<RedisLoss?>(nil)
        let link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { event in
            switch event {
            case .status(.commands, .waiting(let cause, _)), .status(.commands, .stopped(let cause)):
                loss.withLockedValue { $0 = cause }
            default: break
            }
        }
        link.start()
        do throws(RedisFailure) {
            _ = try await link.send(RedisCommand("PING"), within: patience)
        } catch {
            link.close()
            let cause = loss.withLockedValue { $0 }
            throw .unreachable(address: "\(address)", reason: cause.map { "\($0)" } ?? "Redis did not answer in time.")
        }
        return Reader(link: link, keys: keys, address: "\(address)")
    }
}
