import NIOConcurrencyHelpers
import NIOPosix
import RedisClient
import RedisStoreEngine
import ServerCluster

/// The Redis servers of a stopped cluster. Reads all of its data, and changes its layout (rules DC-15 and DC-17).
final class StoppedCluster: Sendable {
    /// Reads the keys of one partition, or the keys that belong to the whole cluster, in one Redis.
    struct Reader: ClusterReader {
        let link: RedisLink
        let keys: ClusterKeys
        /// Without a password.
        let address: String

        /// The time limit of each command. It is long, because a page of large messages may arrive over a slow network.
        private static let limit = Duration.seconds(60)

        func key(_ name: String) -> StoreKey { keys.storeKey(name) }

        func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer {
            try await RedisCollections(key: keys.storeKey) { [link] (command) async throws(RedisFailure) -> RedisValue in
                try await link.send(command, within: Self.limit)
            }.read(question)
        }

        /// Runs commands, and converts a failure to an error for the operator.
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
    /// One reader for each Redis, with the keys of the whole cluster.
    private let places: [Reader]
    /// Reads the data that belong to no partition.
    let first: Reader
    /// One reader for each partition, in the order of the partitions' numbers.
    let partitions: [Reader]
    /// The activity of each partition's servers as it was when the cluster was opened.
    private let activities: [ClusterActivity]

    /// Reads the stored layout of the cluster, and checks that no server of it is running.
    ///
    /// - Parameter redis: all Redis servers of the cluster. The number of partitions is read from Redis.
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
            return StoppedCluster(
                divided, layout: layout, places: places, first: first, partitions: partitions, activities: activities)
        } catch {
            for reader in readers { reader.link.close() }
            throw error
        }
    }

    private init(
        _ redis: RedisConfiguration, layout: ClusterLayout, places: [Reader], first: Reader, partitions: [Reader],
        activities: [ClusterActivity]
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
                // Versions of the server that had no partitions stored no layout. The data of such a cluster are recognised by the record
                // of its leader.
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

    /// - Throws: ``RedisCopyError/started`` if a server has run since the cluster was opened.
    func checkRest() async throws(RedisCopyError) {
        guard try await Self.activities(of: partitions) == activities else { throw .started }
    }

    /// Changes the stored layout: servers with a database beside Redis can start, and others cannot.
    func setBesideDatabase() async throws(RedisCopyError) {
        try await checkRest()
        do throws(RedisCopyError) {
            for place in places { try await Self.store(layout.besideDatabase, in: place) }
            try await checkRest()
        } catch {
            // Restores the former layout everywhere. A Redis that refused the new layout may refuse this write too, but it still has the
            // former layout. Servers start only if all Redis have the same layout.
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

    /// How long a Redis may be unreachable when the cluster is opened.
    private static let patience = Duration.seconds(10)

    private static func connect(_ address: RedisAddress, _ keys: ClusterKeys) async throws(RedisCopyError) -> Reader {
        let settings: RedisLinkSettings
        do throws(RedisAddressError) {
            var made = try RedisLinkSettings(
                address: address, clientName: "lifeline-data-copy", key: keys.name(""), seed: .random(in: 0 ... .max))
            // The connection to Redis opens no second connection for subscriptions, because a copy subscribes to no channel.
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
            throw .unreachable(
                address: "\(address)", reason: cause.map { "\($0)" } ?? "Redis did not answer the first command in time.")
        }
        return Reader(link: link, keys: keys, address: "\(address)")
    }
}
