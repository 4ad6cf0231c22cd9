import ArgumentParser

/// The options of `lifeline serve` for several servers on one Redis.
struct ServeRedisOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Shares everything with other servers on this Redis 7 or Valkey: redis[s]://[USER:PASSWORD@]HOST:PORT.",
            valueName: "url"))
    var redis: String?

    @Option(
        help: ArgumentHelp("The name of this server in logs and metrics (default: the name of the machine).", valueName: "name"))
    var node: String?

    @Option(help: ArgumentHelp("The prefix of all keys in Redis (default: lifeline).", valueName: "prefix"))
    var redisPrefix: String?
}
