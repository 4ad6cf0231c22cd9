import ArgumentParser

/// The options of `lifeline serve` for several servers on one or several Redis.
struct ServeRedisOptions: ParsableArguments {
    @Option(help: ServerSetting.redis.help)
    var redis: [String] = []

    @Option(help: ServerSetting.partitions.help)
    var partitions: String?

    @Option(help: ServerSetting.node.help)
    var node: String?

    @Option(help: ServerSetting.redisPrefix.help)
    var redisPrefix: String?
}
